"""Boards, cells and moves as text: ``h8`` on a flat board, a column from 1 on a gravity board."""

import re

from tengen.errors import IllegalMove

#: How cells are drawn: empty, first player, second player, blocked.
EMPTY, FIRST, SECOND, BLOCKED = ".", "X", "O", "#"

_CELL = re.compile(r"([a-z])(\d{1,2})", re.ASCII)


def cell_name(cell: int, *, rows: int, cols: int) -> str:
    """A letter for the column and a number for the row, counted from the bottom."""
    row, col = divmod(cell, cols)
    return f"{chr(ord('a') + col)}{rows - row}"


def parse_cell(text: str, *, rows: int, cols: int) -> int:
    """The cell that a name such as ``h8`` means on a board of this size."""
    match = _CELL.fullmatch(text.strip().lower())
    last = cell_name(cols - 1, rows=rows, cols=cols)
    if match is None:
        raise IllegalMove(f"{text!r} is not a cell; cells are a1 to {last}")
    col, row = ord(match[1]) - ord("a"), rows - int(match[2])
    if not (0 <= row < rows and 0 <= col < cols):
        raise IllegalMove(f"{text} is not on the board; cells are a1 to {last}")
    return row * cols + col


def parse_column(text: str, *, cols: int) -> int:
    """The column, counted from 0, that a number from 1 means."""
    text = text.strip()
    if not (text.isascii() and text.isdigit()):
        raise IllegalMove(f"{text!r} is not a column; columns are 1 to {cols}")
    if len(text) > 4 or not 1 <= int(text) <= cols:
        raise IllegalMove(f"column {text} is not on the board; columns are 1 to {cols}")
    return int(text) - 1


def split_moves(text: str, *, single_digits: bool) -> list[str]:
    """The parts of a sequence: separated by spaces or commas, or bare digits where allowed."""
    parts = text.replace(",", " ").split()
    if single_digits and len(parts) == 1 and parts[0].isascii() and parts[0].isdigit():
        return list(parts[0])
    return parts
