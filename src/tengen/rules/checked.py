"""Games from outside, checked at every call: their mistakes become one clear sentence."""

from collections.abc import Sequence
from typing import Any

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

    def from_board(self, board: Sequence[int]) -> object:
        return self._ask("from_board", board)

    def _ask(self, method: str, *arguments: object) -> Any:
        try:
            return getattr(self._game, method)(*arguments)
        except TengenError:
            raise
        except Exception as error:
            raise TengenError(
                f"game {self.name}: {method}: {type(error).__name__}: {error}"
            ) from error

    def _wrong(self, method: str, answer: object, allowed: str) -> TengenError:
        shown = repr(answer)[:60]
        return TengenError(f"game {self.name}: {method} gives {shown}; it must be {allowed}")
