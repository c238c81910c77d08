"""Boards in the terminal, with colours and coordinates."""

from rich.text import Text

from tengen.rules import AnyPosition
from tengen.rules.notation import BLOCKED, EMPTY, FIRST, SECOND

_STYLES = {FIRST: "bold red", SECOND: "bold cyan", BLOCKED: "dim", EMPTY: "dim"}
_EMPTY_CELL = "·"


def draw(position: AnyPosition, *, cursor: int | None = None, last: int | None = None) -> Text:
    """The board; ``cursor`` and ``last`` are cells to point at, winning lines are underlined."""
    game = position.game
    symbols = game.symbols(position.state)
    line = set(position.winning_line)
    by_column = game.move_count == game.cols and game.move_text(0) == "1"
    width = 3 if by_column and game.cols > 9 else 2
    margin = " " * 4
    text = Text()
    for row in range(game.rows):
        text.append(margin if by_column else f"{game.rows - row:3d} ", style="dim")
        for col in range(game.cols):
            cell = row * game.cols + col
            symbol = symbols[cell]
            style = _STYLES.get(symbol, "")
            if cell in line:
                style = "bold green underline"
            elif cell == last:
                style += " underline"
            if cell == cursor:
                style = "black on yellow" if symbol == EMPTY else "reverse"
            shown = _EMPTY_CELL if symbol == EMPTY else symbol
            text.append(" " * (width - 1))
            text.append(shown, style=style)
        text.append("\n")
    names = (str(col + 1) if by_column else chr(ord("a") + col) for col in range(game.cols))
    text.append(margin)
    for name in names:
        text.append(" " * (width - len(name)))
        text.append(name, style="dim")
    text.append("\n")
    return text
