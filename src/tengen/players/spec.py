"""The grammar of players: ``kind[:target][,key=value…]``.

A target with spaces or commas is put in double quotes; a bare path to an ``.onnx`` file means
``net:PATH``.
"""

import re
from dataclasses import dataclass

from tengen.errors import SpecError

_HEAD = re.compile(r'(?P<kind>[a-z]+)(?::(?P<target>"[^"]*"|[^,"]*))?(?P<rest>,.*)?', re.DOTALL)
_PATH = re.compile(r'(?P<target>"[^"]*\.onnx"|[^,"]*\.onnx)(?P<rest>,.*)?', re.DOTALL)


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A player as it was written: nothing is checked yet but the form."""

    text: str
    kind: str
    target: str | None
    values: dict[str, str]


def parse_player_spec(text: str) -> PlayerSpec:
    """Split a spec into its kind, target and values."""
    text = text.strip()
    path = _PATH.fullmatch(text)
    match = path if path and not text.startswith(("net:", "hybrid:")) else _HEAD.fullmatch(text)
    if match is None:
        raise SpecError(f"player {text!r} cannot be read; it must be kind[:target][,key=value…]")
    target = match["target"]
    if target is not None:
        target = target.strip('"')
        if not target:
            raise SpecError(f"player {text!r} has an empty target after ':'")
    return PlayerSpec(
        text=text,
        kind="net" if match is path else match["kind"],
        target=target,
        values=_values(text, match["rest"]),
    )


def _values(text: str, rest: str | None) -> dict[str, str]:
    values: dict[str, str] = {}
    for part in rest[1:].split(",") if rest else []:
        key, has_value, value = (piece.strip() for piece in part.partition("="))
        if not (key and has_value and value):
            raise SpecError(f"player {text!r}: {part!r} is not key=value")
        if key in values:
            raise SpecError(f"player {text!r}: {key} is given twice")
        values[key] = value
    return values
