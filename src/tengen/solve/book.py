"""The opening book of Connect Four: every position of twelve stones, solved.

The data come from the package ``bitbully-databases`` (MIT licence, Markus Thill), of the extra
``web``: 4.2 million positions, up to the mirror image, none of which has a win at once. An entry is
five bytes: a code of the stones, then the plies to the end. The code lists the columns from the
left, each from the bottom: ``10`` a stone of the first player, ``11`` of the second, ``0`` the end
of the column; twelve stones and seven ends make 31 bits.

``benchmarks/book.py`` checks a sample of it against the solver.
"""

from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from tengen.rules import GridGame

_PACKAGE = "bitbully_databases"
_FILE = "assets/book_12ply_distances.dat"
_ENTRY = np.dtype([("code", ">i4"), ("plies", "i1")])
_STONES = 12


@dataclass(frozen=True, slots=True)
class Book:
    """Positions of a fixed number of stones and their scores for the mover."""

    stones: int
    codes: NDArray[np.int32]  # [entries], ascending
    scores: NDArray[np.int8]  # [entries]


def book_for(game: GridGame) -> Book | None:
    """The book of a game, where there is one and its data are installed."""
    if game.name != "connect4" or find_spec(_PACKAGE) is None:
        return None
    entries = np.frombuffer(files(_PACKAGE).joinpath(_FILE).read_bytes(), dtype=_ENTRY)
    signed = entries["plies"].astype(np.int16)
    # 100 minus the plies to the end when the mover wins, minus that when it loses, 0 for a draw.
    plies = 100 - np.abs(signed)
    stones_before_last = _STONES + plies - 1
    scores = np.sign(signed) * ((game.rows * game.cols + 1 - stones_before_last) // 2)
    return Book(
        stones=_STONES,
        codes=entries["code"].astype(np.int32),
        scores=scores.astype(np.int8),
    )
