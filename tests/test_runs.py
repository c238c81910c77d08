"""Runs as folders: begun whole, trained by one process, complete when they have been measured."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tengen
from tengen.cli.training_display import plan_lines
from tengen.network import load_weights, read_network, resolve_weights
from tengen.training import plan
from tengen.training.assess import Assessor
from tengen.training.budget import Budget
from tengen.training.events import ignore
from tengen.training.history import RunHistory, list_runs, read_run
from tengen.training.loop import iterate
from tengen.training.play import play
from tengen.training.run import Run
from tengen.training.session import run_name, settings_of
from tests.test_stages import OTHELLO, grid, settings


@pytest.mark.parametrize(
    ("spec", "values", "message"),
    [
        (OTHELLO, {"rollouts": {"games": 4}}, "for othello6 it must be 0, rollouts are for"),
        (
            "gomoku",
            {"network": "gomoku-policy", "network_values": {}},
            "gomoku-policy has no value",
        ),
        ("tictactoe", {"evaluate": {"baselines": ["uctt"]}}, "uctt"),
        ("tictactoe", {"evaluate": {"positions": "nope"}}, "nope"),
        (
            "tictactoe",
            {"gate": {"kind": "win_rate", "opening_plies": 9}},
            "tictactoe has no openings of 9 plies",
        ),
        ("connect4", {"evaluate": {"sims": [0, -5]}}, r"evaluate\.sims"),
        ("connect4", {"seed": 1 << 63}, r"train\.seed is 9223372036854775808"),
        ("connect4", {"games": 10**23}, r"train\.games is 1000+; it must be at most 1000000000"),
        ("connect4", {"passes": 1e300}, r"train\.passes is 1e\+300; it must be at most 10000"),
        ("connect4", "games=3", "config is 'games=3'; it must be settings, or a mapping"),
    ],
)
def test_what_would_fail_later_is_refused_before_there_is_a_run(
    tmp_path: Path, spec: str, values: Any, message: str
) -> None:
    with pytest.raises(tengen.SpecError, match=message):
        tengen.train(spec, values, name="run", runs=tmp_path, iterations=1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    ["", " ", "a/b", "../up", ".hidden", "a,b", 'a"b', "a@3", "a ", "a\nb", "a\0b", "a" * 101],
)
def test_a_run_cannot_have_a_name_that_it_could_not_be_found_by(name: str, tmp_path: Path) -> None:
    with pytest.raises(tengen.SpecError, match="cannot be called that"):
        tengen.train("tictactoe", name=name, runs=tmp_path / "runs", iterations=1)
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_trained_by_one_process_at_a_time(tmp_path: Path) -> None:
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings())
    with pytest.raises(tengen.TengenError, match="run is being trained by another process"):
        Run.resume(tmp_path / "run")
    run.close()
    Run.resume(tmp_path / "run").close()


def test_what_a_killed_process_leaves_behind_is_swept_away(tmp_path: Path) -> None:
    (tmp_path / ".run.part").mkdir()
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings())
    run.close()
    for name in ("000001.part", "000000.old"):
        (tmp_path / "run" / "checkpoints" / name).mkdir()
    Run.resume(tmp_path / "run").close()
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert [path.name for path in (tmp_path / "run" / "checkpoints").iterdir()] == ["000000"]


def test_a_run_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    for name in ("damaged", "whole"):
        Run.begin(tmp_path / name, grid("tictactoe"), settings()).close()
    file = tmp_path / "damaged" / "run.sqlite"
    content = file.read_bytes()
    page = int.from_bytes(content[16:18], "big")
    file.write_bytes(content[:page] + b"\xff" * (len(content) - page))
    with pytest.raises(tengen.TengenError, match=r"run\.sqlite cannot be read: "):
        Run.resume(tmp_path / "damaged")
    problem, whole = list_runs(tmp_path)
    assert isinstance(problem, tengen.TengenError)
    assert isinstance(whole, RunHistory)
    assert whole.name == "whole"
    with pytest.raises(tengen.SpecError, match="is not a folder of runs"):
        next(list_runs(file))


@pytest.mark.parametrize(
    ("note", "value"),
    [("settings", "{nonsense"), ("settings", "[1]"), ("budget", "{{"), ("best", '{"good_0": "x"}')],
)
def test_a_damaged_note_is_told_in_one_sentence(note: str, value: str, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    run = Run.begin(folder, grid("tictactoe"), settings())
    run.store.note({note: value})
    run.close()
    [problem] = list_runs(tmp_path)
    assert isinstance(problem, tengen.TengenError)
    assert re.search(r"run \S+damaged is damaged: its (note|figure) '\w+' is no ", str(problem))
    if note != "best":  # which is forgotten when the run goes on
        with pytest.raises(tengen.TengenError, match="is damaged: its note"):
            tengen.train("tictactoe", name="damaged", runs=tmp_path, resume=True)


@pytest.mark.parametrize(
    "state", ["[]", "null", "{}", '{"iteration": "x"}', None, '"games": -3', '"seconds": null']
)
def test_a_checkpoint_that_does_not_say_where_it_is_is_refused(
    state: str | None, tmp_path: Path
) -> None:
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings())
    file = run.checkpoints()[-1] / "state.json"
    run.close()
    if state is None:
        file.unlink()
    elif state.startswith('"'):
        file.write_text(re.sub(rf"{state.partition(':')[0]}: [^,}}]+", state, file.read_text()))
    else:
        file.write_text(state)
    for read in (read_run, Run.resume):
        with pytest.raises(tengen.TengenError, match=r"checkpoint \S+ cannot be read: "):
            read(tmp_path / "run")


def test_a_damaged_network_of_a_checkpoint_replaces_none(tmp_path: Path) -> None:
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings())
    kept = run.best.read_bytes()
    (run.checkpoints()[-1] / run.best.name).write_text("junk")
    run.close()
    with pytest.raises(tengen.TengenError, match=r"best\.onnx"):
        Run.resume(tmp_path / "run")
    assert run.best.read_bytes() == kept


def test_a_network_that_was_taught_haste_keeps_it_unless_told_otherwise(tmp_path: Path) -> None:
    few = {
        "network_values": {"blocks": 1, "channels": 8},
        "games": 2,
        "passes": 1,
        "selfplay": {"sims": 2},
        "evaluate": {"positions": None, "baselines": []},
    }

    def haste_of(name: str, weights: str | None, **search: float) -> float:
        values = {**few, "selfplay": {"sims": 2, "search": search}}
        tengen.train("tictactoe", values, name=name, runs=tmp_path, iterations=1, weights=weights)
        run = Run.resume(tmp_path / name)
        run.close()
        return run.settings.haste

    assert haste_of("plain", None) == 0
    assert haste_of("hasty", None, haste=0.3) == 0.3
    assert haste_of("second", "run/hasty") == 0.3
    assert haste_of("third", "run/second", haste=0.1) == 0.1
    with pytest.raises(tengen.SpecError, match="a draw must be worth less"):
        haste_of("fourth", "run/hasty", draw=0.8)


def test_a_network_to_begin_with_says_what_it_is(tmp_path: Path) -> None:
    """The preset says how to teach it; what is set besides lets it grow."""
    game = grid("tictactoe")
    small = settings(network_values={"blocks": 1, "channels": 24, "ending": False})
    Run.begin(tmp_path / "small", game, small).close()
    file = resolve_weights("run/small", runs=tmp_path)
    card = load_weights(file)[1]
    as_it_is = settings_of(game, preset="connect4", weights=card)
    assert read_network("resnet", as_it_is.network_values) == card.network_config
    usual = settings_of(game, preset="connect4")
    assert (as_it_is.games, as_it_is.rollouts.games) == (usual.games, 0)
    assert usual.rollouts.games > 0
    wider = settings_of(game, {"network_values": {"channels": 32}}, weights=card)
    expected = card.network_config.model_copy(update={"channels": 32})
    assert read_network("resnet", wider.network_values) == expected
    other = settings_of(game, {"network": "mnk"}, weights=card)
    assert other.network_values == {}
    with pytest.raises(tengen.SpecError, match="must be the same, or a resnet with more"):
        Run.begin(tmp_path / "other", game, other, weights=file)


def test_a_run_begins_with_the_weights_of_another_in_its_folder(tmp_path: Path) -> None:
    def begin(name: str) -> None:
        few = settings(seed=2, evaluate={"positions": "all", "sims": [0], "share": 0})
        tengen.train(
            "tictactoe", few, name=name, runs=tmp_path, iterations=1, weights="run/first",
            on_begin=lambda run, _: begun.append(run.newest.read_bytes()),
        )  # fmt: skip

    begun: list[bytes] = []
    first = Run.begin(tmp_path / "first", grid("tictactoe"), settings())
    expected = first.newest.read_bytes()
    first.close()
    begin("second")
    assert begun == [expected]
    (tmp_path / "first" / "best.safetensors").unlink()
    with pytest.raises(tengen.SpecError, match=r"weights \S+first/best.safetensors: .* not exist"):
        begin("third")


def test_the_best_of_a_run_can_be_taught_on_and_so_can_any_checkpoint(tmp_path: Path) -> None:
    evaluate = {"positions": "all", "sims": [0], "share": 0, "baselines": []}
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings(evaluate=evaluate))
    iterate(run, Assessor(run), progress=0)
    best, step = run.best_weights.read_bytes(), run.learner.step
    run.state = replace(run.state, best_score=2.0)  # no network will be as good
    iterate(run, Assessor(run), progress=0)
    assert run.learner.step > step
    assert resolve_weights("run/run", runs=tmp_path).read_bytes() == best
    newest = resolve_weights(f"run/run@{run.learner.step}", runs=tmp_path)
    assert load_weights(newest)[1].step == run.learner.step
    with pytest.raises(tengen.SpecError, match="run run has no step '7'; it has "):
        resolve_weights("run/run@7", runs=tmp_path)
    run.close()
    run.best_weights.write_text("junk")
    Run.resume(tmp_path / "run").close()
    assert run.best_weights.read_bytes() == best, "a checkpoint has it too"


def test_a_level_is_expected_to_take_what_another_took_by_its_simulations(tmp_path: Path) -> None:
    evaluate = {"positions": "all", "sims": [0, 100, 800]}
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings(evaluate=evaluate))
    assessor = Assessor(run)
    assert assessor._guess(800) == 8 * assessor._guess(100)
    assessor._last["100"] = 3.0
    assert assessor._guess(800) == 24.0
    run.close()


def test_the_name_of_a_run_that_nobody_named_can_be_used() -> None:
    game = tengen.game(OTHELLO)
    game.name = "hex (5x5)"
    assert run_name(game) == "hex-5x5"


def test_quick_searches_are_not_counted_as_lessons(tmp_path: Path) -> None:
    """Of what is learnt from nothing, no step is taken; of all else, as many as there are."""
    quick = {"sims": 4, "games": 4, "fast_sims": 2, "full_share": 0}
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings(selfplay=quick))
    iterate(run, Assessor(run), progress=0)
    assert run.learner.step == 0
    assert run.state.iteration == 1


def test_the_policy_alone_is_always_measured(tmp_path: Path) -> None:
    evaluate = {"positions": "all", "sims": [2], "share": 0, "baselines": []}
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings(evaluate=evaluate))
    iterate(run, Assessor(run), progress=0)
    assert run.state.best_score > 0


def test_an_iteration_that_was_broken_off_tells_of_all_its_games(tmp_path: Path) -> None:
    run = Run.begin(tmp_path / "run", grid("tictactoe"), settings())
    play(run, on_event=ignore)
    run.close()
    again = Run.resume(tmp_path / "run")
    figures = play(again, on_event=ignore)
    assert figures["games"] == 4
    assert figures["game_length"] > 4
    assert "games_per_second" not in figures, "none were played"


def test_a_run_is_complete_only_when_it_has_been_measured(tmp_path: Path) -> None:
    def again(iterations: int | None = None) -> None:
        tengen.train("tictactoe", name="run", runs=tmp_path, resume=True, iterations=iterations)

    few = settings(evaluate={"positions": "all", "sims": [0], "share": 0})
    tengen.train("tictactoe", few, name="run", runs=tmp_path, iterations=1)
    with pytest.raises(tengen.SpecError, match="run is complete: 1 iterations"):
        again()
    run = Run.resume(tmp_path / "run")
    run.go_on()
    run.close()
    assert not read_run(tmp_path / "run").best_figures
    again()
    found = read_run(tmp_path / "run")
    assert found.iteration == 1
    assert set(found.best_figures) == {
        "good_0", "perfect_0", "decisive_good_0", "decisive_perfect_0", "value_error_0"
    }  # fmt: skip
    again(iterations=2)
    assert read_run(tmp_path / "run").iteration == 2


@pytest.mark.parametrize("spec", ["tictactoe", OTHELLO])
def test_a_plan_is_made_and_nothing_of_it_kept(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "_SECONDS", 0.1)
    run = Run.begin(tmp_path / "run", tengen.game(spec), settings())
    before = run.newest.read_bytes()
    made = plan.make_plan(run)
    assert made.evaluations_per_second > 0
    assert made.samples_per_second > 0
    assert made.seconds_per_iteration > 0
    first, second, third = plan_lines(made, run, Budget(iterations=3))
    assert first.startswith(f"{run.game.name}, resnet, 3 iterations in all, 1 threads")
    assert "games/hour" in second
    caches = run.settings.threads * run.settings.selfplay.cache << 20
    assert made.most_bytes > caches + plan._PROGRAM_BYTES
    assert "to the end; at most " in third
    assert not third.endswith("about 0 MB of disk"), "checkpoints count too"
    assert run.store.game_count() == 0
    run.export()
    assert run.newest.read_bytes() == before


def test_the_plan_of_a_board_with_gravity_expects_games_of_more_than_beginners(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "_SECONDS", 0.1)
    rollouts = {"games": 6, "passes": 3}
    selfplay = {"sims": 4, "games": 4, "opening_share": 0.5, "opening_plies": 8}
    run = Run.begin(
        tmp_path / "run", tengen.game("connect4"), settings(rollouts=rollouts, selfplay=selfplay)
    )
    made = plan.make_plan(run)
    assert made.positions_per_game >= (42 - 2) / 2
    learnt = 6 * 3 * made.positions_per_game
    assert made.first_seconds == pytest.approx(learnt / made.samples_per_second)
    third = list(plan_lines(made, run, Budget(iterations=3)))[-1]
    assert " s an iteration, the first " in third
    run.state = replace(run.state, iteration=1)
    assert plan.make_plan(run).first_seconds == 0


@pytest.mark.parametrize(
    ("now", "first", "last", "times"),
    [
        (0, 0, 80, 1),  # none has more yet
        (0, 0, 100, 1),
        (0, 100, 300, 2),  # from 1 to 3 times as many
        (0, 0, 300, 5 / 3),  # a third of the games with 1, the rest with 2 times as many
        (200, 200, 400, 1.5),  # from 2 to 4 times, where there are 2 times as many now
        (0, 50, 50, 1),  # nothing is left
    ],
)
def test_simulations_that_grow_take_longer(now: int, first: int, last: int, times: float) -> None:
    assert plan.growth(100, now, (first, last)) == pytest.approx(times)
    assert plan.growth(None, now, (first, last)) == 1


def test_the_plan_counts_rollouts_growth_and_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "_SECONDS", 0.1)
    gate = {"kind": "win_rate", "games": 4, "sims": 8, "every": 2}
    chosen = settings(
        games=10,
        grow_from=20,
        gate=gate,
        rollouts={"games": 20, "passes": 3},
        selfplay={"sims": 4, "games": 4},
        evaluate={"share": 0},
    )
    run = Run.begin(tmp_path / "run", tengen.game("connect4"), chosen)
    made = plan.make_plan(run)
    learn = 10 * made.positions_per_game * chosen.passes / made.samples_per_second
    # 4 games with 8 simulations every other time, next to 10 with 4.
    pit = made.play_seconds * (4 * 8) / (10 * 4) / 2
    assert made.other_seconds == pytest.approx(learn + pit)
    # The rollouts, then 20 games with 1 to 2 times as many simulations.
    rest = 2 * (1.5 * made.play_seconds + made.other_seconds)
    for budget in (Budget(iterations=3), Budget(games=40)):
        assert made.seconds_left(run, budget) == pytest.approx(made.first_seconds + rest)
    run.state = replace(run.state, seconds=30.0)
    assert made.seconds_left(run, Budget(minutes=1)) == 30
