"""Exact results; the search itself is native, see ``core/solve``."""

from tengen.rules import AnyPosition
from tengen.solve.solution import Bounds, Result, Solution, plies_to_end
from tengen.solve.solver import Solver

__all__ = ["Bounds", "Result", "Solution", "Solver", "plies_to_end", "solve"]


def solve(
    position: AnyPosition, *, seconds: float | None = None, nodes: int | None = None
) -> Solution:
    """Every legal move's exact score; a :class:`Solver` kept between calls is faster."""
    return Solver(position.game).solve(position, seconds=seconds, nodes=nodes)
