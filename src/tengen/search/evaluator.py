"""What judges positions for a guided search: a network, or something that stands in for one."""

from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray


class Evaluator(Protocol):
    """Judges positions by the batch; one thread at a time may ask it."""

    @property
    def planes(self) -> tuple[str, ...]:
        """The feature planes it wants, in order."""

    @property
    def has_value(self) -> bool:
        """Whether its values mean anything."""

    def evaluate(
        self, planes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Policy logits # [n, moves] and values for the mover # [n]; zeros when policy only."""

    def clone(self) -> Self:
        """Another one of the same, for another thread."""
