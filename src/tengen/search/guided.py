"""The native search guided by a network."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from tengen import _core
from tengen.errors import SpecError
from tengen.rules import AnyPosition, GridGame
from tengen.rules.planes import parse_plane
from tengen.search.engine import Report, moves_between
from tengen.search.evaluator import Evaluator
from tengen.search.neural_settings import GuidedSettings, HybridSettings

#: A search begins with smaller batches: a leaf that is picked before the others are judged is
#: picked half blind, and that matters most while little is known.
_LEAST_BATCH_SHARE = 8


def batch_size(most: int, started: int) -> int:
    """How many leaves to ask for after so many simulations."""
    return min(most, 1 + started // _LEAST_BATCH_SHARE)


class GuidedSearch:
    """Searches k-in-a-row games by the batch, see :class:`tengen.search.engine.TreeSearch`."""

    def __init__(
        self,
        game: GridGame,
        evaluator: Evaluator,
        settings: GuidedSettings | HybridSettings,
        *,
        seed: int,
        cache_mb: int = 0,
        threads: int = 1,
    ) -> None:
        self._game = game
        self._settings = settings
        self._seed = seed
        self._cache_bytes = cache_mb << 20
        self._evaluator = ParallelEvaluator(evaluator, threads)
        self._kinds = [parse_plane(name) for name in evaluator.planes]
        shape = (settings.batch, len(self._kinds), game.rows, game.cols)
        self._batch = np.zeros(shape, np.float32)
        self._native: _core.NeuralSearch | None = None
        self._root: AnyPosition | None = None
        self._stopped = False
        self._endless = False  # a search without a number of simulations is under way

    def place(self, position: AnyPosition) -> None:
        state = position.state
        if position.game != self._game or not isinstance(state, _core.Position):
            raise SpecError(f"this search is for {self._game.name}, not {position.game.name}")
        if self._native is None or self._root is None:
            self._native = _core.NeuralSearch(
                state,
                self._settings.native(),
                planes=self._kinds,
                cache_bytes=self._cache_bytes,
                seed=self._seed,
            )
        else:
            moves = moves_between(self._root, position) if self._settings.reuse else None
            if moves is None:
                self._native.reset(state)
            else:
                self._native.advance(state, moves)
        self._root = position
        self._endless = False

    def run(self, sims: int, seconds: float) -> int:
        native = self._placed()
        deadline = time.monotonic() + seconds
        if not (self._endless and sims >= 2**62):
            native.begin(sims, _core.RootNoise())
            self._endless = sims >= 2**62
        before = native.started
        while not (self._stopped or native.is_done or time.monotonic() >= deadline):
            count = native.gather(self._batch[: batch_size(len(self._batch), native.started)])
            if count > 0:
                native.expand(*self._evaluator.evaluate(self._batch[:count]))
        return native.started - before

    def stop(self) -> None:
        self._stopped = True

    def resume(self) -> None:
        self._stopped = False

    def report(self) -> Report:
        report = self._placed().report()
        moves = [stats.move for stats in report.moves]
        return Report(
            visits={stats.move: stats.visits for stats in report.moves},
            pv=tuple(report.pv),
            value=report.value,
            is_proven=report.is_proven,
            nodes=report.nodes,
            policy=dict(zip(moves, report.policy, strict=True)),
        )

    @property
    def cache_hits(self) -> tuple[int, int]:
        """How often the cache knew an evaluation, and how often it was asked."""
        counts = self._placed().cache
        return counts.hits, counts.asked

    def _placed(self) -> _core.NeuralSearch:
        assert self._native is not None, "place() comes first"
        return self._native


class ParallelEvaluator:
    """Splits a batch among threads, each with an evaluator of its own."""

    def __init__(self, evaluator: Evaluator, threads: int) -> None:
        self._evaluators = [evaluator, *(evaluator.clone() for _ in range(threads - 1))]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def evaluate(
        self, planes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Policy logits # [n, moves] and values # [n]."""
        if self._pool is None or len(planes) < len(self._evaluators):
            return self._evaluators[0].evaluate(planes)
        first, *others = np.array_split(planes, len(self._evaluators))
        under_way = [
            self._pool.submit(evaluator.evaluate, part)
            for evaluator, part in zip(self._evaluators[1:], others, strict=True)
        ]
        answers = [self._evaluators[0].evaluate(first), *(task.result() for task in under_way)]
        logits, values = zip(*answers, strict=True)
        return np.concatenate(logits), np.concatenate(values)
