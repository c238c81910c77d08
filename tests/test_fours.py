"""Wins by continuous fours: against a plain search for them, and against the exact solver."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tengen
from tengen import _core
from tengen.rules import AnyPosition, Outcome
from tests.test_guided import searched

MANY = 1_000_000


def found(position: AnyPosition, nodes: int = MANY) -> list[int]:
    return _core.win_by_fours(position.state, nodes)


def wins_at_once(position: AnyPosition, player: int) -> list[int]:
    """Where a player would win if it were their move."""
    wins = (Outcome.first_wins, Outcome.second_wins)[player]
    if position.mover == player:
        return [m for m in position.legal_moves if position.play(m).outcome is wins]
    game = position.game
    cells = list(position.state.cells())
    result = []
    for move in position.legal_moves:
        stones = cells.copy()
        stones[move] = player + 1
        # Another stone of theirs away from all lines would make the counts those of a game; the
        # reference looks at the drawn board instead.
        result += [move] if has_line(game, stones, move) else []
    return result


def has_line(game: Any, stones: list[int], move: int) -> bool:
    """Whether the stone on ``move`` is part of a winning line."""
    rules, own = game.rules, stones[move]
    row, col = divmod(move, rules.cols)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, col + sign * right
            while 0 <= r < rules.rows and 0 <= c < rules.cols and stones[r * rules.cols + c] == own:
                length, r, c = length + 1, r + sign * down, c + sign * right
        if length == rules.k or (rules.line == "free" and length > rules.k):
            return True
    return False


def has_win(position: AnyPosition) -> bool:
    """The same question, asked in the plainest way."""
    own = position.mover
    if wins_at_once(position, own):
        return True
    threats = wins_at_once(position, 1 - own)
    if len(threats) > 1:
        return False
    for move in threats or position.legal_moves:
        after = position.play(move)
        if after.is_over or wins_at_once(after, 1 - own):
            continue
        wins = wins_at_once(after, own)
        if len(wins) > 1:
            return True
        if len(wins) == 1 and not after.play(wins[0]).is_over and has_win(after.play(wins[0])):
            return True
    return False


def positions(spec: str, count: int, plies: tuple[int, int]) -> Iterator[AnyPosition]:
    game = tengen.game(spec)
    random = np.random.default_rng(7)
    while count > 0:
        position = game.position()
        for _ in range(random.integers(*plies)):
            if not position.is_over:
                position = position.play(int(random.choice(position.legal_moves)))
        if not position.is_over:
            count -= 1
            yield position


@pytest.mark.parametrize(
    ("spec", "plies"),
    [
        ("mnk:6x6x4", (6, 16)),
        ("mnk:5x7x4:line=exact", (8, 18)),
        ("mnk:9x9x4", (8, 16)),
        ("mnk:7x7x5:blocked=c3/d4", (16, 30)),
    ],
)
def test_it_finds_what_a_plain_search_finds(spec: str, plies: tuple[int, int]) -> None:
    seen = {True: 0, False: 0}
    for position in positions(spec, 150, plies):
        line = found(position)
        assert bool(line) is has_win(position), str(position)
        seen[bool(line)] += 1
    assert min(seen.values()) >= 10


@pytest.mark.parametrize("spec", ["mnk:5x5x4", "mnk:4x5x4", "mnk:5x5x4:line=exact"])
def test_what_it_finds_the_solver_knows_to_be_won(spec: str) -> None:
    longest = 0
    for position in positions(spec, 300, (6, 16)):
        line = found(position)
        if line:
            score = tengen.solve(position).score
            assert score is not None
            assert score > 0, str(position)
            longest = max(longest, len(line))
    assert longest >= 3


def test_the_line_ends_with_a_win_and_every_answer_is_forced() -> None:
    longest = 0
    for position in positions("mnk:9x9x4", 200, (8, 16)):
        line = found(position)
        own, at = position.mover, position
        for ply, move in enumerate(line):
            if ply % 2 == 1:
                assert move in wins_at_once(at, own)
            at = at.play(move)
        if line:
            assert at.outcome is (Outcome.first_wins, Outcome.second_wins)[own]
        longest = max(longest, len(line))
    assert longest >= 5


def test_a_limit_of_positions_is_kept() -> None:
    deep = [p for p in positions("mnk:9x9x4", 200, (8, 16)) if len(found(p)) >= 5]
    assert deep
    # One position is enough for a four that wins on two cells, and for nothing longer.
    assert all(len(found(p, nodes=1)) in (0, 3) for p in deep)
    assert any(found(p, nodes=1) == [] for p in deep)


@pytest.mark.parametrize("spec", ["connect4", "caro-blocked", "mnk:9x9x5:line=blocked-free"])
def test_rules_under_which_answers_are_not_forced_are_refused(spec: str) -> None:
    game = tengen.game(spec)
    with pytest.raises(tengen.TengenError, match="vcf is for boards without gravity"):
        found(game.position())
    with pytest.raises(tengen.TengenError, match="vcf is for boards without gravity"):
        searched(game.position(), 4, vcf=True)


@pytest.mark.parametrize("spec", ["mnk:9x9x4", "mnk:6x6x4"])
@pytest.mark.parametrize("settings", [{}, {"search": "gumbel"}, {"share": True}])
def test_a_search_knows_at_once_what_fours_prove(spec: str, settings: dict[str, Any]) -> None:
    count = 0
    for position in positions(spec, 100, (8, 14)):
        line = found(position)
        if len(line) < 3:
            continue
        count += 1
        report = searched(position, 10, vcf=True, **settings)
        assert report.is_proven
        assert report.value == 1
        assert found(position.play(report.pv[0])) == []
        assert report.pv[0] == line[0]
    assert count >= 5


def test_a_search_avoids_what_loses_to_fours() -> None:
    """One ply before such a win, the moves that allow it are known to lose."""
    for position in positions("mnk:9x9x4", 60, (8, 12)):
        report = searched(position, 400, vcf=True)
        chosen = position.play(report.pv[0])
        if not report.is_proven and not chosen.is_over:
            assert found(chosen, nodes=64) == []
