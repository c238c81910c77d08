"""Playing many games at once, on as many threads as there are cores to use."""

import threading
from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from queue import SimpleQueue

import numpy as np

from tengen import _core
from tengen.errors import SpecError
from tengen.rules import GridGame
from tengen.rules.planes import parse_plane
from tengen.search import Evaluator
from tengen.selfplay.record import GameRecord
from tengen.selfplay.settings import SelfPlaySettings


@dataclass(slots=True)
class SelfPlayCounts:
    """What self-play has done so far, all threads together."""

    games: int = 0
    sims: int = 0
    evaluations: int = 0
    cache_asked: int = 0
    cache_hits: int = 0
    #: Games played on although one side would have given up, and those it did not lose.
    resign_checked: int = 0
    resign_wrong: int = 0

    def add(self, record: GameRecord) -> None:
        """A game has ended."""
        self.games += 1
        self.resign_checked += record.was_resigned_wrongly is not None
        self.resign_wrong += record.was_resigned_wrongly is True


def check_evaluator(evaluator: Evaluator | None, threads: int) -> None:
    """Refuse what nobody can play with."""
    if threads < 1:
        raise SpecError(f"threads is {threads}; it must be at least 1")
    if evaluator is not None and not evaluator.has_value:
        raise SpecError("self-play needs a network with a value, not a policy alone")


class SelfPlay:
    """Games of a network against itself; without one, of searches with rollouts.

    A game depends on the seed and its number alone, as long as the evaluator's answers do not
    depend on the batch: so neither the number of threads nor that of games at once matters.
    """

    def __init__(
        self,
        game: GridGame,
        evaluator: Evaluator | None,
        settings: SelfPlaySettings,
        *,
        seed: int,
        threads: int = 1,
    ) -> None:
        check_evaluator(evaluator, threads)
        self._game = game
        others = min(threads, settings.games) - 1
        self._evaluators = [evaluator]
        self._evaluators += [evaluator.clone() if evaluator else None for _ in range(others)]
        self.settings = settings
        self._seed = seed
        self._workers: list[_Worker] = []
        #: While a game is yielded: whether others have ended that can be had at once.
        self.has_more = False
        self.counts = SelfPlayCounts()

    def play(self, numbers: Iterable[int]) -> Generator[GameRecord]:
        """Play the games of these numbers; yields each as it ends.

        Closing the generator or :meth:`stop` ends self-play; games that are not over are lost.
        """
        handed_out = _core.GameNumbers(list(numbers))
        ended: SimpleQueue[_Ended] = SimpleQueue()
        workers = [
            _Worker(self._make_mill(i, handed_out), evaluator, ended)
            for i, evaluator in enumerate(self._evaluators)
        ]
        before, self._workers = replace(self.counts), workers
        try:
            for worker in workers:
                worker.thread.start()
            left = len(workers)
            while left > 0:
                news = ended.get()
                self._count(before, workers)
                if isinstance(news, BaseException):
                    raise news
                if news is None:
                    left -= 1
                    continue
                for i, native in enumerate(news, 1):
                    self.has_more = i < len(news) or not ended.empty()
                    record = GameRecord.of(self._game.name, native)
                    self.counts.add(record)
                    yield record
        finally:
            self.stop()
            for worker in workers:
                if worker.thread.ident is not None:
                    worker.is_done.wait()
            self._count(before, workers)

    def stop(self) -> None:
        """End the games under way after the batch they are in; may be called by any thread."""
        for worker in self._workers:
            worker.stopped = True

    def _make_mill(self, i: int, numbers: _core.GameNumbers) -> _core.SelfPlay:
        threads = len(self._evaluators)
        games = self.settings.games // threads + (i < self.settings.games % threads)
        evaluator = self._evaluators[i]
        source = _core.Evaluation.batched if evaluator else _core.Evaluation.rollouts
        return _core.SelfPlay(
            self._game.geometry,
            self.settings.native(source),
            planes=[parse_plane(name) for name in evaluator.planes] if evaluator else [],
            games=games,
            seed=self._seed,
            numbers=numbers,
        )

    def _count(self, before: SelfPlayCounts, workers: "list[_Worker]") -> None:
        """Add what the workers have done to what was done before them."""
        mills = [worker.mill for worker in workers]
        counts = self.counts
        counts.sims = before.sims + sum(mill.sims for mill in mills)
        counts.evaluations = before.evaluations + sum(mill.evaluations for mill in mills)
        counts.cache_asked = before.cache_asked + sum(mill.cache.asked for mill in mills)
        counts.cache_hits = before.cache_hits + sum(mill.cache.hits for mill in mills)


#: Finished games, the end of a thread, or what ended it.
_Ended = list[_core.GameRecord] | None | BaseException


class _Worker:
    """One thread: its share of the games and an evaluator of its own."""

    def __init__(
        self, mill: _core.SelfPlay, evaluator: Evaluator | None, ended: "SimpleQueue[_Ended]"
    ) -> None:
        self.mill = mill
        self.stopped = False
        # To wait for, instead of the thread: Python 3.11 and 3.12 take a thread for ended if Ctrl-C
        # breaks off a join, and then leave without it.
        self.is_done = threading.Event()
        self._evaluator = evaluator
        self._ended = ended
        # No daemon: Python waits for it, as a thread that is cut off inside the core brings the
        # whole program down.
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self._play()
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            self._ended.put(error)
        else:
            self._ended.put(None)
        finally:
            self.is_done.set()

    def _play(self) -> None:
        batch = np.zeros(self.mill.batch_shape, np.float32)
        while not (self.stopped or self.mill.is_over) and threading.main_thread().is_alive():
            count = self.mill.gather(batch)
            if count > 0 and self._evaluator is not None:
                self.mill.expand(*self._evaluator.evaluate(batch[:count]))
            finished = self.mill.take_finished()
            if finished:
                self._ended.put(finished)
