"""What a game is, and a position in it: the contract everything else is written against.

Whoever adds a game subclasses :class:`Game` and writes six methods over states of their own
choosing; see ``examples/othello.py``. The others have defaults, among them what a network sees.
Everything that plays, shows or measures a game sees it through :class:`Position`, which pairs a
state with its game.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tengen import _core
from tengen.errors import IllegalMove, ImpossiblePosition, SpecError, TengenError
from tengen.rules.notation import BLOCKED, EMPTY, FIRST, SECOND, cell_name, split_moves
from tengen.rules.planes import drawn_planes, parse_plane

Outcome = _core.Outcome
State = TypeVar("State")
State_co = TypeVar("State_co", covariant=True)


def moves_beyond_cells(cells: int, move_count: int) -> int | None:
    """How many moves a game has besides one per cell; None when its moves cannot be cells.

    A game with at least as many again numbers its moves in a way of its own.
    """
    return move_count - cells if cells <= move_count < 2 * cells else None


class Game(ABC, Generic[State]):
    """The rules of a two-player game of alternating wins, losses and draws.

    States are immutable and are compared with ``==``. A move is a number from 0 to
    ``move_count - 1``. Players are 0 (moves first) and 1.
    """

    #: What users call it.
    name: str
    #: The grid the board is drawn on.
    rows: int
    cols: int
    #: The number of different moves, legal or not.
    move_count: int

    @property
    def spec(self) -> str:
        """The text that gives this game again; its name where there is no other."""
        return self.name

    @abstractmethod
    def start(self) -> State:
        """The state before the first move."""

    @abstractmethod
    def mover(self, state: State) -> int:
        """Whose move it is."""

    @abstractmethod
    def legal_moves(self, state: State) -> Sequence[int]:
        """The moves allowed in an ongoing state, ascending; never empty."""

    @abstractmethod
    def play(self, state: State, move: int) -> State:
        """The state after a legal move."""

    @abstractmethod
    def outcome(self, state: State) -> Outcome:
        """How the game stands."""

    @abstractmethod
    def symbols(self, state: State) -> Sequence[str]:
        """What to draw in each cell, row 0 first: ``.`` empty, ``X`` first, ``O`` second."""

    def checked_play(self, state: State, move: int) -> State:
        """The state after any move; raises :class:`IllegalMove` unless it is legal."""
        if self.outcome(state) is not Outcome.ongoing:
            raise IllegalMove("the game is over")
        if not 0 <= move < self.move_count:
            raise IllegalMove(f"move {move} is not one of 0 to {self.move_count - 1}")
        if move not in self.legal_moves(state):
            raise IllegalMove(f"{self.move_text(move)} is not allowed here")
        return self.play(state, move)

    def winning_line(self, state: State) -> Sequence[int]:
        """The cells to highlight in a finished game; none unless a game says otherwise."""
        return ()

    def filled_cell(self, state: State, move: int) -> int | None:
        """The cell that a legal move fills, where that makes sense."""
        cells = self.rows * self.cols
        return move if move < cells <= self.move_count else None

    def move_text(self, move: int) -> str:
        """A move as people write it; cell names where moves are cells."""
        if move < self.rows * self.cols:
            return cell_name(move, rows=self.rows, cols=self.cols)
        return str(move + 1)

    def parse_move(self, text: str) -> int:
        """The move that a text means, legal or not."""
        wanted = text.strip().lower()
        for move in range(self.move_count):
            if self.move_text(move).lower() == wanted:
                return move
        raise IllegalMove(f"{text!r} is not a move of {self.name}")

    def key(self, state: State) -> int:
        """An integer that tells states apart and can be turned back into one."""
        raise TengenError(f"{self.name} has no keys")

    def from_key(self, key: int) -> State:
        """The state that has this key."""
        raise TengenError(f"{self.name} has no keys")

    def from_board(self, board: Sequence[int]) -> State:
        """The state with these stones: 0 empty, 1 first, 2 second per cell, row 0 on top."""
        raise TengenError(f"{self.name} cannot be set up from a board")

    @property
    def has_cell_moves(self) -> bool:
        """Whether the first moves are the cells; only a few more, such as a pass, may follow."""
        return moves_beyond_cells(self.rows * self.cols, self.move_count) is not None

    @property
    def cell_symmetries(self) -> Sequence[Sequence[int]]:
        """Permutations of the cells that leave the game the same, the identity first.

        Cell ``c`` of a position is cell ``permutation[c]`` of its image. None but the identity
        unless a game says otherwise.
        """
        return [list(range(self.rows * self.cols))]

    @property
    def symmetries(self) -> Sequence[Sequence[int]]:
        """The same for moves, in the same order.

        Where moves are cells these follow from the cells'; further moves stay as they are.
        """
        if self.has_cell_moves:
            others = range(self.rows * self.cols, self.move_count)
            return [[*cells, *others] for cells in self.cell_symmetries]
        if len(self.cell_symmetries) > 1:
            raise TengenError(
                f"{self.name} has cell_symmetries, and moves that are not its cells; "
                "it must have symmetries of the moves too"
            )
        return [list(range(self.move_count))]

    def planes(self, state: State, names: Sequence[str]) -> NDArray[np.float32]:
        """Feature planes of 0 and 1, for the mover. # [planes, rows, cols].

        Names are ``mover``, ``opponent``, ``empty``, ``playable`` (what a move can fill now),
        ``last1``, ``last2``, … (the cell filled so many plies ago), ``colour`` (1 everywhere when
        the first player is to move), ``odd`` (cells at an odd height, the lowest row being 1; none
        without gravity), ``wins`` and ``threats`` (empty cells where a stone of the mover's, or of
        the opponent's, would win). Without a method of its own a game has those that follow from
        its symbols and legal moves.
        """
        for name in names:
            if parse_plane(name)[0] is _core.PlaneKind.last:
                raise SpecError(f"{self.name} keeps no history; it cannot fill the plane {name}")
        playable: set[int] = set()
        if "playable" in names and self.outcome(state) is Outcome.ongoing:
            filled = (self.filled_cell(state, move) for move in self.legal_moves(state))
            playable = {cell for cell in filled if cell is not None}
        planes = drawn_planes(
            self.symbols(state), names, mover=self.mover(state), playable=playable
        )
        return planes.reshape(len(names), self.rows, self.cols)

    def position(self, moves: str | Iterable[int] = ()) -> "Position[State]":
        """The position after some moves, given as text or as numbers."""
        position = Position(self, self.start(), ())
        if isinstance(moves, str):
            single_digits = self.move_count <= 9 and self.move_text(0) == "1"
            moves = (
                self.parse_move(part) for part in split_moves(moves, single_digits=single_digits)
            )
        try:
            for move in moves:
                position = position.play(move)
        except IllegalMove as error:
            raise IllegalMove(f"move {len(position.moves) + 1}: {error}") from None
        return position


@dataclass(frozen=True, slots=True)
class Position(Generic[State_co]):
    """A state of a game and the moves that led to it from where it was set up; immutable."""

    game: Game[State_co]
    state: State_co
    moves: tuple[int, ...] = ()

    @property
    def mover(self) -> int:
        """0 when the first player is to move, 1 when the second is."""
        return self.game.mover(self.state)

    @property
    def outcome(self) -> Outcome:
        """How the game stands."""
        return self.game.outcome(self.state)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not Outcome.ongoing

    @property
    def legal_moves(self) -> tuple[int, ...]:
        """The moves allowed now, ascending; none when the game is over."""
        return () if self.is_over else tuple(self.game.legal_moves(self.state))

    @property
    def winning_line(self) -> tuple[int, ...]:
        """The cells of the winning lines, ascending; none when nobody has won."""
        return tuple(self.game.winning_line(self.state))

    @property
    def key(self) -> int:
        """An exact integer: equal keys mean equal stones."""
        return self.game.key(self.state)

    def play(self, move: int) -> Self:
        """The position after a move; raises :class:`IllegalMove`."""
        state = self.game.checked_play(self.state, move)
        return type(self)(self.game, state, (*self.moves, int(move)))

    def to_text(self) -> str:
        """The board as lines of symbols, row 0 first; :meth:`from_text` reads it back."""
        symbols, cols = self.game.symbols(self.state), self.game.cols
        rows = (symbols[i : i + cols] for i in range(0, len(symbols), cols))
        return "\n".join(" ".join(row) for row in rows)

    @classmethod
    def from_text(cls, game: Game[State_co], text: str) -> Self:
        """The position that a drawing shows; the symbols are those of :meth:`to_text`."""
        values = {EMPTY: 0, FIRST: 1, SECOND: 2, BLOCKED: 0}
        symbols = "".join(text.split()).upper()
        for symbol in symbols:
            if symbol not in values:
                raise ImpossiblePosition(f"{symbol!r} is no symbol; they are . X O #")
        position = cls.from_board(game, [values[symbol] for symbol in symbols])
        for cell, (given, actual) in enumerate(
            zip(symbols, game.symbols(position.state), strict=True)
        ):
            if (given == BLOCKED) != (actual == BLOCKED):
                name = cell_name(cell, rows=game.rows, cols=game.cols)
                raise ImpossiblePosition(f"{name} is drawn as {given!r}; it is {actual!r}")
        return position

    @classmethod
    def from_key(cls, game: Game[State_co], key: int) -> Self:
        """The position that has this key."""
        return cls(game, game.from_key(key))

    @classmethod
    def from_board(cls, game: Game[State_co], board: Sequence[int]) -> Self:
        """The position with these stones: 0 empty, 1 first, 2 second per cell, row 0 on top."""
        return cls(game, game.from_board(board))

    def __str__(self) -> str:
        return self.to_text()


#: A game or position of any kind: its states mean something to the game alone.
AnyGame: TypeAlias = Game[Any]
AnyPosition: TypeAlias = Position[Any]
