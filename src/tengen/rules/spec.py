"""The names of games: ``connect4``, ``mnk:15x15x5:line=exact``, ``path/to/file.py:ClassName``."""

import re
from random import Random

from pydantic import Field

from tengen import _core
from tengen.config import Settings
from tengen.errors import SpecError, TengenError
from tengen.rules.notation import cell_name, parse_cell

#: Line rules as they are written in a spec.
LINES = {
    "free": _core.LineRule.free,
    "exact": _core.LineRule.exact,
    "blocked": _core.LineRule.blocked,
    "blocked-free": _core.LineRule.blocked_free,
}

#: Named games and what they stand for.
NAMED = {
    "tictactoe": "mnk:3x3x3",
    "connect4": "connect:6x7x4",
    "gomoku": "mnk:15x15x5",
    "gomoku-standard": "mnk:15x15x5:line=exact",
    "caro": "mnk:19x19x5",
    "caro-blocked": "mnk:19x19x5:line=blocked",
}

_SHAPE = re.compile(r"(\d{1,4})x(\d{1,4})x(\d{1,4})", re.ASCII)


class Rules(Settings):
    """One game of the m,n,k family: board, length of a line, which lines win."""

    rows: int
    cols: int
    k: int
    gravity: bool = False
    line: str = "free"
    blocked: tuple[int, ...] = Field(default=(), description="cells that hold no stone")

    @property
    def spec(self) -> str:
        """The text that gives exactly these rules, by name where there is one."""
        text = f"{'connect' if self.gravity else 'mnk'}:{self.rows}x{self.cols}x{self.k}"
        if self.line != "free":
            text += f":line={self.line}"
        if self.blocked:
            names = (cell_name(cell, rows=self.rows, cols=self.cols) for cell in self.blocked)
            text += f":blocked={'/'.join(names)}"
        return next((name for name, spec in NAMED.items() if spec == text), text)

    def geometry(self) -> _core.Geometry:
        """The native tables of these rules; raises when the engine does not play them."""
        return _core.Geometry.of(
            self.rows,
            self.cols,
            self.k,
            gravity=self.gravity,
            line=LINES[self.line],
            blocked=self.blocked,
        )


def parse_rules(text: str, *, seed: int | None = None) -> Rules:
    """Read the spec of a k-in-a-row game; ``seed`` decides what ``blocked=random`` is."""
    try:
        rules = _parse(NAMED.get(text, text), seed)
        rules.geometry()
    except TengenError as error:
        raise SpecError(f"game {text!r}: {error}") from None
    return rules


def _parse(text: str, seed: int | None) -> Rules:
    family, _, rest = text.partition(":")
    if family not in ("mnk", "connect"):
        raise SpecError(
            f"it is not known; it must be {', '.join(NAMED)}, mnk:ROWSxCOLSxK, "
            "connect:ROWSxCOLSxK or path/to/file.py:ClassName"
        )
    shape_text, *options = rest.split(":")
    shape = _SHAPE.fullmatch(shape_text)
    if shape is None:
        raise SpecError(f"{shape_text!r} is not a shape; it must be ROWSxCOLSxK, as in 6x7x4")
    rows, cols, k = (int(part) for part in shape.groups())
    # Before any cell is named: a cell's name only makes sense on a board that can be.
    Rules(rows=rows, cols=cols, k=k, gravity=family == "connect").geometry()
    line = "free"
    blocked: tuple[int, ...] = ()
    given: set[str] = set()
    for option in options:
        key, has_value, value = option.partition("=")
        if key not in ("line", "blocked") or not has_value:
            raise SpecError(f"{option!r} is not an option; it has: line=…, blocked=…")
        if key in given:
            raise SpecError(f"{key} is given twice")
        given.add(key)
        if key == "line":
            if value not in LINES:
                raise SpecError(f"line is {value!r}; it must be {', '.join(LINES)}")
            line = value
        else:
            blocked = _parse_blocked(value, rows=rows, cols=cols, seed=seed)
    return Rules(rows=rows, cols=cols, k=k, gravity=family == "connect", line=line, blocked=blocked)


def _parse_blocked(value: str, *, rows: int, cols: int, seed: int | None) -> tuple[int, ...]:
    if value == "random":
        return (Random(seed).randrange(rows * cols),)
    return tuple(sorted({parse_cell(name, rows=rows, cols=cols) for name in value.split("/")}))
