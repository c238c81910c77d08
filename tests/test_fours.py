"""Wins by continuous fours: against a plain search for them, and against the exact solver."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tengen
from tengen import _core
from tengen.rules import AnyPosition, GridGame, Outcome
from tests.test_guided import searched

MANY = 1_000_000


def found(position: AnyPosition, nodes: int = MANY) -> list[int]:
    return _core.win_by_fours(position.state, nodes)


class Drawn:
    """A board as a drawing, with the plainest search for such wins."""

    def __init__(self, position: AnyPosition) -> None:
        game = position.game
        assert isinstance(game, GridGame)
        self.rules = game.rules
        self.cells = game.position().legal_moves
        self.stones = list(position.state.cells())
        self.mover = position.mover
        #: What was found out, by stones.
        self.known: dict[tuple[int, ...], bool] = {}

    def wins_at_once(self, player: int) -> list[int]:
        """Where a player would win if it were their move."""
        return [cell for cell in self.cells if self.stones[cell] == 0 and self.wins(player, cell)]

    def wins(self, player: int, cell: int) -> bool:
        """Whether a stone there would be part of a winning line."""
        rules, own = self.rules, player + 1
        row, col = divmod(cell, rules.cols)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                r, c = row + sign * down, col + sign * right
                while (
                    0 <= r < rules.rows
                    and 0 <= c < rules.cols
                    and self.stones[r * rules.cols + c] == own
                ):
                    length, r, c = length + 1, r + sign * down, c + sign * right
            if length == rules.k or (rules.line == "free" and length > rules.k):
                return True
        return False

    def has_win(self) -> bool:
        """Whether the mover wins by fours, each answered in the only way there is."""
        stones = tuple(self.stones)
        if stones not in self.known:
            self.known[stones] = self._has_win(self.mover)
        return self.known[stones]

    def _has_win(self, own: int) -> bool:
        if self.wins_at_once(own):
            return True
        threats = self.wins_at_once(1 - own)
        if len(threats) > 1:
            return False
        return any(
            self._wins_after(own, cell) for cell in threats or self.cells if self.stones[cell] == 0
        )

    def _wins_after(self, own: int, cell: int) -> bool:
        """Whether a stone that does not win itself makes a four that leads to a win."""
        self.stones[cell] = own + 1
        fours = [] if self.wins_at_once(1 - own) else self.wins_at_once(own)
        is_won = len(fours) > 1
        if len(fours) == 1:
            self.stones[fours[0]] = 2 - own
            is_won = self.has_win()
            self.stones[fours[0]] = 0
        self.stones[cell] = 0
        return is_won


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
        assert bool(line) is Drawn(position).has_win(), str(position)
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
                assert move in Drawn(at).wins_at_once(own)
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
