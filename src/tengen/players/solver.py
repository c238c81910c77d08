"""The player ``solver``: exact play where the board allows it."""

import time
from collections.abc import Iterator

from pydantic import Field

from tengen.config import Settings
from tengen.players.player import require_ongoing
from tengen.rules import AnyGame, AnyPosition
from tengen.search import Decision
from tengen.search.random import SplitMix
from tengen.solve import Solver


class SolverSettings(Settings):
    """How much memory the solver may use."""

    table: int = Field(default=64, ge=1, le=1 << 20, description="size of the table in MiB")


class SolverPlayer:
    """Plays a move with the best score; which of several is a matter of chance."""

    def __init__(self, spec: str, game: AnyGame, settings: SolverSettings, *, seed: int) -> None:
        self.spec = spec
        self._game = game
        self._solver = Solver(game, table_mb=settings.table)
        self._random = SplitMix(seed)

    def decide(self, position: AnyPosition) -> Decision:
        require_ongoing(position, self._game)
        start = time.perf_counter()
        solution = self._solver.solve(position)
        best = solution.best_moves
        assert solution.score is not None, "nothing limits it"
        move = best[self._random.below(len(best))]
        return Decision(
            move=move,
            value=float((solution.score > 0) - (solution.score < 0)),
            policy={choice: 1 / len(best) for choice in best},
            pv=(move,),
            seconds=time.perf_counter() - start,
            proven=True,
        )

    def analyse(self, position: AnyPosition) -> Iterator[Decision]:
        yield self.decide(position)

    def stop(self) -> None:
        """Exact play has no half answer: a decision under way is finished."""
