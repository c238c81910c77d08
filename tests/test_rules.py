"""The native rules: against the reference, against known counts, and by themselves."""

import pickle
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen import _core
from tengen.rules import AnyPosition, GridGame, Outcome, Position, ReferenceGame, Rules
from tengen.search import UctSettings
from tests.strategies import random_position, rules


@given(rules(), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_native_rules_agree_with_the_reference(rule: Rules, chance: random.Random) -> None:
    native, reference = GridGame(rule).position(), ReferenceGame(rule).position()
    while True:
        assert native.to_text() == reference.to_text()
        assert native.outcome == reference.outcome
        assert native.legal_moves == reference.legal_moves
        assert native.is_over or native.mover == reference.mover
        if native.is_over:
            break
        move = chance.choice(native.legal_moves)
        native, reference = native.play(move), reference.play(move)


@pytest.mark.parametrize("line", ["free", "exact", "blocked", "blocked-free"])
@pytest.mark.parametrize("gravity", [False, True])
def test_native_rules_agree_on_the_largest_board(line: str, gravity: bool) -> None:
    rule = Rules(rows=25, cols=25, k=3, gravity=gravity, line=line, blocked=(0, 312, 624))
    native, reference = GridGame(rule).position(), ReferenceGame(rule).position()
    chance = random.Random(5)
    while not native.is_over:
        move = chance.choice(native.legal_moves)
        native, reference = native.play(move), reference.play(move)
        assert native.outcome == reference.outcome
    assert native.to_text() == reference.to_text()


def test_tic_tac_toe_has_255168_complete_games() -> None:
    sequences, finished = _core.perft(tengen.game("tictactoe").position().state, 9)
    assert finished == 255_168
    assert sequences == 127_872  # those that fill the board


@pytest.mark.parametrize(
    ("depth", "count"),
    list(enumerate([7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572], start=1)),
)
def test_connect_four_has_the_known_number_of_sequences(depth: int, count: int) -> None:
    start = GridGame(Rules(rows=6, cols=7, k=4, gravity=True)).start()
    assert _core.perft(start, depth)[0] == count


@given(rules(largest=7, longest=5), st.data())
@settings(max_examples=60, deadline=None)
def test_both_native_boards_count_the_same_games(rule: Rules, data: st.DataObject) -> None:
    """The hot loops run on other boards than Position does; perft compares them."""
    position = random_position(GridGame(rule), data)

    def count(at: AnyPosition, depth: int) -> int:
        if at.is_over:
            return 0
        children = [at.play(move) for move in at.legal_moves]
        return len(children) if depth == 1 else sum(count(c, depth - 1) for c in children)

    assert isinstance(position.state, _core.Position)
    assert _core.perft(position.state, 2)[0] == count(position, 2)


def test_a_stone_lands_above_a_blocked_cell_when_the_stones_reach_it() -> None:
    game = tengen.game("connect:4x4x4:blocked=b2")
    assert game.position("2 2 2").to_text() == "\n".join(
        [
            ". X . .",
            ". O . .",
            ". # . .",
            ". X . .",
        ]
    )
    with pytest.raises(tengen.IllegalMove, match="move 4: column 2 is full"):
        game.position("2 2 2 2")


def test_a_column_whose_top_is_blocked_is_closed_below_it() -> None:
    game = tengen.game("connect:3x3x3:blocked=a3/b1/b2/b3")
    assert game.position().legal_moves == (0, 2)
    assert game.position("1 1").legal_moves == (2,)


@pytest.mark.parametrize(
    ("line", "stones", "wins"),
    [
        ("free", ". X X X X X .", True),
        ("free", ". X X X X X X", True),
        ("exact", ". X X X X X X", False),
        ("exact", "O X X X X X O", True),
        ("blocked", "O X X X X X O", False),
        ("blocked", "O X X X X X .", True),
        ("blocked", "X X X X X O .", True),  # the edge is no block
        ("blocked", "X X X X X X .", False),
        ("blocked-free", "O X X X X X O", False),
        ("blocked-free", "X X X X X X O", True),
        ("blocked-free", "# X X X X X O", True),  # a blocked cell is no enemy stone
    ],
)
def test_what_wins_by_line_rule(line: str, stones: str, wins: bool) -> None:
    drawn = stones.split()
    blocked = tuple(i for i, symbol in enumerate(drawn) if symbol == "#")
    game = GridGame(Rules(rows=3, cols=7, k=5, line=line, blocked=blocked))
    # The second player's other stones stand apart on the bottom row.
    missing = drawn.count("X") - drawn.count("O") - 1
    bottom = ["O" if i % 2 == 0 and i // 2 < missing else "." for i in range(7)]
    spare = missing - bottom.count("O")
    middle = ["O" if i < spare else "." for i in range(7)]
    text = " ".join([*drawn, *middle, *bottom])
    position = Position.from_text(game, text)
    assert (position.outcome is Outcome.first_wins) == wins


def test_the_winning_line_holds_every_winning_stone() -> None:
    game = tengen.game("mnk:5x5x3")
    # b5 completes the top row and the column below it at once.
    position = game.position("a5 a1 c5 d1 b4 e2 b3 e3 b5")
    assert position.to_text().split("\n")[0] == "X X X . ."
    assert position.outcome is Outcome.first_wins
    names = [game.move_text(cell) for cell in position.winning_line]
    assert names == ["a5", "b5", "c5", "b4", "b3"]
    assert game.position("a5").winning_line == ()


@given(rules(), st.data())
@settings(max_examples=60, deadline=None)
def test_symmetries_commute_with_play(rule: Rules, data: st.DataObject) -> None:
    game = GridGame(rule)
    position = random_position(game, data)
    for moves, cells in zip(game.symmetries, game.cell_symmetries, strict=True):
        image = game.position([moves[move] for move in position.moves])
        expected = [""] * len(cells)
        for cell, symbol in enumerate(game.symbols(position.state)):
            expected[cells[cell]] = symbol
        assert list(game.symbols(image.state)) == expected
        assert image.outcome == position.outcome


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        ("tictactoe", 8),
        ("mnk:3x4x3", 4),
        ("connect4", 2),
        ("connect:5x5x4", 2),
        ("mnk:5x5x4:blocked=c3", 8),
        ("mnk:5x5x4:blocked=a1", 2),
        ("mnk:5x5x4:blocked=b1", 1),
        ("connect:6x7x4:blocked=a1", 1),
        ("mnk:1x5x3", 2),
    ],
)
def test_the_number_of_symmetries(spec: str, count: int) -> None:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    assert len(game.symmetries) == count
    assert game.symmetries[0] == list(range(game.move_count))


