"""What a solver answers: exact scores, or proven bounds where it had to stop."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Result(Enum):
    """Win, draw or loss for the mover."""

    win = "win"
    draw = "draw"
    loss = "loss"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is proven of a score, for the mover."""

    low: int
    high: int

    @property
    def is_exact(self) -> bool:
        """Whether the score is known."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Solution:
    """Every legal move of a position, for the mover.

    A score is 0 for a draw, positive for a win and higher the sooner it comes, negative for a
    loss. When a limit was reached, ``is_complete`` is false and ``bounds`` says what is proven.
    """

    bounds: Mapping[int, Bounds]
    #: Stones on the board and cells that can hold one, which a score is counted by.
    stones: int
    playable: int
    nodes: int
    seconds: float

    @property
    def is_complete(self) -> bool:
        """Whether every move's score is known."""
        return all(bounds.is_exact for bounds in self.bounds.values())

    @property
    def scores(self) -> dict[int, int]:
        """The scores that are known, by move."""
        return {move: bounds.low for move, bounds in self.bounds.items() if bounds.is_exact}

    @property
    def score_bounds(self) -> Bounds:
        """What is proven of the position's score: the best that a move can do."""
        return Bounds(
            max(bounds.low for bounds in self.bounds.values()),
            max(bounds.high for bounds in self.bounds.values()),
        )

    @property
    def score(self) -> int | None:
        """The position's score, when it is known."""
        bounds = self.score_bounds
        return bounds.low if bounds.is_exact else None

    @property
    def best_moves(self) -> tuple[int, ...]:
        """The moves with the position's score, ascending; none while that is not known."""
        score = self.score
        return tuple(move for move, known in self.scores.items() if known == score)

    @property
    def result(self) -> Result | None:
        """Win, draw or loss, when that is proven, even if the score is not."""
        bounds = self.score_bounds
        if bounds.low > 0:
            return Result.win
        if bounds.high < 0:
            return Result.loss
        return Result.draw if bounds.is_exact else None

    @property
    def plies(self) -> int | None:
        """How many plies the game lasts when both play by the scores."""
        return None if self.score is None else plies_to_end(self.score, self.stones, self.playable)


def plies_to_end(score: int, stones: int, playable: int) -> int:
    """The plies that a score stands for, from a position with so many stones.

    A win with the stone placed on a board of n stones scores ``(playable + 1 - n) // 2``, so that n
    is one of two numbers; whose stone it is tells which.
    """
    if score == 0:
        return playable - stones
    before_last = playable + 1 - 2 * abs(score)
    winner_moves_now = score > 0
    is_same_parity = (before_last - stones) % 2 == 0
    if is_same_parity != winner_moves_now:
        before_last -= 1
    return before_last - stones + 1
