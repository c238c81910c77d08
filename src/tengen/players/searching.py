"""Players that search: a tree search within a budget."""

import time
from collections.abc import Iterator, Mapping

from tengen.players.haste import result_of
from tengen.players.player import require_ongoing
from tengen.rules import AnyGame, AnyPosition
from tengen.search import Decision, Report, TreeSearch
from tengen.search.random import SplitMix

#: Seconds between two snapshots of an analysis; the first comes sooner.
_FIRST_SNAPSHOT, _NEXT_SNAPSHOT = 0.02, 0.1


class SearchPlayer:
    """Asks a tree search, within so many simulations and seconds a move."""

    def __init__(
        self,
        spec: str,
        game: AnyGame,
        engine: TreeSearch,
        budget: tuple[int, float],
        *,
        tau: float = 0.0,
        seed: int = 0,
        about: str = "",
        haste: float = 0.0,
    ) -> None:
        self.spec = spec
        #: What it runs on, for those who want to know; often nothing.
        self.about = about
        self._game = game
        self._engine = engine
        self._budget = budget
        self._tau = tau
        self._haste = haste
        self._random = SplitMix(seed)
        self._stopped = False

    def decide(self, position: AnyPosition) -> Decision:
        sims, seconds = self._budget
        start = self._begin(position)
        # Making room for the new position in the tree is part of the time for the move.
        left = max(0.0, seconds - (time.perf_counter() - start))
        return self._decision(position, self._engine.run(sims, left), start)

    def analyse(self, position: AnyPosition) -> Iterator[Decision]:
        return self._snapshots(position, self._begin(position))

    def _snapshots(self, position: AnyPosition, start: float) -> Iterator[Decision]:
        sims, seconds = 0, _FIRST_SNAPSHOT
        while True:
            began = time.perf_counter()
            done = self._engine.run(2**62, seconds)
            # Nothing done in hardly any time: the tree has all the memory it may have.
            is_full = done == 0 and time.perf_counter() - began < seconds / 2
            sims += done
            seconds = _NEXT_SNAPSHOT
            decision = self._decision(position, sims, start)
            yield decision
            if self._stopped or decision.proven or is_full:
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

    def _decision(self, position: AnyPosition, sims: int, start: float) -> Decision:
        report = self._engine.report()
        if not report.pv:  # stopped before it began: any answer is better than none
            self._engine.resume()
            sims += self._engine.run(1, float("inf"))
            report = self._engine.report()
        move = self._chosen(report)
        proven = report.is_proven
        return Decision(
            move=move,
            value=result_of(report.value, position, haste=self._haste, proven=proven),
            visits=report.visits,
            policy=policy_of(report),
            pv=report.pv if move == report.pv[0] else (move,),
            sims=sims,
            seconds=time.perf_counter() - start,
            proven=proven,
        )

    def _chosen(self, report: Report) -> int:
        """The best move, or with a temperature one drawn by the search's policy."""
        if self._tau == 0 or report.is_proven:
            return report.pv[0]
        return draw(policy_of(report), self._tau, self._random)


def policy_of(report: Report) -> dict[int, float]:
    """Probabilities of the moves: the search's own, or the shares of visits."""
    if report.policy is not None:
        return report.policy
    total = sum(report.visits.values())
    return {move: visits / total for move, visits in report.visits.items()}


def draw(policy: Mapping[int, float], tau: float, random: SplitMix) -> int:
    """A move by its probability to the power of 1 / tau."""
    most = max(policy.values())
    powers = {move: (share / most) ** (1 / tau) for move, share in policy.items()}
    left = random.unit() * sum(powers.values())
    for move, power in powers.items():
        left -= power
        if left < 0:
            return move
    return max(powers, key=powers.__getitem__)