@given(rules(), st.data())
@settings(max_examples=80, deadline=None)
def test_keys_boards_and_text_lead_back_to_the_same_position(
    rule: Rules, data: st.DataObject
) -> None:
    game = GridGame(rule)
    position = random_position(game, data)
    assert isinstance(position.state, _core.Position)
    copies = [
        Position(game, game.from_key(position.key)),
        Position.from_text(game, position.to_text()),
        Position.from_board(game, position.state.cells()),
    ]
    for copy in copies:
        assert copy.to_text() == position.to_text()
        assert copy.key == position.key
        assert copy.outcome == position.outcome
        assert copy.legal_moves == position.legal_moves
        assert game.hash(copy.state) == game.hash(position.state)


def test_equal_stones_have_equal_hashes_whatever_the_order() -> None:
    game = tengen.game("gomoku")
    assert isinstance(game, GridGame)
    one, other = game.position("h8 a1 i9 b2"), game.position("i9 b2 h8 a1")
    assert game.hash(one.state) == game.hash(other.state)
    assert game.hash(one.state) != game.hash(game.position("h8 a1 i9 c3").state)
    assert one.key == other.key


def test_the_key_is_one_base_3_digit_per_cell() -> None:
    game = tengen.game("tictactoe")
    assert game.position("a3").key == 1
    assert game.position("a3 b3").key == 1 + 2 * 3
    assert game.position("a3 c1").key == 1 + 2 * 3**8


