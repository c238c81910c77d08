"""Playouts: the native ones against the reference, the weights, and the reflex's priorities."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen import _core
from tengen.rules import AnyPosition, GridGame, Outcome, ReferenceGame, Rules
from tengen.rules.reference import ReferenceState
from tengen.rules.spec import parse_rules
from tengen.search.playout import GridPlayout, axis_weight
from tengen.search.random import SplitMix
from tests.strategies import random_position, rules


def test_the_random_stream_is_splitmix64() -> None:
    """The first numbers from seed 1234567, as published with the algorithm."""
    stream = SplitMix(1234567)
    assert [stream.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@given(
    rules(largest=9, longest=5),
    st.sampled_from(["random", "tactical"]),
    st.sampled_from(["uniform", "linear", "odd"]),
    st.integers(0, 2**64 - 1),
)
@settings(max_examples=60, deadline=None)
def test_native_playouts_draw_as_the_reference_does(
    rule: Rules, rollout: str, weights: str, seed: int
) -> None:
    counts = _core.playouts(
        GridGame(rule).start(),
        rollout=_core.Rollout[rollout],
        weights=_core.Weights[weights],
        games=3,
        seed=seed,
    )
    game = ReferenceGame(rule)
    playout, stream = GridPlayout(game, rollout, weights), SplitMix(seed)
    ends = [playout(game.start(), stream) for _ in range(3)]
    assert counts.plies == sum(plies for _, plies in ends)
    outcomes = [outcome for outcome, _ in ends]
    assert counts.first_wins == outcomes.count(Outcome.first_wins)
    assert counts.second_wins == outcomes.count(Outcome.second_wins)
    assert counts.draws == outcomes.count(Outcome.draw)


@pytest.mark.parametrize(
    ("weights", "size", "expected"),
    [
        ("uniform", 5, [1, 1, 1, 1, 1]),
        ("linear", 7, [1, 2, 3, 4, 3, 2, 1]),
        ("linear", 6, [1, 2, 3, 3, 2, 1]),
        ("odd", 7, [1, 3, 5, 7, 5, 3, 1]),
        ("odd", 6, [1, 3, 5, 5, 3, 1]),
    ],
)
def test_weights_grow_towards_the_middle(weights: str, size: int, expected: list[int]) -> None:
    assert [axis_weight(weights, i, size) for i in range(size)] == expected


@pytest.mark.parametrize("spec", ["mnk:6x6x4", "connect:9x12x4", "gomoku"])
def test_the_kinds_of_rollout_differ(spec: str) -> None:
    start = GridGame(parse_rules(spec)).start()
    plies = {
        _core.playouts(start, rollout=r, weights=_core.Weights.uniform, games=200, seed=1).plies
        for r in _core.Rollout
    }
    assert len(plies) == 3


def _groups(game: ReferenceGame, state: ReferenceState) -> list[set[int]]:
    """The reflex's priority groups, by definition."""
    mover, k = game.mover(state) + 1, game.rules.k
    longer = ReferenceGame(game.rules.model_copy(update={"k": k - 1, "line": "free"}))
    groups: list[set[int]] = [set(), set(), set(), set(), set()]
    for move in game.legal_moves(state):
        cell = game.landing_cell(state, move)
        assert cell is not None
        row, col = divmod(cell, game.cols)
        own, enemy = (
            (*state.cells[:cell], player, *state.cells[cell + 1 :]) for player in (mover, 3 - mover)
        )
        near = any(
            state.cells[r * game.cols + c] in (1, 2)
            for r in range(max(0, row - 1), min(game.rows, row + 2))
            for c in range(max(0, col - 1), min(game.cols, col + 2))
        )
        members = (
            game.wins_through(own, cell),
            game.wins_through(enemy, cell),
            longer.wins_through(own, cell) or longer.wins_through(enemy, cell),
            near,
            True,
        )
        for group, is_member in zip(groups, members, strict=True):
            if is_member:
                group.add(move)
    return groups


@given(rules(largest=9, longest=5), st.data())
@settings(max_examples=100, deadline=None)
def test_the_reflex_chooses_from_its_first_group_that_is_not_empty(
    rule: Rules, data: st.DataObject
) -> None:
    position = random_position(GridGame(rule), data, most=30)
    if position.is_over:
        return
    game = ReferenceGame(rule)
    state = game.position(position.moves).state
    assert isinstance(position.state, _core.Position)
    chosen = {_core.reflex(position.state, seed=seed) for seed in range(60)}
    if not position.moves:
        assert chosen <= set(position.legal_moves)
        return
    group = next(group for group in _groups(game, state) if group)
    assert chosen <= group
    if len(group) <= 4:
        assert chosen == group


@pytest.mark.parametrize(
    ("spec", "centre"),
    [
        ("gomoku", {"h8"}),
        ("mnk:4x4x4", {"b2", "b3", "c2", "c3"}),
        ("connect4", {"4"}),
        ("connect:6x8x4", {"4", "5"}),
        ("mnk:5x5x4:blocked=c3", {"b3", "c2", "c4", "d3"}),
    ],
)
def test_the_reflex_opens_in_the_centre(spec: str, centre: set[str]) -> None:
    game = tengen.game(spec)
    moves = {tengen.player("reflex", game, seed=s).decide(game.position()).move for s in range(60)}
    assert {game.move_text(move) for move in moves} == centre


def test_reflex_games_end_and_follow_the_rules() -> None:
    for spec in ("tictactoe", "connect:9x10x5:blocked=d3", "caro-blocked"):
        game = tengen.game(spec)
        players = [tengen.player("reflex", game, seed=seed) for seed in (1, 2)]
        position: AnyPosition = game.position()
        while not position.is_over:
            position = position.play(players[position.mover].decide(position).move)
        assert len(position.moves) >= 5


def test_random_players_choose_every_legal_move() -> None:
    game = tengen.game("connect4")
    player = tengen.player("random", game, seed=3)
    position = game.position("111111")
    moves = [player.decide(position).move for _ in range(300)]
    assert set(moves) == {1, 2, 3, 4, 5, 6}
