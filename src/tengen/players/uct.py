"""The player ``uct``: tree search with rollouts."""

import time
from collections.abc import Iterator

from tengen.players.player import require_ongoing
from tengen.rules import AnyGame, AnyPosition, GridGame
from tengen.search import Decision, NativeUct, ReferenceUct, TreeSearch, UctSettings

#: Seconds between two snapshots of an analysis; the first comes sooner.
_FIRST_SNAPSHOT, _NEXT_SNAPSHOT = 0.02, 0.1


class UctPlayer:
    """Searches natively where the game is k-in-a-row, else with the reference."""

    def __init__(self, spec: str, game: AnyGame, settings: UctSettings, *, seed: int) -> None:
        self.spec = spec
        self._game = game
        self._settings = settings
        self._engine: TreeSearch = (
            NativeUct(settings, seed=seed)
            if isinstance(game, GridGame)
            else ReferenceUct(game, settings, seed=seed)
        )
        self._stopped = False

    def decide(self, position: AnyPosition) -> Decision:
        sims, seconds = self._settings.budget
        start = self._begin(position)
        # Making room for the new position in the tree is part of the time for the move.
        left = max(0.0, seconds - (time.perf_counter() - start))
        return self._decision(self._engine.run(sims, left), start)

    def analyse(self, position: AnyPosition) -> Iterator[Decision]:
        return self._snapshots(self._begin(position))

    def _snapshots(self, start: float) -> Iterator[Decision]:
        sims, seconds = 0, _FIRST_SNAPSHOT
        while True:
            sims += self._engine.run(2**62, seconds)
            seconds = _NEXT_SNAPSHOT
            decision = self._decision(sims, start)
            yield decision
            if self._stopped or decision.proven:
                return

    def stop(self) -> None:
        self._stopped = True
        self._engine.stop()

    def _begin(self, position: AnyPosition) -> float:
        """Make the position the root; returns when that was begun."""
        require_ongoing(position, self._game)
        start = time.perf_counter()
        self._stopped = False
        self._engine.resume()
        self._engine.place(position)
        return start

    def _decision(self, sims: int, start: float) -> Decision:
        report = self._engine.report()
        if not report.pv:  # stopped before it began: any answer is better than none
            self._engine.resume()
            sims += self._engine.run(1, float("inf"))
            report = self._engine.report()
        total = sum(report.visits.values())
        return Decision(
            move=report.pv[0],
            value=report.value,
            visits=report.visits,
            policy={move: visits / total for move, visits in report.visits.items()},
            pv=report.pv,
            sims=sims,
            seconds=time.perf_counter() - start,
            proven=report.is_proven,
        )
