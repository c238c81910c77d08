"""Values of a search in haste, as results."""

import math

from tengen.rules import AnyPosition
from tengen.rules.notation import FIRST, SECOND
from tengen.search.formulas import single, win_worth


def result_of(value: float, position: AnyPosition, *, haste: float, proven: bool = False) -> float:
    """What the value says of the result, in [-1, 1] for the mover.

    With haste a win is worth less the later it comes. Nobody knows when the game will be over;
    halfway from here to a full board stands for it, unless the result is proven.
    """
    if haste == 0:
        return value
    symbols = position.game.symbols(position.state)
    stones, cells = sum(symbol in (FIRST, SECOND) for symbol in symbols), len(symbols)
    if proven:
        is_draw = abs(value) < single(win_worth(haste, cells, cells))  # the latest win there is
        return value if is_draw else math.copysign(1.0, value)
    worth = win_worth(haste, (stones + cells) / 2, cells)
    return max(-1.0, min(1.0, value / worth))