def test_planes_show_the_board_from_the_movers_side() -> None:
    game = tengen.game("connect4")
    assert isinstance(game, GridGame)
    position = game.position("4 4 5")
    names = ["mover", "opponent", "empty", "playable", "last1", "last2", "last4", "colour", "odd"]
    planes = dict(zip(names, game.planes(position.state, names), strict=True))
    assert planes["mover"].dtype == np.float32
    assert planes["mover"].shape == (6, 7)
    assert np.argwhere(planes["mover"]).tolist() == [[4, 3]]
    assert np.argwhere(planes["opponent"]).tolist() == [[5, 3], [5, 4]]
    assert planes["empty"].sum() == 39
    landing = [[3, 3], [4, 4], [5, 0], [5, 1], [5, 2], [5, 5], [5, 6]]
    assert np.argwhere(planes["playable"]).tolist() == landing
    assert np.argwhere(planes["last1"]).tolist() == [[5, 4]]
    assert np.argwhere(planes["last2"]).tolist() == [[4, 3]]
    assert planes["last4"].sum() == 0
    assert planes["colour"].sum() == 0
    assert game.planes(game.start(), ["colour"]).sum() == 42
    assert [row.sum() for row in planes["odd"]] == [0, 7, 0, 7, 0, 7], "the lowest row is odd"
    flat = tengen.game("tictactoe")
    assert flat.planes(flat.start(), ["odd"]).sum() == 0


def test_planes_show_where_a_stone_would_win_within_reach_or_not() -> None:
    game = tengen.game("connect4")
    # Three of the first player's at b1 c1 d1, three of the second's in column g.
    wins, threats = game.planes(game.position("2 7 3 7 4 7").state, ["wins", "threats"])
    assert np.argwhere(wins).tolist() == [[5, 0], [5, 4]]
    assert np.argwhere(threats).tolist() == [[2, 6]]
    # c2 d2 e2 of the first player: b2 has no stone under it yet, f2 has.
    wins, threats = game.planes(game.position("3 4 4 3 3 5 5 6").state, ["wins", "threats"])
    assert np.argwhere(wins).tolist() == []
    wins, threats = game.planes(game.position("4 3 3 5 5 6 4 1").state, ["wins", "threats"])
    assert np.argwhere(wins).tolist() == [[4, 1], [4, 5]]
    assert np.argwhere(threats).tolist() == []


@given(rules(largest=6), st.data())
@settings(max_examples=100, deadline=None)
def test_the_plane_of_wins_is_what_playing_there_says(found: Rules, data: st.DataObject) -> None:
    game = GridGame(found)
    position = random_position(game, data, most=20)
    if position.is_over:
        return
    wins = game.planes(position.state, ["wins"]).ravel()
    for move in position.legal_moves:
        cell = game.filled_cell(position.state, move)
        after = position.play(move).outcome
        assert bool(wins[cell]) == (after in (Outcome.first_wins, Outcome.second_wins))


@pytest.mark.parametrize("name", ["last", "last0", "lastx", "frob", ""])
def test_an_unknown_plane_is_refused(name: str) -> None:
    game = GridGame(Rules(rows=3, cols=3, k=3))
    with pytest.raises(tengen.SpecError, match="is not known"):
        game.planes(game.start(), [name])


def test_positions_do_not_change() -> None:
    position = tengen.game("connect4").position("44")
    later = position.play(0)
    assert position.moves == (3, 3)
    assert later.moves == (3, 3, 0)
    with pytest.raises(AttributeError):
        position.moves = ()  # type: ignore[misc]  # that it is an error is the point


