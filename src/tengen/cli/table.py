"""Two seats at a board in the terminal: drawing, keys, commands, turns."""

import sys
from dataclasses import dataclass

from rich.console import Console

from tengen.cli.drawing import draw
from tengen.cli.keys import key_by_key, read_key
from tengen.errors import IllegalMove
from tengen.players import Player, player
from tengen.rules import AnyPosition, Outcome
from tengen.search import Decision

#: Whom the human asks for a hint, and plays against when nobody else is named.
HINT_PLAYER = "uct,time=1s"
_NAMES = ("X", "O")
_LEGEND_KEYS = "arrows + Enter, or type a move · undo · hint · resign · quit"
_LEGEND_LINES = "type a move such as {move} · undo · hint · resign · quit"


@dataclass(frozen=True, slots=True)
class Seat:
    """A player, or None for the human at the keyboard."""

    name: str
    player: Player | None


class Quit(Exception):
    """The human has left."""


class TablePlay:
    """One game from a position to its end, or until the human leaves."""

    def __init__(
        self,
        position: AnyPosition,
        seats: tuple[Seat, Seat],
        *,
        seed: int | None,
        quiet: bool,
    ) -> None:
        self.position = position
        self.outcome = position.outcome
        self._seats = seats
        self._seed = seed
        self._quiet = quiet
        self._console = Console(highlight=False)
        self._keys = (
            not quiet
            and sys.stdin is not None
            and sys.stdin.isatty()
            and sys.stdout.isatty()
            and any(seat.player is None for seat in seats)
        )
        self._earlier: list[AnyPosition] = []
        self._thoughts = ""  # of the engine, after its move
        self._message = ""
        self._cursor = self._middle()
        self._typed = ""

    def run(self) -> None:
        """Play until the game is over or the human leaves."""
        try:
            if self._keys:
                with key_by_key():
                    self._play()
            else:
                self._play()
        except Quit:
            return
        self._show()

    def _play(self) -> None:
        while self.outcome is Outcome.ongoing:
            seat = self._seats[self.position.mover]
            if seat.player is None:
                self._obey(self._ask())
            else:
                self._show(f"{seat.name} is thinking …")
                decision = seat.player.decide(self.position)
                self._thoughts = self.describe(seat.name, decision)
                self._advance(decision.move)

    def _advance(self, move: int) -> None:
        after = self.position.play(move)
        self._earlier.append(self.position)
        self.position = after
        self.outcome = self.position.outcome
        self._message = ""

    # -- commands --

    def _obey(self, command: str) -> None:
        """Carry out what the human typed."""
        words = {"undo": self._undo, "hint": self._hint, "resign": self._resign, "quit": _leave}
        command = command.strip().lower()
        action = words.get(command)
        if action is not None:
            action()
            return
        if not command:
            return
        try:
            self._advance(self.position.game.parse_move(command))
        except IllegalMove as error:
            self._message = f"{error}."

    def _undo(self) -> None:
        """Back to where a human last had the move."""
        humans = [i for i, seat in enumerate(self._seats) if seat.player is None]
        own = [i for i, earlier in enumerate(self._earlier) if earlier.mover in humans]
        if not own:
            self._message = "there is nothing to take back"
            return
        self.position = self._earlier[own[-1]]
        del self._earlier[own[-1] :]
        self._message, self._thoughts = "taken back", ""

    def _hint(self) -> None:
        self._show("looking for a hint …")
        adviser = player(HINT_PLAYER, self.position.game, seed=self._seed)
        self._message = self.describe("hint", adviser.decide(self.position))

    def _resign(self) -> None:
        winners = (Outcome.second_wins, Outcome.first_wins)
        self.outcome = winners[self.position.mover]
        self._message = f"{_NAMES[self.position.mover]} resigns."

    # -- the human's turn --

    def _ask(self) -> str:
        """A command: typed as a line, or made with keys."""
        self._show()
        if not self._keys:
            line = sys.stdin.readline() if sys.stdin is not None else ""
            return line if line else "quit"
        self._typed = ""
        while True:
            key = read_key()
            if key == "end":
                return "quit"
            if key == "enter":
                return self._typed or self._at_cursor()
            if key in ("up", "down", "left", "right"):
                self._move_cursor(key)
            elif key == "backspace":
                self._typed = self._typed[:-1]
            elif len(key) == 1 and len(self._typed) < 20:
                self._typed += key
            self._show()

    def _middle(self) -> tuple[int, int]:
        game = self.position.game
        return (game.rows // 2, game.cols // 2)

    def _by_column(self) -> bool:
        return self.position.game.move_count == self.position.game.cols

    def _move_cursor(self, key: str) -> None:
        game = self.position.game
        row, col = self._cursor
        down, right = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}[key]
        self._cursor = ((row + down) % game.rows, (col + right) % game.cols)

    def _at_cursor(self) -> str:
        row, col = self._cursor
        game = self.position.game
        return game.move_text(col if self._by_column() else row * game.cols + col)

    def _cursor_cell(self) -> int | None:
        """Where the cursor is drawn: on a gravity board where the stone would land."""
        if not self._keys or self._seats[self.position.mover].player is not None:
            return None
        row, col = self._cursor
        game = self.position.game
        if not self._by_column():
            return row * game.cols + col
        if col not in self.position.legal_moves:
            return col  # a full column: point at its top
        return game.filled_cell(self.position.state, col)

    # -- the screen --

    def _show(self, status: str = "") -> None:
        if self._quiet:
            return
        if self._keys:
            self._console.file.write("\x1b[2J\x1b[H")
        game = self.position.game
        names = " · ".join(
            f"{name} {seat.name}" for name, seat in zip(_NAMES, self._seats, strict=True)
        )
        self._console.print(f"{game.name}   {names}", style="bold", markup=False)
        self._console.print()
        over = self.outcome is not Outcome.ongoing
        cursor = None if over else self._cursor_cell()
        board = draw(self.position, cursor=cursor, last=self._last_cell())
        self._console.print(board, no_wrap=True, overflow="ignore", crop=False)
        for line in (self._thoughts, self._message, status or self._status()):
            if line:
                self._console.print(line, markup=False, soft_wrap=True)
        self._console.file.flush()

    def _status(self) -> str:
        """Whose turn it is and what can be done, or how it ended."""
        game = self.position.game
        if self.outcome is Outcome.draw:
            return "Draw."
        if self.outcome is not Outcome.ongoing:
            winner = 0 if self.outcome is Outcome.first_wins else 1
            return f"{_NAMES[winner]} ({self._seats[winner].name}) wins."
        mark = _NAMES[self.position.mover]
        example = game.move_text(self.position.legal_moves[0])
        legend = _LEGEND_KEYS if self._keys else _LEGEND_LINES.format(move=example)
        prompt = f"\n{mark} > {self._typed}" if self._keys else f"\n{mark} >"
        return legend + prompt

    def _last_cell(self) -> int | None:
        if not self._earlier or not self.position.moves:
            return None
        return self.position.game.filled_cell(self._earlier[-1].state, self.position.moves[-1])

    def describe(self, name: str, decision: Decision) -> str:
        """The engine's move, its win rate and the line it expects."""
        game = self.position.game
        parts = [f"{name}: {game.move_text(decision.move)}"]
        if decision.win_rate is not None:
            certain = " for certain" if decision.proven else ""
            parts.append(f"win rate {100 * decision.win_rate:.0f} %{certain}")
        if decision.sims:
            parts.append(f"{decision.sims:,} sims in {decision.seconds:.2f} s")
        if len(decision.pv) > 1:
            parts.append("line " + " ".join(game.move_text(move) for move in decision.pv))
        return " · ".join(parts)


def _leave() -> None:
    raise Quit
