"""What a player answers, and what a search under way knows."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Decision:
    """A move and what stands behind it; values are for the player to move."""

    move: int
    #: In [-1, 1]; None from a player that does not judge positions.
    value: float | None = None
    #: Visits per move tried.
    visits: Mapping[int, int] = field(default_factory=dict)
    #: Probability per move; sums to 1.
    policy: Mapping[int, float] = field(default_factory=dict)
    #: The line that is expected, starting with the move.
    pv: tuple[int, ...] = ()
    #: Simulations done for this answer.
    sims: int = 0
    seconds: float = 0.0
    #: Whether the value is exact.
    proven: bool = False

    @property
    def win_rate(self) -> float | None:
        """The value as a share of points, 0 to 1."""
        return None if self.value is None else (self.value + 1) / 2
