"""The exact solver."""

import time
from collections.abc import Mapping

from tengen import _core
from tengen.errors import SpecError
from tengen.rules import AnyGame, AnyPosition, GridGame
from tengen.solve.book import Book, book_for
from tengen.solve.solution import Bounds, Solution

#: The table's size when nothing else is asked for.
DEFAULT_TABLE_MB = 64
MOST_THREADS = 256


class Solver:
    """Solves positions of one game exactly; keeps what it has learnt until :meth:`clear`."""

    def __init__(
        self,
        game: AnyGame,
        *,
        table_mb: int = DEFAULT_TABLE_MB,
        book: bool = True,
        threads: int = 1,
    ) -> None:
        if not isinstance(game, GridGame):
            raise SpecError(f"the solver plays k-in-a-row games, not {game.name}")
        if not 1 <= table_mb <= 1 << 20:
            raise SpecError(f"table_mb is {table_mb}; it must be from 1 to {1 << 20}")
        if not 1 <= threads <= MOST_THREADS:
            raise SpecError(f"threads is {threads}; it must be from 1 to {MOST_THREADS}")
        self.game = game
        self.book: Book | None = book_for(game) if book else None
        self._native = _core.Solver(game.geometry, table_mb << 20, threads=threads)
        if self.book is not None:
            self._native.set_book(self.book.codes, self.book.scores, self.book.stones)

    def score(self, position: AnyPosition) -> int:
        """The exact score of an unfinished position, for the mover."""
        if position.game is not self.game:  # most often it is, and this is all there is to do
            self._check_game(position.game)
        return self._native.score(position.state)

    def bounds(
        self, position: AnyPosition, *, seconds: float | None = None, nodes: int | None = None
    ) -> Bounds:
        """What is proven of the score within a limit; exact when none was reached."""
        low, high = self._native.bounds(self._state(position), *_limits(seconds, nodes))
        return Bounds(low, high)

    def solve(
        self, position: AnyPosition, *, seconds: float | None = None, nodes: int | None = None
    ) -> Solution:
        """Every legal move's score, or what is proven of it within a limit."""
        state = self._state(position)
        start, nodes_before = time.perf_counter(), self.nodes
        found = self._native.move_scores(state, *_limits(seconds, nodes))
        bounds: Mapping[int, Bounds] = {move: Bounds(low, high) for move, low, high in found}
        return Solution(
            bounds=bounds,
            stones=state.stones,
            playable=self.game.rows * self.game.cols - len(self.game.rules.blocked),
            nodes=self.nodes - nodes_before,
            seconds=time.perf_counter() - start,
        )

    def clear(self) -> None:
        """Forget everything learnt; the book stays."""
        self._native.clear()

    def stop(self) -> None:
        """End the search under way, from any thread; what is proven by then is the answer."""
        self._native.stop()

    @property
    def nodes(self) -> int:
        """Positions searched so far, by all threads together."""
        return self._native.nodes

    def _check_game(self, game: AnyGame) -> None:
        if game != self.game:
            raise SpecError(f"this solver is for {self.game.name}, not {game.name}")

    def _state(self, position: AnyPosition) -> _core.Position:
        self._check_game(position.game)
        state: _core.Position = position.state
        return state


def _limits(seconds: float | None, nodes: int | None) -> tuple[float, int]:
    return (
        float("inf") if seconds is None else seconds,
        2**62 if nodes is None else nodes,
    )
