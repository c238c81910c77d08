"""Playouts in plain Python, drawing from the random stream exactly as the core does."""

from typing import Protocol

from tengen.errors import SpecError
from tengen.rules import AnyGame, Outcome, ReferenceGame
from tengen.rules.reference import ReferenceState
from tengen.search.random import SplitMix


class Playout(Protocol):
    """Plays an unfinished state to its end."""

    def __call__(self, state: object, random: SplitMix) -> tuple[Outcome, int]:
        """The outcome and the number of plies it took."""


def playout_for(game: AnyGame, rollout: str, weights: str) -> Playout:
    """The playout that a search of this game runs."""
    if isinstance(game, ReferenceGame):
        if rollout == "reflex":
            raise SpecError("uct.rollout is reflex; the reference search has random and tactical")
        return GridPlayout(game, rollout, weights)
    for key, value, only in (("rollout", rollout, "random"), ("weights", weights, "uniform")):
        if value != only:
            raise SpecError(f"uct.{key} is {value}; for {game.name} it must be {only}")
    return UniformPlayout(game)


class UniformPlayout:
    """Every legal move is equally likely."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def __call__(self, state: object, random: SplitMix) -> tuple[Outcome, int]:
        plies = 0
        while (outcome := self._game.outcome(state)) is Outcome.ongoing:
            legal = self._game.legal_moves(state)
            state = self._game.play(state, legal[random.below(len(legal))])
            plies += 1
        return outcome, plies


def axis_weight(weights: str, index: int, size: int) -> int:
    """The weight of a place on an axis: 1, or growing towards the middle by 1 or by 2."""
    from_edge = min(index, size - 1 - index)
    return {"uniform": 1, "linear": from_edge + 1, "odd": 2 * from_edge + 1}[weights]


class GridPlayout:
    """Random or tactical playouts of the reference game, see ``core/playout``."""

    def __init__(self, game: ReferenceGame, rollout: str, weights: str) -> None:
        self._game = game
        self._is_tactical = rollout == "tactical"
        self._is_uniform = weights == "uniform"
        rows, cols = game.rows, game.cols
        by_col = [axis_weight(weights, col, cols) for col in range(cols)]
        by_row = [axis_weight(weights, row, rows) for row in range(rows)]
        self._tickets = [col for col in range(cols) for _ in range(by_col[col])]
        self._weight = [by_row[cell // cols] * by_col[cell % cols] for cell in range(rows * cols)]

    def __call__(self, state: object, random: SplitMix) -> tuple[Outcome, int]:
        assert isinstance(state, ReferenceState)
        empty = [cell for cell, stone in enumerate(state.cells) if stone == 0]
        plies = 0
        while state.outcome is Outcome.ongoing:
            cell = self._forced(state) if self._is_tactical else None
            if cell is None:
                gravity = self._game.rules.gravity
                cell = self._drop(state, random) if gravity else self._draw(state, empty, random)
            state = self._game.place(state, cell)
            plies += 1
        return state.outcome, plies

    def _forced(self, state: ReferenceState) -> int | None:
        """Where the mover wins at once, else where the opponent would."""
        mover = self._game.mover(state) + 1
        for player in (mover, 3 - mover):
            for move in self._game.legal_moves(state):
                cell = self._game.landing_cell(state, move)
                assert cell is not None
                cells = (*state.cells[:cell], player, *state.cells[cell + 1 :])
                if self._game.wins_through(cells, cell):
                    return cell
        return None

    def _drop(self, state: ReferenceState, random: SplitMix) -> int:
        while True:
            column = self._tickets[random.below(len(self._tickets))]
            cell = self._game.landing_cell(state, column)
            if cell is not None:
                return cell

    def _draw(self, state: ReferenceState, empty: list[int], random: SplitMix) -> int:
        while True:
            i = random.below(len(empty))
            cell = empty[i]
            is_empty = state.cells[cell] == 0
            if is_empty and not self._is_uniform:
                heaviest = max(self._weight)
                if random.below(heaviest) >= self._weight[cell]:
                    continue
            empty[i] = empty[-1]
            empty.pop()
            if is_empty:
                return cell
