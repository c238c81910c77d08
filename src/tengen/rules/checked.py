"""Games from outside, checked at every call: their mistakes become one clear sentence."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import SpecError, TengenError
from tengen.rules.game import AnyGame, Game, Outcome


class CheckedGame(Game[Any]):
    """Another game with its answers checked, so that an error in it says where it is."""

    def __init__(self, game: AnyGame, spec: str) -> None:
        self._game = game
        self._spec = spec
        for name, kind in (("name", str), ("rows", int), ("cols", int), ("move_count", int)):
            value = getattr(game, name, None)
            if not isinstance(value, kind) or (isinstance(value, int) and value < 1):
                must = "text" if kind is str else "a whole number of at least 1"
                raise SpecError(f"{spec}: {name} is {value!r}; it must be {must}")
        self.name = game.name
        self.rows, self.cols, self.move_count = game.rows, game.cols, game.move_count
        self._symmetries: list[list[int]] | None = None
        self._cell_symmetries: list[list[int]] | None = None

    @property
    def spec(self) -> str:
        return self._spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CheckedGame) and self._spec == other._spec

    def __hash__(self) -> int:
        return hash(self._spec)

    def __repr__(self) -> str:
        return f"tengen.game({self._spec!r})"

    def start(self) -> object:
        return self._ask("start")

    def mover(self, state: object) -> int:
        mover = self._ask("mover", state)
        if mover not in (0, 1):
            raise self._wrong("mover", mover, "0 or 1")
        return int(mover)

    def legal_moves(self, state: object) -> Sequence[int]:
        answer = self._ask("legal_moves", state)
        try:
            moves = tuple(int(move) for move in answer)
        except (TypeError, ValueError):
            raise self._wrong("legal_moves", answer, "a list of whole numbers") from None
        if not moves or any(not 0 <= move < self.move_count for move in moves):
            allowed = f"at least one number from 0 to {self.move_count - 1}"
            raise self._wrong("legal_moves", moves, allowed)
        return moves

    def play(self, state: object, move: int) -> object:
        return self._ask("play", state, move)

    def outcome(self, state: object) -> Outcome:
        outcome = self._ask("outcome", state)
        if not isinstance(outcome, Outcome):
            raise self._wrong("outcome", outcome, "an Outcome")
        return outcome

    def symbols(self, state: object) -> Sequence[str]:
        symbols = self._ask("symbols", state)
        if not isinstance(symbols, Sequence) or len(symbols) != self.rows * self.cols:
            raise self._wrong("symbols", symbols, f"{self.rows * self.cols} symbols")
        return [str(symbol) for symbol in symbols]

    def winning_line(self, state: object) -> Sequence[int]:
        return tuple(self._ask("winning_line", state))

    def filled_cell(self, state: object, move: int) -> int | None:
        cell: int | None = self._ask("filled_cell", state, move)
        return cell

    def move_text(self, move: int) -> str:
        return str(self._ask("move_text", move))

    def parse_move(self, text: str) -> int:
        return int(self._ask("parse_move", text))

    def key(self, state: object) -> int:
        return int(self._ask("key", state))

    def from_key(self, key: int) -> object:
        return self._ask("from_key", key)

    def from_board(self, board: Sequence[int]) -> object:
        return self._ask("from_board", board)

    @property
    def cell_symmetries(self) -> Sequence[Sequence[int]]:
        if self._cell_symmetries is None:
            size = self.rows * self.cols
            self._cell_symmetries = self._checked_symmetries("cell_symmetries", size)
        return self._cell_symmetries

    @property
    def symmetries(self) -> Sequence[Sequence[int]]:
        if self._symmetries is None:
            count = len(self.cell_symmetries)  # checked first: the default follows from them
            found = self._checked_symmetries("symmetries", self.move_count)
            if len(found) != count:
                raise self._wrong("symmetries", found, f"as many as the {count} cell_symmetries")
            self._symmetries = found
        return self._symmetries

    def planes(self, state: object, names: Sequence[str]) -> NDArray[np.float32]:
        if type(self._game).planes is Game.planes:
            return super().planes(state, names)  # from parts that are checked themselves
        answer = self._ask("planes", state, names)
        shape = (len(names), self.rows, self.cols)
        try:
            planes = np.asarray(answer, np.float32)
        except (TypeError, ValueError):
            raise self._wrong("planes", answer, f"an array of numbers of shape {shape}") from None
        if planes.shape != shape:
            raise self._wrong("planes", planes.shape, f"an array of shape {shape}")
        if not ((planes == 0) | (planes == 1)).all():  # records of training keep a bit for each
            raise self._wrong("planes", answer, "numbers that are 0 or 1")
        return planes

    def _checked_symmetries(self, name: str, size: int) -> list[list[int]]:
        answer = self._asked(name, lambda: getattr(self._game, name))
        try:
            found = [[int(image) for image in permutation] for permutation in answer]
        except (TypeError, ValueError):
            raise self._wrong(name, answer, "a list of permutations") from None
        for permutation in found:
            if sorted(permutation) != list(range(size)):
                raise self._wrong(name, permutation, f"permutations of 0 to {size - 1}")
        if not found or found[0] != list(range(size)):
            raise self._wrong(name, found, "permutations of which the first changes nothing")
        return found

    def _ask(self, method: str, *arguments: object) -> Any:
        return self._asked(method, lambda: getattr(self._game, method)(*arguments))

    def _asked(self, method: str, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except TengenError:
            raise
        except Exception as error:  # a game somebody wrote may raise anything
            raise TengenError(
                f"game {self.name}: {method}: {type(error).__name__}: {error}"
            ) from error

    def _wrong(self, method: str, answer: object, allowed: str) -> TengenError:
        shown = repr(answer)[:60]
        return TengenError(f"game {self.name}: {method} gives {shown}; it must be {allowed}")
