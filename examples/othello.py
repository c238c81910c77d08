"""Othello on 6x6, as an example of a game written in plain Python.

Try it:  tengen play examples/othello.py:Othello6
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tengen import Game, Outcome

SIDE = 6
PASS = SIDE * SIDE  # legal only when there is nothing else
AROUND = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]


@dataclass(frozen=True)
class Board:
    """Discs per cell (0 empty, 1 first, 2 second) and whose move it is."""

    cells: tuple[int, ...]
    mover: int


class Othello6(Game[Board]):
    """Who has more discs when neither side can move wins."""

    name = "othello6"
    rows = cols = SIDE
    move_count = SIDE * SIDE + 1

    def start(self) -> Board:
        cells = [0] * PASS
        cells[14], cells[15], cells[20], cells[21] = 2, 1, 1, 2
        return Board(tuple(cells), 0)

    def mover(self, state: Board) -> int:
        return state.mover

    def legal_moves(self, state: Board) -> Sequence[int]:
        return [move for move in range(PASS) if self._flips(state, move)] or [PASS]

    def play(self, state: Board, move: int) -> Board:
        cells = list(state.cells)
        if move != PASS:
            for cell in [move, *self._flips(state, move)]:
                cells[cell] = state.mover + 1
        return Board(tuple(cells), 1 - state.mover)

    def outcome(self, state: Board) -> Outcome:
        other = Board(state.cells, 1 - state.mover)
        if any(self._flips(board, move) for board in (state, other) for move in range(PASS)):
            return Outcome.ongoing
        lead = state.cells.count(1) - state.cells.count(2)
        if lead == 0:
            return Outcome.draw
        return Outcome.first_wins if lead > 0 else Outcome.second_wins

    def symbols(self, state: Board) -> Sequence[str]:
        return [".XO"[disc] for disc in state.cells]

    def move_text(self, move: int) -> str:
        return "pass" if move == PASS else super().move_text(move)

    @property
    def cell_symmetries(self) -> Sequence[Sequence[int]]:
        """The images of the board, itself among them, with the first four discs as they were."""
        same = list(range(PASS))
        mirrored = [cell % SIDE * SIDE + cell // SIDE for cell in same]  # along a diagonal
        return [same, mirrored, same[::-1], mirrored[::-1]]

    def _flips(self, state: Board, move: int) -> list[int]:
        """The discs that a move turns over; none when it is not legal."""
        flips: list[int] = []
        own, enemy = state.mover + 1, 2 - state.mover
        for down, right in AROUND if state.cells[move] == 0 else ():
            line, row, col = [], *divmod(move, SIDE)
            while 0 <= (row := row + down) < SIDE and 0 <= (col := col + right) < SIDE:
                if state.cells[row * SIDE + col] != enemy:
                    break
                line.append(row * SIDE + col)
            if 0 <= row < SIDE and 0 <= col < SIDE and state.cells[row * SIDE + col] == own:
                flips += line
        return flips
