"""What a tree search offers to a player; the native search and the reference both fulfil it."""

from dataclasses import dataclass
from typing import Protocol

from tengen.rules import AnyPosition


@dataclass(frozen=True, slots=True)
class Report:
    """What a search knows so far, for the player to move."""

    visits: dict[int, int]
    #: Starts with the move to play; empty before the first simulation.
    pv: tuple[int, ...]
    value: float
    is_proven: bool
    nodes: int
    #: Probability per move, where the search has better ones than the share of visits.
    policy: dict[int, float] | None = None


class TreeSearch(Protocol):
    """A search that keeps its tree between calls."""

    def place(self, position: AnyPosition) -> None:
        """Make an unfinished position the root, keeping what is known of it where allowed."""

    def run(self, sims: int, seconds: float) -> int:
        """Search on; returns the simulations done. Must return soon after :meth:`stop`."""

    def stop(self) -> None:
        """End the run under way, or the next one, at once; may be called from any thread."""

    def resume(self) -> None:
        """Forget an earlier :meth:`stop`."""

    def report(self) -> Report:
        """What is known so far."""


def moves_between(before: AnyPosition, after: AnyPosition) -> tuple[int, ...] | None:
    """The moves that lead from one position to a later one of the same game, else None."""
    count = len(before.moves)
    if before.game != after.game or after.moves[:count] != before.moves:
        return None
    walked = before
    for move in after.moves[count:]:
        walked = walked.play(move)
    # The moves may be counted from different boards.
    return after.moves[count:] if walked.to_text() == after.to_text() else None
