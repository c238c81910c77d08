"""The k-in-a-row games in plain Python: slow, obvious, and the oracle of the native ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tengen.rules.game import Game, Outcome
from tengen.rules.notation import BLOCKED, EMPTY, FIRST, SECOND
from tengen.rules.spec import Rules

_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@dataclass(frozen=True)
class ReferenceState:
    """Stones per cell (0 empty, 1 first, 2 second, 3 blocked) and how the game stands."""

    cells: tuple[int, ...]
    outcome: Outcome = Outcome.ongoing


class ReferenceGame(Game[ReferenceState]):
    """A game of the m,n,k family, written to be read rather than to be fast."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.name = rules.spec
        self.rows, self.cols = rules.rows, rules.cols
        self.move_count = rules.cols if rules.gravity else rules.rows * rules.cols

    def start(self) -> ReferenceState:
        blocked = set(self.rules.blocked)
        return ReferenceState(
            tuple(3 if cell in blocked else 0 for cell in range(self.rows * self.cols))
        )

    def mover(self, state: ReferenceState) -> int:
        return (state.cells.count(1) + state.cells.count(2)) % 2

    def legal_moves(self, state: ReferenceState) -> Sequence[int]:
        moves = range(self.move_count)
        return [move for move in moves if self.landing_cell(state, move) is not None]

    def play(self, state: ReferenceState, move: int) -> ReferenceState:
        cell = self.landing_cell(state, move)
        assert cell is not None, "play() is called with legal moves only"
        return self.place(state, cell)

    def outcome(self, state: ReferenceState) -> Outcome:
        return state.outcome

    def symbols(self, state: ReferenceState) -> Sequence[str]:
        return [(EMPTY, FIRST, SECOND, BLOCKED)[stone] for stone in state.cells]

    def landing_cell(self, state: ReferenceState, move: int) -> int | None:
        """Where a stone comes to stand: on a gravity board the lowest empty cell of the column."""
        if not self.rules.gravity:
            return move if state.cells[move] == 0 else None
        column = range(move, len(state.cells), self.cols)
        return next((cell for cell in reversed(column) if state.cells[cell] == 0), None)

    def filled_cell(self, state: ReferenceState, move: int) -> int | None:
        return self.landing_cell(state, move)

    def place(self, state: ReferenceState, cell: int) -> ReferenceState:
        """The state after the mover's stone on an empty cell."""
        player = self.mover(state) + 1
        cells = (*state.cells[:cell], player, *state.cells[cell + 1 :])
        outcome = Outcome.ongoing
        if self.wins_through(cells, cell):
            outcome = (Outcome.first_wins, Outcome.second_wins)[player - 1]
        elif 0 not in cells:
            outcome = Outcome.draw
        return ReferenceState(cells, outcome)

    def wins_through(self, cells: Sequence[int], cell: int) -> bool:
        """Whether the stone on this cell is part of a line that wins."""
        player, k = cells[cell], self.rules.k
        for down, right in _DIRECTIONS:
            before = list(self._walk(cells, cell, -down, -right))
            after = list(self._walk(cells, cell, down, right))
            own_before = _leading(before, player)
            own_after = _leading(after, player)
            length = own_before + 1 + own_after
            ends = before[own_before : own_before + 1] + after[own_after : own_after + 1]
            is_blocked = ends == [3 - player, 3 - player]
            wins = {
                "free": length >= k,
                "exact": length == k,
                "blocked": length == k and not is_blocked,
                "blocked-free": length >= k and not is_blocked,
            }
            if wins[self.rules.line]:
                return True
        return False

    def _walk(self, cells: Sequence[int], cell: int, down: int, right: int) -> Iterator[int]:
        """The stones from a cell's neighbour to the edge, in one direction."""
        row, col = divmod(cell, self.cols)
        while 0 <= (row := row + down) < self.rows and 0 <= (col := col + right) < self.cols:
            yield cells[row * self.cols + col]


def _leading(stones: Sequence[int], player: int) -> int:
    """How many of the first stones are the player's."""
    return next((i for i, stone in enumerate(stones) if stone != player), len(stones))
