"""Evaluators that need no network: their answers depend on the position alone."""

import hashlib
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tengen.rules import GridGame


class TableEvaluator:
    """As arbitrary as an untrained network, but exactly the same in every batch."""

    has_value = True

    def __init__(
        self, moves: int, planes: tuple[str, ...] = ("mover", "opponent"), strength: float = 2.0
    ) -> None:
        self.planes = planes
        self.calls = 0
        self.positions = 0
        self._moves = moves
        self._strength = strength

    def evaluate(
        self, planes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        self.calls += 1
        self.positions += len(planes)
        rows = [self._judge(row) for row in planes]
        return np.array([row[:-1] for row in rows]), np.array([row[-1] for row in rows])

    def _judge(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        seed = hashlib.blake2b(planes.astype(np.uint8).tobytes(), digest_size=8).digest()
        chance = np.random.default_rng(int.from_bytes(seed, "little"))
        logits = chance.normal(0.0, self._strength, self._moves)
        return np.append(logits, chance.uniform(-0.9, 0.9)).astype(np.float32)

    def clone(self) -> Self:
        return type(self)(self._moves, self.planes, self._strength)


class UniformEvaluator(TableEvaluator):
    """All moves alike, nobody ahead."""

    def _judge(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.zeros(self._moves + 1, np.float32)


def moves_of(game: GridGame) -> int:
    """The size of the policy."""
    return game.cols if game.rules.gravity else game.rows * game.cols
