"""What a game written in Python shows to a network without its author writing a line for it."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.rules import AnyGame, GridGame, ReferenceGame, Rules
from tests.strategies import random_position, rules
from tests.test_python_games import OTHELLO, TINY

DRAWN = ("mover", "opponent", "empty", "playable", "colour")


@given(rules(largest=6), st.data())
@settings(max_examples=60, deadline=None)
def test_planes_from_symbols_are_those_of_the_core(found: Rules, data: st.DataObject) -> None:
    native, plain = GridGame(found), ReferenceGame(found)
    position = random_position(native, data, most=20)
    expected = native.planes(position.state, DRAWN)
    given_planes = plain.planes(plain.position(position.moves).state, DRAWN)
    assert given_planes.dtype == expected.dtype == np.float32
    if position.is_over:  # the core still says which cells are free
        expected[DRAWN.index("playable")] = 0
    np.testing.assert_array_equal(given_planes, expected)


def test_othello_shows_its_discs_to_the_mover() -> None:
    game = tengen.game(OTHELLO)
    start = game.position()
    planes = game.planes(start.state, DRAWN)
    assert planes.shape == (5, 6, 6)
    assert [np.flatnonzero(plane).tolist() for plane in planes[:2]] == [[15, 20], [14, 21]]
    assert planes[2].sum() == 32
    assert np.flatnonzero(planes[3]).tolist() == list(start.legal_moves)
    assert planes[4].all()
    after = game.planes(start.play(start.legal_moves[0]).state, DRAWN)
    assert after[0].sum() == 1
    assert after[1].sum() == 4
    assert not after[4].any()


def test_a_pass_fills_no_cell() -> None:
    game, rng = tengen.game(OTHELLO), Random(1)
    position = game.position()
    while position.legal_moves != (36,):
        position = game.position() if position.is_over else position
        position = position.play(rng.choice(position.legal_moves))
        if position.is_over:
            position = game.position()
    assert not game.planes(position.state, ["playable"]).any()


def test_a_game_without_history_has_no_last_planes() -> None:
    game = tengen.game(OTHELLO)
    with pytest.raises(tengen.SpecError, match="othello6 keeps no history; it cannot fill the pl"):
        game.planes(game.start(), ["mover", "last1"])
    with pytest.raises(tengen.SpecError, match="plane 'discs' is not known; planes are mover"):
        game.planes(game.start(), ["discs"])


@pytest.mark.parametrize("spec", [OTHELLO, "connect4", "tictactoe", "mnk:3x4x3:blocked=a1"])
def test_an_image_of_a_game_is_a_game(spec: str) -> None:
    """Moves and cells turned alike lead to the position turned, with the same outcome."""
    game, rng = tengen.game(spec), Random(3)
    assert len(game.symmetries) == len(game.cell_symmetries)
    if spec == OTHELLO:
        assert len(game.symmetries) == 4
    for moves, cells in zip(game.symmetries, game.cell_symmetries, strict=True):
        position, image = game.position(), game.position()
        while not position.is_over:
            assert turned(game, image.state, cells) == game.symbols(position.state)
            move = rng.choice(position.legal_moves)
            position, image = position.play(move), image.play(moves[move])
        assert image.outcome is position.outcome


def turned(game: AnyGame, state: object, cells: Sequence[int]) -> list[str]:
    symbols = game.symbols(state)
    return [symbols[cell] for cell in cells]


def test_a_game_has_no_symmetries_but_those_it_declares() -> None:
    game = ReferenceGame(Rules(rows=3, cols=3, k=3))
    assert game.symmetries == game.cell_symmetries == [list(range(9))]


def changed(tmp_path: Path, change: str) -> AnyGame:
    file = tmp_path / "tiny.py"
    file.write_text("import numpy as np\n" + TINY.replace("CHANGE", change))
    return tengen.game(f"{file}:Bad")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("return np.zeros((1, 2))", "planes gives (1, 2); it must be an array of shape (1, 1, 2)"),
        ("return np.full((1, 1, 2), np.nan)", "it must be numbers that are 0 or 1"),
        ("return np.full((1, 1, 2), 0.5)", "it must be numbers that are 0 or 1"),
        ("return 'X'", "planes gives 'X'; it must be an array of numbers"),
        ("return 1 / 0", "planes: ZeroDivisionError"),
    ],
)
def test_wrong_planes_are_told_in_one_sentence(tmp_path: Path, change: str, message: str) -> None:
    game = changed(tmp_path, f"def planes(self, state, names): {change}")
    with pytest.raises(tengen.TengenError) as error:
        game.planes(game.start(), ["mover"])
    assert message in str(error.value)
    assert str(error.value).startswith("game tiny: ")


def test_symbols_that_mean_nothing_to_a_network_are_told(tmp_path: Path) -> None:
    game = changed(tmp_path, "def symbols(self, state): return '.K'")
    with pytest.raises(tengen.TengenError, match="not 'K'; a game with others must have a method"):
        game.planes(game.start(), ["mover"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("cell_symmetries = [[0, 1], [1, 1]]", "cell_symmetries gives [1, 1]; it must be perm"),
        ("cell_symmetries = [[1, 0]]", "of which the first changes nothing"),
        ("cell_symmetries = 3", "cell_symmetries gives 3; it must be a list of permutations"),
        ("cell_symmetries = []", "of which the first changes nothing"),
        ("symmetries = [[0, 1], [1, 0]]", "it must be as many as the 1 cell_symmetries"),
        ("symmetries = property(lambda self: 1 / 0)", "symmetries: ZeroDivisionError"),
        (
            "move_count = 5; cell_symmetries = [[0, 1], [1, 0]]",
            "it must have symmetries of the moves too",
        ),
    ],
)
def test_wrong_symmetries_are_told_in_one_sentence(
    tmp_path: Path, change: str, message: str
) -> None:
    game = changed(tmp_path, change)
    with pytest.raises(tengen.TengenError) as error:
        assert game.symmetries
    assert message in str(error.value)
