"""What a network is taught, by worked examples; and the file that keeps the games."""

import multiprocessing
import os
import signal
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tengen
from tengen.rules import GridGame, Outcome
from tengen.selfplay import GameRecord, RecordedPly
from tengen.training import (
    RunStore,
    Samples,
    TargetSettings,
    WindowSettings,
    averaged,
    samples_of,
    soft_policy,
    turned,
)

PLANES = ("mover", "opponent")


def grid(spec: str) -> GridGame:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    return game


def ply(
    value: float = 0.0, proof: str = "open", *, is_full: bool = True, move: int = 3
) -> RecordedPly:
    return RecordedPly(((move, 0.75), (2, 0.25)), value, proof, is_full, sims=8)


def record(index: int = 0) -> GameRecord:
    """Four in column 4 against three in column 1; the first move was drawn."""
    plies = (ply(-0.5), ply(0.5), ply(0.0, is_full=False), ply(0.25), ply(-0.25), ply(1.0, "win"))
    return GameRecord("connect4", index, 1, (3, 0, 3, 0, 3, 0, 3), plies, Outcome.first_wins)


def test_targets_are_seen_from_the_mover() -> None:
    samples = samples_of(grid("connect4"), record(), PLANES, TargetSettings(result_share=0.5))
    assert len(samples) == 5, "the quick search teaches nothing"
    # The second player: lost, and the search said -0.5, which is a quarter of a win.
    assert samples.value[0].tolist() == [0.125, 0.0, 0.875]
    # The first player: won, and the search said 0.5.
    assert samples.value[1].tolist() == [0.875, 0.0, 0.125]
    assert samples.value[4].tolist() == [1.0, 0.0, 0.0], "what is proven needs no mixing"
    assert samples.moves_left.tolist() == [6, 5, 3, 2, 1]
    assert samples.policy[0].tolist() == [0, 0, 0.25, 0.75, 0, 0, 0]
    assert samples.planes[0].sum(axis=(1, 2)).tolist() == [0, 1], "one stone, the opponent's"
    assert samples.weight.tolist() == [1.0] * 5


def test_the_final_board_is_seen_from_the_mover() -> None:
    """Row 0 is the top; column 4 has a line of the first player, column 1 three of the second."""
    samples = samples_of(grid("connect4"), record(), PLANES, TargetSettings())
    column = np.zeros((2, 6, 7), np.uint8)
    column[0, 2:, 3] = 255
    column[1, 3:, 0] = 255
    none = np.zeros((6, 7), np.uint8)
    second, first = samples.ending[:2]
    assert (first == np.stack((column[0], column[1], column[0], none))).all()
    assert (second == np.stack((column[1], column[0], none, column[0]))).all()


def test_nobody_sees_the_end_of_a_game_that_was_given_up() -> None:
    game, settings = grid("connect4"), TargetSettings()
    given_up = replace(record(1), is_resigned=True)
    parts = [samples_of(game, r, PLANES, settings) for r in (record(), given_up)]
    assert not parts[1].ending.any()
    assert not parts[1].moves_left.any()
    together, alone = averaged(Samples.joined(parts)), averaged(parts[0])
    assert (together.ending == alone.ending).all()
    assert (together.moves_left == alone.moves_left).all()


def test_a_result_counts_only_after_the_last_stray() -> None:
    """Before it, what counts is the search's value where the stray move was made."""
    game, settings = grid("connect4"), TargetSettings(result_share=0.5)
    plies = list(record().plies)
    plies[1] = replace(plies[1], value=0.75, is_stray=True)
    samples = samples_of(game, replace(record(), plies=tuple(plies)), PLANES, settings)
    # The second player: -0.5 by the search, -0.75 by what came.
    assert samples.value[0].tolist() == [0.1875, 0.0, 0.8125]
    # The first player, who strays: 0.75 is all that is known.
    assert samples.value[1].tolist() == [0.875, 0.0, 0.125]
    without = samples_of(game, record(), PLANES, settings)
    assert samples.value[2:].tolist() == without.value[2:].tolist()
    assert samples.ending.any(axis=(1, 2, 3)).tolist() == [False, False, True, True, True]
    assert samples.moves_left.tolist() == [0, 0, 3, 2, 1], "0: nobody knows"


def test_a_draw_proven_before_a_stray_counts_as_a_draw() -> None:
    game, settings = grid("connect4"), TargetSettings(result_share=0.5)
    plies = list(record().plies)
    plies[1] = replace(plies[1], value=0.0, proof="draw", is_stray=True)
    samples = samples_of(game, replace(record(), plies=tuple(plies)), PLANES, settings)
    assert samples.value[:2].tolist() == [[0.125, 0.5, 0.375], [0.0, 1.0, 0.0]]


def test_quick_searches_can_weigh_something() -> None:
    settings = TargetSettings(fast_weight=0.3)
    samples = samples_of(grid("connect4"), record(), PLANES, settings)
    assert samples.weight.tolist() == pytest.approx([1, 1, 0.3, 1, 1, 1])


def test_draws_are_mixed_too() -> None:
    game = grid("connect4")
    drawn = GameRecord("connect4", 0, 0, (3,), (ply(0.5),), Outcome.draw)
    samples = samples_of(game, drawn, PLANES, TargetSettings(result_share=0.5))
    assert samples.value[0].tolist() == [0.375, 0.5, 0.125]


