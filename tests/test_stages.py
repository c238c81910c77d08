"""The parts of an iteration: the window, evaluation, matches and the gate; and the budget."""

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.arena import every_position
from tengen.arena.match import MatchScore, play_match, random_openings
from tengen.players import parse_player_spec
from tengen.rules import AnyGame, GridGame, Outcome
from tengen.search import NetSettings
from tengen.search.neural_settings import SEARCH_OWN_KEYS
from tengen.selfplay import GameRecord, RecordedPly, SelfPlay
from tengen.training import TargetSettings, samples_of
from tengen.training.assess import Assessor, lowest_kept
from tengen.training.budget import Budget
from tengen.training.events import Event, ignore
from tengen.training.history import read_run
from tengen.training.loop import iterate, train
from tengen.training.pit import as_in_selfplay, is_accepted, pit
from tengen.training.play import play
from tengen.training.run import Run
from tengen.training.session import settings_of
from tengen.training.settings import GateSettings, TrainSettings
from tengen.training.state import RunState
from tengen.training.window import Window

OTHELLO = f"{Path(__file__).parent.parent / 'examples' / 'othello.py'}:Othello6"
TINY = {
    "network_values": {"blocks": 1, "channels": 8},
    "games": 4,
    "threads": 1,
    "selfplay": {"sims": 4, "games": 4},
    "learn": {"batch": 16},
    "evaluate": {"sims": [0], "baselines": [], "share": 0},
}


def grid(spec: str) -> GridGame:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    return game


def settings(**values: object) -> TrainSettings:
    return TrainSettings.model_validate({**TINY, **values})


def game_of_column(index: int, column: int, value: float = 0.0) -> GameRecord:
    """Two moves in one column; both were searched."""
    ply = RecordedPly(((column, 1.0),), value, "open", is_full=True, sims=8)
    return GameRecord("connect4", index, 0, (column, column), (ply, ply), Outcome.draw)


