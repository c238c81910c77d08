"""Feature planes: the names of what a network sees, and how they follow from a drawn board."""

from collections.abc import Sequence, Set
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tengen import _core
from tengen.errors import SpecError, TengenError
from tengen.rules.notation import BLOCKED, EMPTY, FIRST, SECOND

_SYMBOLS = frozenset((EMPTY, FIRST, SECOND, BLOCKED))
_KINDS = {kind.name: kind for kind in _core.PlaneKind}


@cache
def parse_plane(name: str) -> tuple[_core.PlaneKind, int]:
    """The native kind and age of a plane by its name; raises when there is none."""
    age = name.removeprefix("last")
    if age != name and age.isascii() and age.isdigit() and 1 <= int(age) <= _core.MAX_SIDE**2:
        return _core.PlaneKind.last, int(age)
    if name not in _KINDS or name == "last":
        raise SpecError(
            f"plane {name!r} is not known; planes are mover, opponent, empty, playable, "
            "last1, last2, …, colour, odd, wins and threats"
        )
    return _KINDS[name], 0


def drawn_planes(
    symbols: Sequence[str], names: Sequence[str], *, mover: int, playable: Set[int]
) -> NDArray[np.float32]:
    """The planes of a board that is drawn with the four symbols, for the mover. # [planes, cells].

    ``playable``: the cells that a legal move fills, where anybody wants to know.
    """
    others = set(symbols) - _SYMBOLS
    if others:
        raise TengenError(
            f"planes follow from the symbols . X O #, not {min(others)!r}; "
            "a game with others must have a method planes of its own"
        )
    board = np.frombuffer("".join(symbols).encode("ascii"), np.uint8)  # [cells]
    own, other = (FIRST, SECOND) if mover == 0 else (SECOND, FIRST)
    planes = np.zeros((len(names), len(board)), np.float32)
    for plane, name in zip(planes, names, strict=True):
        match name:
            case "mover":
                plane[:] = board == ord(own)
            case "opponent":
                plane[:] = board == ord(other)
            case "empty":
                plane[:] = board == ord(EMPTY)
            case "playable":
                plane[list(playable)] = 1
            case "colour":
                plane[:] = mover == 0
            case "odd" | "wins" | "threats":
                pass  # of gravity and of lines, which a drawn board has not
            case _:
                raise AssertionError(f"{name} does not follow from a board")
    return planes