@pytest.mark.parametrize("all_alike", [False, True])
def test_the_same_position_is_averaged_into_one(
    all_alike: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when the numbers by which positions are told apart fail to do so."""
    if all_alike:
        monkeypatch.setattr("tengen.training.samples._numbers", lambda keys: np.zeros(len(keys)))
    game = grid("connect4")
    settings = TargetSettings(result_share=1)
    won = GameRecord("connect4", 0, 0, (3,), (ply(move=3),), Outcome.first_wins)
    lost = GameRecord("connect4", 1, 0, (3,), (ply(move=4),), Outcome.second_wins)
    other = record()
    parts = [samples_of(game, r, PLANES, settings) for r in (won, lost, other)]
    together = averaged(Samples.joined(parts))
    assert len(together) == 1 + 5
    row = int(np.flatnonzero(together.planes.sum(axis=(1, 2, 3)) == 0)[0])
    assert together.value[row].tolist() == [0.5, 0.0, 0.5]
    assert together.policy[row].tolist() == [0, 0, 0.25, 0.375, 0.375, 0, 0]
    assert together.moves_left[row] == 1
    assert together.ending[row, :, 5, 3].tolist() == [255, 0, 0, 0], "both ended with this stone"
    assert together.weight[row] == 1


@pytest.mark.parametrize("spec", ["connect4", "mnk:5x5x4", "mnk:3x5x3"])
def test_turning_board_and_policy_goes_together(spec: str) -> None:
    """The planes of a turned position are the turned planes; so is the target."""
    game = grid(spec)
    chance = np.random.default_rng(1)
    moves: list[int] = []
    position = game.position()
    while len(moves) < 5 and not position.is_over:
        moves.append(int(chance.choice(position.legal_moves)))
        position = position.play(moves[-1])
    policy = chance.random(game.move_count).astype(np.float32)
    planes = game.planes(position.state, PLANES).astype(np.uint8)
    sample = Samples(
        planes[np.newaxis],
        policy[np.newaxis],
        np.zeros((1, 3), np.float32),
        np.zeros(1, np.float32),
        np.concatenate((planes, planes[::-1]))[np.newaxis] * np.uint8(255),
        np.ones(1, np.float32),
    )
    for number, symmetry in enumerate(game.symmetries):
        image = game.position([symmetry[move] for move in moves])
        found = turned(sample, game, np.array([number]))
        assert (found.planes[0] == game.planes(image.state, PLANES)).all()
        assert (found.ending[0][:2] == 255 * found.planes[0]).all()
        assert [found.policy[0][symmetry[m]] for m in range(len(policy))] == policy.tolist()


def test_a_soft_policy_is_flatter_and_keeps_zeros() -> None:
    soft = soft_policy(np.array([[0.0, 0.0625, 0.9375]], np.float32))
    assert soft[0][0] == 0
    assert soft.sum() == pytest.approx(1)
    assert soft[0][1] == pytest.approx(0.5 / (0.5 + 0.9375**0.25))


def test_the_window_grows_with_the_run() -> None:
    window = WindowSettings(least=100, share=0.4)
    assert [window.size(total) for total in (10, 100, 200, 1000)] == [10, 100, 100, 400]


def test_games_and_figures_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with RunStore(path) as store:
        store.add_games([record(0), record(1)], iteration=1)
        store.add_games([record(1), record(2)], iteration=2)
        store.log(1, {"loss": 2.0, "games": 2})
        store.log(1, {"loss": 1.5})
        store.note({"game": "connect4"})
    with RunStore(path) as store:
        assert [game.index for game in store.games_of(range(9))] == [0, 1, 2]
        assert store.position_count() == 18
        assert [game.index for game in store.newest_games(7)] == [2, 1]
        assert next(store.newest_games(1)) == record(2)
        assert list(store.metrics()) == [(1, "games", 2.0), (1, "loss", 1.5)]
        assert store.notes() == {"game": "connect4"}


def test_reading_can_be_broken_off_and_the_file_closed(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "run.sqlite")
    store.add_games([record(0), record(1)], iteration=1)
    unfinished = store.newest_games(100)
    next(unfinished)
    store.close()
    unfinished.close()


def test_a_damaged_record_is_told_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with RunStore(path) as store:
        store.add_games([record(0)], iteration=1)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE games SET record = x'00ff'")
    with (
        RunStore(path) as store,
        pytest.raises(tengen.TengenError, match=r"run\.sqlite is damaged"),
    ):
        list(store.newest_games(100))


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "text.sqlite"
    text.write_text("not a database, but long enough to look at " * 9)
    with pytest.raises(tengen.TengenError, match="not a file of a run"):
        RunStore(text)
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE things (a)")
    before = foreign.read_bytes()
    with pytest.raises(tengen.TengenError, match="not one of a run"):
        RunStore(foreign)
    assert foreign.read_bytes() == before


def _write_until_killed(path: Path, acknowledged: Path) -> None:
    store = RunStore(path)
    for number in range(10**6):
        store.add_games([record(number)], iteration=0)
        acknowledged.write_text(str(number))
        if number == 20:
            os.kill(os.getpid(), signal.SIGKILL)


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    path, acknowledged = tmp_path / "run.sqlite", tmp_path / "acknowledged"
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_write_until_killed, args=(path, acknowledged))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    with RunStore(path) as store:
        kept = [game.index for game in store.games_of(range(1000))]
    assert kept == list(range(int(acknowledged.read_text()) + 1))