@pytest.mark.parametrize(
    ("spec", "board", "message"),
    [
        ("tictactoe", [1, 1, 0, 0, 0, 0, 0, 0, 0], "2 stones of the first player and 0"),
        ("tictactoe", [0, 0, 2, 0, 0, 0, 0, 0, 0], "0 stones of the first player and 1"),
        ("tictactoe", [0] * 8, "has 8 cells"),
        ("tictactoe", [3] + [0] * 8, "holds 3"),
        ("tictactoe", [-1] + [0] * 8, "holds -1"),
        ("tictactoe", [1, 1, 1, 2, 2, 2, 0, 0, 0], "has a winning line already"),
        ("connect4", [1] + [0] * 41, "column 1 has a stone above an empty cell"),
        ("mnk:3x3x3:blocked=a3", [1] + [0] * 8, "a3 is blocked"),
    ],
)
def test_an_impossible_board_is_refused(spec: str, board: list[int], message: str) -> None:
    with pytest.raises(tengen.ImpossiblePosition, match=message):
        Position.from_board(tengen.game(spec), board)


def test_equal_positions_are_equal_and_can_be_pickled() -> None:
    game = tengen.game("connect4")
    position = game.position("44")
    assert position == game.position("44")
    assert hash(position) == hash(game.position("44"))
    assert position != game.position("45")
    assert position.state != 3
    again = pickle.loads(pickle.dumps(position))
    assert again == position
    assert again.play(3).moves == (3, 3, 3)
    built = Position.from_board(game, position.state.cells()).play(0)
    assert pickle.loads(pickle.dumps(built)) == built


def test_a_drawing_must_agree_about_blocked_cells() -> None:
    game = tengen.game("mnk:3x3x3:blocked=b2")
    assert Position.from_text(game, "... .#. ...").legal_moves == (0, 1, 2, 3, 5, 6, 7, 8)
    with pytest.raises(tengen.ImpossiblePosition, match=r"b2 is drawn as '\.'; it is '#'"):
        Position.from_text(game, "... ... ...")
    with pytest.raises(tengen.ImpossiblePosition, match="a3 is drawn as '#'"):
        Position.from_text(game, "#.. .#. ...")


def test_a_key_gives_its_position_back() -> None:
    game = tengen.game("gomoku")
    position = game.position("h8 i9 h9")
    assert Position.from_key(game, position.key).key == position.key
    with pytest.raises(tengen.ImpossiblePosition, match="is not one of gomoku"):
        Position.from_key(game, 3**225)


@pytest.mark.parametrize(
    "call",
    [
        lambda start, over: _core.perft(start, -1),
        lambda start, over: start.planes([(_core.PlaneKind.last, 0)]),
        lambda start, over: _core.reflex(over, seed=1),
        lambda start, over: _core.Decay(1.0, 0),
        lambda start, over: _core.Uct(over, _config(), threads=1, seed=1),
        lambda start, over: _core.Uct(start, _config(), threads=0, seed=1),
        lambda start, over: _core.Uct(start, _config(), threads=1, seed=1).reset(over),
        lambda start, over: _core.playouts(
            over,
            rollout=_core.Rollout.random,
            weights=_core.Weights.uniform,
            games=1,
            seed=1,
        ),
        lambda start, over: _core.Uct(start, _config(), threads=1, seed=1).reset(
            GridGame(Rules(rows=4, cols=4, k=3)).start()
        ),
    ],
)
def test_the_core_refuses_what_it_cannot_do(
    call: Callable[[_core.Position, _core.Position], object],
) -> None:
    game = tengen.game("tictactoe")
    over = game.position("a1 a2 b1 b2 c1").state
    with pytest.raises(tengen.TengenError):
        call(game.position().state, over)


def _config() -> _core.UctConfig:
    return UctSettings(c=1, rollout="random").native()
