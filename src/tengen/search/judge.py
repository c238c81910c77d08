"""Judging the states of a game by the batch, and remembering what was said of them."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tengen.errors import TengenError
from tengen.rules import AnyGame
from tengen.search.evaluator import Evaluator
from tengen.search.guided import ParallelEvaluator

#: What judges unfinished states: a logit per move of the game # [n, moves], and values for the
#: mover # [n].
Judge = Callable[[Sequence[object]], tuple[NDArray[np.float32], NDArray[np.float32]]]

#: What an entry costs besides its planes and logits, roughly.
_ENTRY_BYTES = 400


class EvaluatorJudge:
    """A :data:`Judge` that shows the planes of a game to an evaluator.

    States that look the same to it share an entry of the cache; the oldest entries make room.
    """

    def __init__(
        self, game: AnyGame, evaluator: Evaluator, *, cache_mb: int = 0, threads: int = 1
    ) -> None:
        self._game = game
        self._planes = evaluator.planes
        self._evaluator = ParallelEvaluator(evaluator, threads)
        planes_size = len(self._planes) * game.rows * game.cols
        entry = 4 * (planes_size + game.move_count) + _ENTRY_BYTES
        self._most_entries = (cache_mb << 20) // entry
        self._known: dict[bytes, tuple[NDArray[np.float32], np.float32]] = {}
        #: States that the evaluator was shown.
        self.evaluations = 0
        self.cache_asked = 0
        self.cache_hits = 0

    def __call__(self, states: Sequence[object]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits # [n, moves] and values for the mover # [n]."""
        planes = np.stack([self._game.planes(state, self._planes) for state in states])
        if self._most_entries == 0:
            return self._evaluate(planes)
        keys = [row.tobytes() for row in planes]
        fresh: dict[bytes, int] = {}
        for row, key in enumerate(keys):
            if key not in self._known:
                fresh.setdefault(key, row)
        self.cache_asked += len(keys)
        self.cache_hits += len(keys) - len(fresh)
        if fresh:
            logits, values = self._evaluate(planes[list(fresh.values())])
            for row, key in enumerate(fresh):
                self._known[key] = logits[row].copy(), values[row]
        answers = [self._known[key] for key in keys]
        while len(self._known) > self._most_entries:
            del self._known[next(iter(self._known))]
        return np.stack([logits for logits, _ in answers]), np.array([v for _, v in answers])

    def _evaluate(
        self, planes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """An answer that is no number would spoil the whole tree without a word."""
        logits, values = self._evaluator.evaluate(planes)
        self.evaluations += len(planes)
        if logits.shape != (len(planes), self._game.move_count) or values.shape != (len(planes),):
            raise TengenError("the evaluation has another shape than the batch asked for")
        if not (np.isfinite(logits).all() and np.isfinite(values).all()):
            raise TengenError("the network's answer is not a number")
        return logits, values