def test_every_game_is_told_of_even_if_more_were_expected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that ends looks like another game until it has been looked at."""
    expects = property(lambda _: True, lambda *_: None)
    monkeypatch.setattr(SelfPlay, "has_more", expects, raising=False)
    told: list[Event] = []
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings())
    play(run, on_event=told.append)
    run.close()
    assert [(event.done, event.total) for event in told] == [(0, 4), (4, 4)]


def test_the_window_holds_the_newest_positions_whatever_the_order_of_games() -> None:
    game = grid("connect4")
    records = [game_of_column(number, number) for number in range(4)]

    def window_of(order: list[int]) -> Window:
        window = Window(lambda r: samples_of(game, r, ("mover", "opponent"), TargetSettings()))
        window.add(records[number] for number in order)
        return window

    one, other = window_of([0, 1, 2, 3]), window_of([3, 1, 0, 2])
    for size, games in ((8, 4), (5, 3), (4, 2), (1, 1)):
        found, same = one.newest(size), other.newest(size)
        # The empty board comes once, however many games begin with it.
        assert len(found) == 1 + games
        assert (found.planes == same.planes).all()
        assert (found.policy == same.policy).all()
        assert one.age == games - 1


def test_self_play_that_is_broken_off_leaves_no_thread_and_every_finished_game(
    tmp_path: Path,
) -> None:
    run = Run.begin(tmp_path / "one", grid("tictactoe"), settings(games=1000, threads=2))
    threads = threading.active_count()

    def break_off(event: Event) -> None:
        if event.done > 0:
            raise KeyboardInterrupt

    # Who holds the exception holds the frames in which it was raised, with all they were doing.
    with pytest.raises(KeyboardInterrupt) as held:
        iterate(run, Assessor(run), progress=0, on_event=break_off)
    assert held.tb is not None
    assert threading.active_count() == threads
    assert 0 < run.store.game_count() < 1000
    run.close()


def test_haste_and_surprise_in_the_targets() -> None:
    game = grid("connect4")
    moves = (3, 0, 3, 0, 3, 0, 3)
    plies = tuple(
        RecordedPly(((3, 1.0),), 0.0, "open", is_full=True, sims=8, surprise=surprise)
        for surprise in (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 6.0)
    )
    record = GameRecord("connect4", 0, 0, moves, plies, Outcome.first_wins)
    targets = TargetSettings(result_share=1, surprise=0.5)
    samples = samples_of(game, record, ("mover",), targets, haste=0.6)
    worth = 1 - 0.6 * 7 / 42
    value = samples.value[:, 0] - samples.value[:, 2]
    assert value.tolist() == pytest.approx([worth, -worth] * 3 + [worth])
    assert samples.weight.tolist() == pytest.approx([0.5, 1.0, 0.5, 0.5, 0.5, 0.5, 3.5])
    assert samples.weight.mean() == pytest.approx(1)


def test_all_positions_of_tic_tac_toe() -> None:
    positions = every_position(grid("tictactoe"))
    assert len(positions) == 4520
    assert len({labelled.position.key for labelled in positions}) == 4520
    assert positions[0].score == 0
    with pytest.raises(tengen.SpecError, match="more than"):
        every_position(grid("mnk:4x4x4"))


def test_openings_are_different_unfinished_and_repeatable() -> None:
    game = tengen.game("connect4")
    openings = random_openings(game, 20, plies=4, seed=3)
    assert len({position.key for position in openings}) == 20
    assert all(len(p.moves) == 4 and not p.is_over for p in openings)
    assert [p.moves for p in random_openings(game, 20, plies=4, seed=3)] == [
        p.moves for p in openings
    ]
    few = random_openings(game, 20, plies=1, seed=3)
    assert len({position.key for position in few}) == 7, "there are no more"


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("spec", ["connect4", OTHELLO])
def test_a_match_is_paired_and_scored_for_the_first(spec: str, threads: int) -> None:
    game: AnyGame = tengen.game(spec)
    weak, strong = "random", "uct,sims=20"
    openings = random_openings(game, 3, plies=2, seed=1)
    pairs = [
        (tengen.player(strong, game, seed=n), tengen.player(weak, game, seed=n))
        for n in range(threads)
    ]
    seen: list[MatchScore] = []
    score = play_match(pairs, openings, on_game=seen.append)
    assert score.games == 6
    assert sum(seen, MatchScore()) == score
    assert score.win_rate > 0.5
    swapped = play_match([(one, other) for other, one in pairs], openings)
    assert swapped.win_rate < 0.5


def test_who_moves_first_in_the_opening_decides_whose_win_it_is() -> None:
    """The winner is whoever has the next move, by one stone in column 4."""
    game = tengen.game("connect4")
    opening = game.position("414141")
    solvers = (tengen.player("solver", game, seed=1), tengen.player("solver", game, seed=2))
    assert play_match([solvers], [opening]) == MatchScore(wins=1, losses=1)
    assert str(MatchScore(2, 1, 0)) == "+2 =1 -0"


@pytest.mark.parametrize(
    ("score", "threshold", "accepted"),
    [
        (MatchScore(11, 0, 9), 0.55, False),
        (MatchScore(11, 1, 8), 0.55, True),
        (MatchScore(0, 20, 0), 0.5, False),
        (MatchScore(1, 19, 0), 0.5, True),
        (MatchScore(0, 0, 0), 0.55, False),
    ],
)
def test_the_gate_takes_what_is_over_the_threshold(
    score: MatchScore, threshold: float, accepted: bool
) -> None:
    assert is_accepted(score, GateSettings(kind="win_rate", threshold=threshold)) is accepted


@pytest.mark.parametrize(("threshold", "accepted"), [(0.0, True), (1.0, False)])
def test_with_a_gate_the_best_plays_until_it_is_beaten(
    tmp_path: Path, threshold: float, accepted: bool
) -> None:
    gate = {"kind": "win_rate", "threshold": threshold, "games": 4, "sims": 4}
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings(gate=gate))
    assert run.player == run.best
    before = run.best.read_bytes()
    iterate(run, Assessor(run), progress=0)
    kept = {name: value for _, name, value in run.store.metrics()}
    assert kept["accepted"] == accepted
    assert 0 <= kept["win_rate"] <= 1
    assert (run.best.read_bytes() != before) is accepted
    assert run.state.best_step == (run.learner.step if accepted else 0)


@pytest.mark.parametrize("preset", ["connectx", "connect4", "tictactoe"])
def test_a_match_is_searched_as_self_play_is(preset: str) -> None:
    chosen = settings_of(tengen.game("connect4"), preset=preset).selfplay
    spec = parse_player_spec(f"net:some.onnx{as_in_selfplay(chosen)}")
    played = NetSettings.read(spec.values, where="net")
    unused = {*SEARCH_OWN_KEYS["puct" if played.search == "gumbel" else "gumbel"], "batch"}
    assert played.model_dump(exclude=unused) == chosen.search.model_dump(exclude=unused)
    assert played.batch == 1, "a tree of self-play waits for its every leaf"


def test_the_design_connectx_has_no_proofs_and_a_draw_of_its_own() -> None:
    search = settings_of(tengen.game("connect4"), preset="connectx").selfplay.search
    assert not search.proof
    assert search.draw == 1e-4


def test_a_match_is_played_only_when_it_is_due(tmp_path: Path) -> None:
    gate = {"kind": "win_rate", "threshold": 1, "games": 2, "sims": 2, "every": 2}
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings(gate=gate))
    assert pit(run, on_event=ignore) == {}
    for _ in range(2):
        iterate(run, Assessor(run), progress=0)
    assert [i for i, name, _ in run.store.metrics() if name == "win_rate"] == [1]


def test_a_lower_score_may_be_chance_on_a_sample_only() -> None:
    assert lowest_kept(0.9, sample=100) == pytest.approx(0.87)
    assert lowest_kept(0.9, sample=10_000) == pytest.approx(0.897)
    assert lowest_kept(0.9, sample=None) == 0.9
    assert lowest_kept(-1, sample=100) == -1, "of a run that has not been measured"


def test_exact_scores_choose_the_best(tmp_path: Path) -> None:
    evaluate = {"positions": "all", "sims": [0, 2], "share": 1, "baselines": []}
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings(evaluate=evaluate))
    events: list[Event] = []
    train(run, Budget(iterations=2), on_event=events.append)
    scores = {
        i: (value + perfect) / 2
        for (i, name, value) in run.store.metrics()
        if name == "good_0"
        for (j, other, perfect) in run.store.metrics()
        if (i, "perfect_0") == (j, other)
    }
    assert run.state.best_score == pytest.approx(max(scores.values()))
    final = events[-1].figures
    assert events[-1].stage == "end"
    assert (final["good_0"] + final["perfect_0"]) / 2 == pytest.approx(max(scores.values()))
    assert final["good_2"] > final["good_0"], "even two simulations see wins at once"
    assert read_run(run.folder).best_figures == final


def test_the_network_that_a_run_begins_with_stays_the_best_until_one_is_as_good(
    tmp_path: Path,
) -> None:
    evaluate = {"positions": "all", "sims": [0], "share": 0}
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings(evaluate=evaluate))
    before = run.best.read_bytes()
    assessor = Assessor(run)
    assessor.begin(on_event=ignore)
    assert 0.5 < run.state.best_score < 1
    run.state = replace(run.state, best_score=0.999)  # as if it had been a good one
    iterate(run, assessor, progress=0)
    assert run.newest.read_bytes() != before
    assert run.best.read_bytes() == before


def test_fixed_opponents_where_there_are_no_exact_scores(tmp_path: Path) -> None:
    evaluate = {"sims": [0], "share": 1, "baselines": ["random"], "games": 2}
    run = Run.begin(tmp_path / "run", grid("mnk:5x5x4"), settings(evaluate=evaluate))
    events: list[Event] = []
    train(run, Budget(iterations=1), on_event=events.append)
    assert 0 <= events[-1].figures["against_random"] <= 1
    assert run.best.read_bytes() == run.newest.read_bytes(), "the newest is taken to be the best"


def test_a_game_in_python_trains_stops_and_goes_on(tmp_path: Path) -> None:
    run = Run.begin(tmp_path / "run", tengen.game(OTHELLO), settings(games=2))
    iterate(run, Assessor(run), progress=0)
    run.close()
    resumed = Run.resume(tmp_path / "run")
    assert resumed.game.name == "othello6"
    iterate(resumed, Assessor(resumed), progress=0.5)
    assert resumed.state.games == 4
    game = tengen.game(OTHELLO)
    player = tengen.player(f'net:"{resumed.best}",sims=4', game, seed=1)
    assert player.decide(game.position()).move in game.position().legal_moves


def test_learning_waits_for_enough_positions(tmp_path: Path) -> None:
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings(start_positions=60))
    for _ in range(3):
        iterate(run, Assessor(run), progress=0)
    steps = [value for _, name, value in run.store.metrics() if name == "steps"]
    assert steps[0] == 0
    assert steps[-1] > 0


def test_the_first_iteration_can_be_played_with_rollouts(tmp_path: Path) -> None:
    chosen = settings(
        rollouts={"games": 12, "sims": 40, "passes": 2}, window={"least": 10, "share": 0.1}
    )
    run = Run.begin(tmp_path / "run", grid("tictactoe"), chosen)
    iterate(run, Assessor(run), progress=0)
    assert run.state.games == 12
    figures = {name: value for _, name, value in run.store.metrics()}
    positions = run.store.position_count()
    assert figures["sims"] == 40
    assert figures["evaluations_per_second"] == 0
    assert figures["steps"] == round(positions * 2 / 16)
    assert 10 < figures["positions"] <= positions, "all of them, with equals taken together"
    iterate(run, Assessor(run), progress=0.5)
    assert run.state.games == 16
    figures = {name: value for _, name, value in run.store.metrics()}
    assert figures["sims"] == 4
    assert figures["evaluations_per_second"] > 0
    assert run.window_size < positions


def test_a_stopped_first_iteration_of_rollouts_goes_on_the_same(tmp_path: Path) -> None:
    def records(run: Run) -> list[GameRecord]:
        return sorted(run.store.newest_games(10**6), key=lambda record: record.index)

    class Stopped(Exception):
        pass

    def stop(event: Event) -> None:
        if event.done >= 3:
            raise Stopped

    chosen = settings(rollouts={"games": 6, "sims": 20})
    whole = Run.begin(tmp_path / "whole", grid("connect4"), chosen)
    iterate(whole, Assessor(whole), progress=0)
    stopped = Run.begin(tmp_path / "stopped", grid("connect4"), chosen)
    with pytest.raises(Stopped):
        iterate(stopped, Assessor(stopped), progress=0, on_event=stop)
    stopped.close()
    resumed = Run.resume(tmp_path / "stopped")
    iterate(resumed, Assessor(resumed), progress=0)
    assert records(resumed) == records(whole)
    assert resumed.newest.read_bytes() == whole.newest.read_bytes()


def test_simulations_grow_with_the_games() -> None:
    growing = settings(grow_from=100)
    assert growing.selfplay.sims == 4
    assert [growing.sims_at(games) for games in (0, 100, 150, 400, 10_000)] == [4, 4, 6, 16, 400]
    assert settings().sims_at(10_000) == 4


def test_a_budget_counts_from_the_beginning_of_the_run() -> None:
    state = RunState(iteration=3, games=1500, seconds=90)
    assert Budget(minutes=3).progress(state) == 0.5
    assert Budget(iterations=4).progress(state) == 0.75
    assert Budget(games=3000).progress(state) == 0.5
    assert Budget(iterations=3).is_spent(state)
    assert not Budget(minutes=2).is_spent(state, next_seconds=59)
    assert Budget(minutes=2).is_spent(state, next_seconds=60), "it would end late by more"
    assert str(Budget(minutes=2)) == "2 minutes"
    with pytest.raises(tengen.SpecError, match="give one of"):
        Budget.read({}, where="train")


def test_training_from_python(tmp_path: Path) -> None:
    stages: list[str] = []
    best = tengen.train(
        "tictactoe",
        {**TINY, "evaluate": {"positions": "none", "baselines": [], "share": 0}},
        name="mine",
        runs=tmp_path,
        iterations=1,
        on_event=lambda event: stages.append(event.stage),
    )
    assert best == tmp_path / "mine" / "best.onnx"
    assert {"self-play", "learn", "iteration", "end"} <= set(stages)
    assert np.isfinite(tengen.player(str(best), tengen.game("tictactoe")).decide(
        tengen.game("tictactoe").position()
    ).value or 0)  # fmt: skip
    with pytest.raises(tengen.SpecError, match="is there already"):
        tengen.train("tictactoe", TINY, name="mine", runs=tmp_path, iterations=2)
    again = tengen.train("tictactoe", name="mine", runs=tmp_path, iterations=2, resume=True)
    assert again == best
