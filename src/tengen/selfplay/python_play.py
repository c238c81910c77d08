"""Self-play of games written in Python: many games in step, so that a network gets batches."""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from tengen.rules import AnyGame
from tengen.search import Evaluator, EvaluatorJudge
from tengen.search.reference_nodes import check_searchable
from tengen.selfplay.play import SelfPlayCounts, check_evaluator
from tengen.selfplay.python_game import GameUnderWay
from tengen.selfplay.record import GameRecord
from tengen.selfplay.settings import SelfPlaySettings


class PythonSelfPlay:
    """Games of a network against itself, as :class:`tengen.selfplay.SelfPlay` plays them.

    The games are played on one thread; ``threads`` share the work of the network.
    """

    def __init__(
        self,
        game: AnyGame,
        evaluator: Evaluator,
        settings: SelfPlaySettings,
        *,
        seed: int,
        threads: int = 1,
    ) -> None:
        check_evaluator(evaluator, threads)
        check_searchable(game, settings.search)
        self._game = game
        self._judge = EvaluatorJudge(game, evaluator, cache_mb=settings.cache, threads=threads)
        self.settings = settings
        self._seed = seed
        self._stopped = False
        #: While a game is yielded: whether others have ended that can be had at once.
        self.has_more = False
        self.counts = SelfPlayCounts()

    def play(self, numbers: Iterable[int]) -> Generator[GameRecord]:
        """Play the games of these numbers; yields each as it ends.

        Closing the generator or :meth:`stop` ends self-play; games that are not over are lost.
        """
        self._stopped = False
        left = iter(list(numbers))
        games = self._begin(left, self.settings.games)
        before, ended_sims = replace(self.counts), 0
        while games and not self._stopped:
            self._play_on(games)
            ended = [game.record for game in games if game.record is not None]
            ended_sims += sum(game.sims for game in games if game.record is not None)
            games = [game for game in games if game.record is None]
            self._count(before, ended_sims + sum(game.sims for game in games))
            for i, record in enumerate(ended, 1):
                self.has_more = i < len(ended)
                self.counts.add(record)
                yield record
            games += self._begin(left, len(ended))

    def stop(self) -> None:
        """End the games under way after the batch they are in; may be called by any thread."""
        self._stopped = True

    def _begin(self, numbers: Iterator[int], most: int) -> list[GameUnderWay]:
        return [
            GameUnderWay(self._game, self.settings, seed=self._seed, number=number)
            for number in islice(numbers, most)
        ]

    def _play_on(self, games: list[GameUnderWay]) -> None:
        """Let every game go on to its next leaf or its end, and answer the leaves at once."""
        asking = [(game, leaf) for game in games if (leaf := game.next_leaf()) is not None]
        if not asking:
            return
        logits, values = self._judge([leaf.node.state for _, leaf in asking])
        for (game, leaf), row, value in zip(asking, logits.tolist(), values.tolist(), strict=True):
            game.expand(leaf, row, value)

    def _count(self, before: SelfPlayCounts, sims: int) -> None:
        self.counts.sims = before.sims + sims
        self.counts.evaluations = self._judge.evaluations
        self.counts.cache_asked = self._judge.cache_asked
        self.counts.cache_hits = self._judge.cache_hits
