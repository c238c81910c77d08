"""All positions of a small game, each with exact scores."""

from tengen.arena.labelled import LabelledPosition
from tengen.errors import SpecError
from tengen.rules import AnyPosition, GridGame
from tengen.solve import Solver

#: More than any game has for which this makes sense.
_MOST = 100_000


def every_position(game: GridGame) -> list[LabelledPosition]:
    """Every different unfinished position that can come about, the emptiest first."""
    layer: dict[int, AnyPosition] = {game.position().key: game.position()}
    found: list[AnyPosition] = []
    while layer:
        found += layer.values()
        following: dict[int, AnyPosition] = {}
        for position in layer.values():
            if len(found) + len(following) > _MOST:
                raise SpecError(f"{game.name} has more than {_MOST} positions; name a set of them")
            for move in position.legal_moves:
                child = position.play(move)
                if not child.is_over:
                    following.setdefault(child.key, child)
        layer = following
    solver = Solver(game, book=False)
    return [LabelledPosition(position, dict(solver.solve(position).scores)) for position in found]
