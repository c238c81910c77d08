"""The loop of self-play and learning: it learns, and nothing is lost when it is stopped."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import tengen
from tengen.network import OnnxEvaluator, load_weights
from tengen.rules import AnyPosition, GridGame
from tengen.solve import Solver
from tengen.training.assess import Assessor
from tengen.training.events import Event
from tengen.training.loop import iterate
from tengen.training.run import Run
from tengen.training.settings import TrainSettings
from tests.networks import boards

TINY = {
    "network_values": {"blocks": 1, "channels": 8},
    "games": 6,
    "threads": 1,
    "selfplay": {"sims": 8, "games": 4},
    "learn": {"batch": 16},
    "evaluate": {"positions": None, "sims": [0], "baselines": [], "share": 0},
}


def grid(spec: str) -> GridGame:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    return game


def tiny(**values: object) -> TrainSettings:
    return TrainSettings.model_validate({**TINY, **values})


def step(run: Run, *, progress: float = 0) -> None:
    iterate(run, Assessor(run), progress=progress)


def weights(run: Run) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in run.learner.network.state_dict().items()}


def assert_same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert torch.equal(value, other[name]), name


def test_a_resumed_run_is_the_run_that_was_never_stopped(tmp_path: Path) -> None:
    game = grid("connect4")
    whole = Run.begin(tmp_path / "whole", game, tiny())
    for _ in range(3):
        step(whole)

    stopped = Run.begin(tmp_path / "stopped", game, tiny())
    step(stopped)
    stopped.close()
    resumed = Run.resume(tmp_path / "stopped", game)
    # Stopped again in the middle of self-play: two of the six games had ended.
    [*games] = whole.store.newest_games(10**9)
    found = [record for record in games if record.index in (7, 10)]
    resumed.store.add_games(found, iteration=1)
    resumed.close()
    resumed = Run.resume(tmp_path / "stopped")
    for _ in range(2):
        step(resumed)

    assert [*resumed.store.newest_games(10**9)] == games
    assert_same(weights(resumed), weights(whole))
    assert resumed.state.games == whole.state.games == 18


@pytest.mark.parametrize(
    "values",
    [
        {},
        {
            "learn": {"batch": 16, "optimiser": "muon"},
            "rollouts": {"games": 6, "sims": 20},
            "gate": {"kind": "win_rate", "games": 4, "sims": 8, "opening_plies": 2},
        },
    ],
    ids=["plain", "muon, rollouts and a gate"],
)
def test_a_run_stopped_twice_by_its_user_is_the_run_that_was_never_stopped(
    tmp_path: Path, values: dict[str, object]
) -> None:
    """By its name and in iterations, so that the rate falls as it would have."""

    def stop_at(iteration: int, stage: str) -> Callable[[Event], None]:
        def stop(event: Event) -> None:
            if (event.iteration, event.stage) == (iteration, stage) and event.done > 0:
                raise KeyboardInterrupt

        return stop

    def networks_of(name: str) -> list[bytes]:
        files = ("newest.safetensors", "average.safetensors", "best.onnx")
        return [(tmp_path / name / "checkpoints" / "000003" / f).read_bytes() for f in files]

    def settings_in(checkpoint: str) -> str:
        return (tmp_path / "stopped" / "checkpoints" / checkpoint / "settings.json").read_text()

    spec, settings = "connect:4x5x3", tiny(**values)
    tengen.train(spec, settings, name="whole", runs=tmp_path, iterations=3)
    with pytest.raises(KeyboardInterrupt):
        tengen.train(
            spec, settings, name="stopped", runs=tmp_path, iterations=3,
            on_event=stop_at(1, "learn"),
        )  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        tengen.train(
            spec, name="stopped", runs=tmp_path, resume=True, on_event=stop_at(2, "self-play")
        )
    tengen.train(spec, name="stopped", runs=tmp_path, resume=True)
    assert networks_of("stopped") == networks_of("whole")
    assert TrainSettings.model_validate_json(settings_in("000003")) == settings


def test_a_run_with_the_games_of_another_learns_what_that_one_learnt(tmp_path: Path) -> None:
    """Game by game, as if it had played them; and when there are no more it plays its own."""
    game = grid("connect4")
    first = Run.begin(tmp_path / "first", game, tiny())
    for _ in range(3):
        step(first)
    second = Run.begin(tmp_path / "second", game, tiny(), games_of=tmp_path / "first")
    for _ in range(3):
        step(second)
    assert_same(weights(second), weights(first))
    assert "games_per_second" not in {name for _, name, _ in second.store.metrics()}
    step(first)
    step(second)
    assert_same(weights(second), weights(first))
    assert second.store.game_count() == 24


def test_only_games_of_the_same_game_can_be_taken_over(tmp_path: Path) -> None:
    game, folder = grid("tictactoe"), tmp_path / "second"
    Run.begin(tmp_path / "first", grid("connect4"), tiny()).close()
    with pytest.raises(tengen.SpecError, match="run first is of connect4, not tictactoe"):
        Run.begin(folder, game, tiny(), games_of=tmp_path / "first")
    with pytest.raises(tengen.SpecError, match=r"run .*none does not exist"):
        Run.begin(folder, game, tiny(), games_of=tmp_path / "none")
    (tmp_path / "notes").mkdir()
    with pytest.raises(tengen.SpecError, match=r"run .*notes is not the folder of a run"):
        Run.begin(folder, game, tiny(), games_of=tmp_path / "notes")
    assert not folder.exists()


def test_a_run_begins_with_the_weights_of_another_on_a_larger_board_too(tmp_path: Path) -> None:
    first = Run.begin(tmp_path / "first", grid("connect:4x4x4"), tiny())
    step(first)
    file = first.checkpoints()[-1] / "average.safetensors"
    for spec in ("connect:4x4x4", "connect:4x5x4"):
        second = Run.begin(tmp_path / spec, grid(spec), tiny(), weights=file)
        learnt = first.learner.averaged.state_dict()
        assert_same(dict(second.learner.network.state_dict()), dict(learnt))
        assert_same(dict(second.learner.averaged.state_dict()), dict(learnt))
        step(second)
        assert second.state.step > 0


def test_a_run_begins_with_a_larger_network_that_answers_as_the_smaller_one(tmp_path: Path) -> None:
    game = grid("connect:4x4x4")
    first = Run.begin(tmp_path / "first", game, tiny())
    step(first)
    file = first.checkpoints()[-1] / "average.safetensors"
    larger = tiny(network_values={"blocks": 3, "channels": 24})
    second = Run.begin(tmp_path / "second", game, larger, weights=file)
    seen = boards(game.name, first.config.planes, 20)
    before = OnnxEvaluator(first.newest, game).evaluate(seen)
    after = OnnxEvaluator(second.newest, game).evaluate(seen)
    for old, new in zip(before, after, strict=True):
        np.testing.assert_allclose(new, old, atol=1e-4)
    step(second)
    assert second.state.step > 0
    moved = OnnxEvaluator(second.newest, game).evaluate(seen)
    assert np.abs(moved[0] - after[0]).max() > 1e-3


def test_weights_of_another_kind_are_refused(tmp_path: Path) -> None:
    first = Run.begin(tmp_path / "first", grid("connect:4x4x4"), tiny())
    file, folder = first.checkpoints()[-1] / "average.safetensors", tmp_path / "second"
    with pytest.raises(tengen.SpecError, match="it cannot play tictactoe"):
        Run.begin(folder, grid("tictactoe"), tiny(), weights=file)
    for values in ({"channels": 8, "planes": ["mover"]}, {"channels": 24, "ending": False}):
        other = tiny(network_values={"blocks": 1, **values})
        with pytest.raises(tengen.SpecError, match="a resnet with more blocks or channels"):
            Run.begin(folder, grid("connect:4x4x4"), other, weights=file)
    with pytest.raises(tengen.SpecError, match="it does not exist"):
        Run.begin(folder, grid("connect:4x4x4"), tiny(), weights=tmp_path / "none.safetensors")
    assert not folder.exists()


def test_checkpoints_are_thinned_and_hold_what_plays(tmp_path: Path) -> None:
    run = Run.begin(tmp_path / "run", grid("tictactoe"), tiny(checkpoints=2))
    for _ in range(6):
        step(run)
    assert [path.name for path in run.checkpoints()] == [
        "000001",
        "000002",
        "000004",
        "000005",
        "000006",
    ]
    network, card = load_weights(run.checkpoints()[-1] / "average.safetensors")
    assert card.step == run.learner.step
    assert_same(dict(network.state_dict()), dict(run.learner.averaged.state_dict()))


def test_figures_are_kept_per_iteration(tmp_path: Path) -> None:
    run = Run.begin(tmp_path / "run", grid("tictactoe"), tiny())
    events: list[Event] = []
    iterate(run, Assessor(run), progress=0, on_event=events.append)
    stages = [event.stage for event in events]
    assert list(dict.fromkeys(stages)) == ["self-play", "learn", "iteration"]
    for before, after in itertools.pairwise(events[:-1]):
        assert before.stage != after.stage or before.done < after.done <= after.total
    kept = {name: value for iteration, name, value in run.store.metrics() if iteration == 0}
    assert kept["games"] == 6
    assert {"loss", "loss_policy", "game_length", "cache_hits", "rate"} <= kept.keys()
    run.close()
    shown = EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()
    assert {"loss/loss_policy", "learning/rate", "self-play/game_length", "buffer/buffer_age"} <= {
        *shown.Tags()["scalars"]
    }
    [loss] = shown.Scalars("loss/loss")
    assert (loss.step, loss.value) == (0, pytest.approx(kept["loss"]))


def test_folders_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    game = grid("tictactoe")
    run = Run.begin(tmp_path / "run", game, tiny())
    run.close()
    with pytest.raises(tengen.SpecError, match="run is there already"):
        Run.begin(tmp_path / "run", game, tiny())
    with pytest.raises(tengen.SpecError, match="is of tictactoe, not connect4"):
        Run.resume(tmp_path / "run", grid("connect4"))
    with pytest.raises(tengen.SpecError, match="not the folder of a run"):
        Run.resume(tmp_path)
    with pytest.raises(tengen.SpecError, match="not the folder of a run"):
        Run.begin(tmp_path, game, tiny())


def test_it_learns_tic_tac_toe(tmp_path: Path) -> None:
    """From the rules alone; fewer than half a minute on one core."""
    game = grid("tictactoe")
    settings = TrainSettings.model_validate(
        {
            "network_values": {"blocks": 2, "channels": 32},
            "games": 150,
            "passes": 4,
            "threads": 1,
            "selfplay": {
                "games": 64,
                "sims": 16,
                "opening_share": 0.8,
                "opening_plies": 6,
                "search": {"search": "gumbel", "m": 9, "cscale": 0.25},
            },
            "learn": {"batch": 128, "rate": 0.003, "warm_up": 20, "average": 0.97},
            "window": {"least": 3000},
        }
    )
    run = Run.begin(tmp_path / "run", game, settings)
    for iteration in range(14):
        step(run, progress=iteration / 14)
    player = tengen.player(f"net:{run.folder / 'newest.onnx'},sims=0", game)
    solver, seen, good = Solver(game), set(), 0
    stack: list[AnyPosition] = [game.position()]
    while stack:
        position = stack.pop()
        if position.is_over or position.key in seen:
            continue
        seen.add(position.key)
        scores = solver.solve(position).scores
        chosen = scores[player.decide(position).move]
        good += _sign(chosen) == _sign(max(scores.values()))
        stack += [position.play(move) for move in position.legal_moves]
    assert len(seen) == 4520
    assert good / len(seen) > 0.9


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
