"""The k-in-a-row games, on the native core."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tengen import _core
from tengen.errors import IllegalMove, ImpossiblePosition
from tengen.rules.game import Game, Outcome
from tengen.rules.notation import (
    BLOCKED,
    EMPTY,
    FIRST,
    SECOND,
    cell_name,
    parse_cell,
    parse_column,
)
from tengen.rules.planes import parse_plane
from tengen.rules.spec import Rules

GridState = _core.Position


class GridGame(Game[GridState]):
    """A game of the m,n,k family, with or without gravity."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.geometry = rules.geometry()
        self.name = rules.spec
        self.rows, self.cols = rules.rows, rules.cols
        self.move_count = rules.cols if rules.gravity else rules.rows * rules.cols
        self._start = GridState(self.geometry)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, GridGame) and self.rules == other.rules)

    def __hash__(self) -> int:
        return hash(self.rules)

    def __reduce__(self) -> tuple[type["GridGame"], tuple[Rules]]:
        return (GridGame, (self.rules,))  # the native tables are made anew

    def __repr__(self) -> str:
        return f"tengen.game({self.name!r})"

    def start(self) -> GridState:
        return self._start

    def mover(self, state: GridState) -> int:
        return state.mover

    def legal_moves(self, state: GridState) -> Sequence[int]:
        return state.legal_moves()

    def play(self, state: GridState, move: int) -> GridState:
        return state.play(move)

    def checked_play(self, state: GridState, move: int) -> GridState:
        if not 0 <= move < self.move_count:
            raise IllegalMove(f"move {move} is not one of 0 to {self.move_count - 1}")
        return state.play(move)

    def outcome(self, state: GridState) -> Outcome:
        return state.outcome

    def symbols(self, state: GridState) -> Sequence[str]:
        symbols = [(EMPTY, FIRST, SECOND)[stone] for stone in state.cells()]
        for cell in self.rules.blocked:
            symbols[cell] = BLOCKED
        return symbols

    def winning_line(self, state: GridState) -> Sequence[int]:
        return state.winning_line()

    def filled_cell(self, state: GridState, move: int) -> int | None:
        return state.play(move).filled[-1]

    def move_text(self, move: int) -> str:
        if self.rules.gravity:
            return str(move + 1)
        return cell_name(move, rows=self.rows, cols=self.cols)

    def parse_move(self, text: str) -> int:
        if self.rules.gravity:
            return parse_column(text, cols=self.cols)
        return parse_cell(text, rows=self.rows, cols=self.cols)

    def key(self, state: GridState) -> int:
        """One base-3 digit per cell, cell 0 the lowest: 0 empty, 1 first, 2 second."""
        return int("".join(map(str, reversed(state.cells()))), 3)

    def from_key(self, key: int) -> GridState:
        cells, rest = [], key
        for _ in range(self.rows * self.cols):
            rest, digit = divmod(rest, 3)
            cells.append(digit)
        if rest != 0:
            raise ImpossiblePosition(f"key {key} is not one of {self.name}")
        return self.from_board(cells)

    def from_board(self, board: Sequence[int]) -> GridState:
        stones = list(board)
        for cell, stone in enumerate(stones):
            if stone not in (0, 1, 2):
                raise ImpossiblePosition(
                    f"cell {cell} holds {stone!r}; it must be 0 (empty), 1 (first) or 2 (second)"
                )
        return GridState.from_stones(self.geometry, [int(stone) for stone in stones])

    def hash(self, state: GridState) -> int:
        """Zobrist's 64-bit hash of the stones."""
        return state.hash

    @property
    def symmetries(self) -> list[list[int]]:
        return self.geometry.move_symmetries

    @property
    def cell_symmetries(self) -> list[list[int]]:
        return self.geometry.cell_symmetries

    def planes(self, state: GridState, names: Sequence[str]) -> NDArray[np.float32]:
        return state.planes([parse_plane(name) for name in names])
