"""All positions of a small game, each with exact scores."""

from tengen.arena.labelled import LabelledPosition
from tengen.errors import SpecError
from tengen.rules import AnyPosition, GridGame
from tengen.solve import Solver

#: More than any game has for which this makes sense.
_MOST = 100_000


def every_position(game: GridGame) -> list[LabelledPosition]:
    """Every different unfinished position that can come about, the emptiest first."""
    solver = Solver(game, book=False)
    layer: dict[int, AnyPosition] = {game.position().key: game.position()}
    found: list[LabelledPosition] = []
    while layer:
        following: dict[int, AnyPosition] = {}
        for position in layer.values():
            found.append(LabelledPosition(position, dict(solver.solve(position).scores)))
            if len(found) > _MOST:
                raise SpecError(f"{game.name} has more than {_MOST} positions; name a set of them")
            for move in position.legal_moves:
                child = position.play(move)
                if not child.is_over:
                    following.setdefault(child.key, child)
        layer = following
    return found
