"""One answer from all images of a position: as many evaluations, and no favourite corner."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from tengen.network.shape import game_of
from tengen.rules import AnyGame, Rules
from tengen.search import Evaluator


class SymmetricEvaluator:
    """Averages another evaluator over the symmetries of the game."""

    def __init__(self, inner: Evaluator, game: AnyGame | Rules) -> None:
        game = game_of(game)
        self.planes = inner.planes
        self.has_value = inner.has_value
        self._inner = inner
        # Cell `c` of a position is cell `cells[c]` of its image, and so with moves.
        self._cells = np.argsort(np.array(game.cell_symmetries), axis=1)  # [symmetries, cells]
        self._moves = np.array(game.symmetries)  # [symmetries, moves]

    def evaluate(
        self, planes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logarithms of the mean probabilities # [n, moves] and mean values # [n]."""
        batch, symmetries = len(planes), len(self._cells)
        flat = planes.reshape(*planes.shape[:2], -1)  # [n, planes, cells]
        images = np.moveaxis(flat[:, :, self._cells], 2, 0)  # [symmetries, n, planes, cells]
        logits, values = self._inner.evaluate(
            np.ascontiguousarray(images).reshape(symmetries * batch, *planes.shape[1:])
        )
        logits = logits.reshape(symmetries, batch, -1)
        moved = np.take_along_axis(logits, self._moves[:, None, :], axis=2)
        powers = np.exp(moved - moved.max(axis=2, keepdims=True))
        mean = (powers / powers.sum(axis=2, keepdims=True)).mean(axis=0)
        # A probability can be too small for its logarithm to be finite.
        policy = np.log(np.maximum(mean, np.finfo(np.float32).tiny))
        return policy.astype(np.float32), values.reshape(symmetries, batch).mean(axis=0)

    def clone(self) -> Self:
        """Another one on a clone of the inner evaluator, for another thread."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._inner = self._inner.clone()
        return twin
