"""Nodes of the guided search in plain Python, and what a game says of their positions.

A game in Python takes most of the time of its search: every question is asked once per node.
"""

from collections.abc import Sequence

from tengen.errors import SpecError, TengenError
from tengen.rules import AnyGame, GridGame, Outcome, ReferenceGame
from tengen.rules.notation import FIRST, SECOND
from tengen.search.formulas import single, win_worth
from tengen.search.neural_settings import GuidedSettings
from tengen.search.reference import Proof
from tengen.search.reference_tree import Node, settle

#: The outcome that each player wants.
WINS = (Outcome.first_wins, Outcome.second_wins)


def check_searchable(game: AnyGame, settings: GuidedSettings) -> None:
    """Refuse settings that have no meaning for a game."""
    if settings.vcf:
        raise SpecError(f"net.vcf is on; for {game.name} it must be off")
    if settings.haste and not isinstance(game, GridGame | ReferenceGame):
        # It counts on every move to add one stone.
        raise SpecError(f"net.haste is {settings.haste}; for {game.name} it must be 0")
    if settings.share:
        try:
            game.key(game.start())
        except TengenError as error:
            raise SpecError(f"net.share is on; it needs keys, and {error}") from None


class GameNodes:
    """Makes the nodes of one game."""

    def __init__(self, game: AnyGame, settings: GuidedSettings) -> None:
        self._game = game
        self._settings = settings
        self._haste = settings.haste or 0.0

    def legal(self, node: Node) -> Sequence[int]:
        """The moves allowed in an unfinished position."""
        if node.legal is None:
            node.legal = self._game.legal_moves(node.state)
        return node.legal

    def after(self, node: Node, move: int) -> tuple[object, Outcome]:
        """The state after a move, and how the game stands then."""
        if move not in node.after:
            state = self._game.play(node.state, move)
            node.after[move] = state, self._game.outcome(state)
        return node.after[move]

    def wins(self, node: Node, move: int) -> bool:
        """Whether a move ends the game as its mover wants."""
        return self.after(node, move)[1] is WINS[node.mover]

    def new(self, state: object) -> Node:
        """The node of an unfinished state, with nothing known of it."""
        return Node(state, self._game.mover(state), hope=self.win_after(state, 3))

    def made(self, state: object, outcome: Outcome) -> Node:
        """The node of a state, with what is known from the start."""
        node = self.new(state)
        if outcome is Outcome.draw:
            settle(node, Proof.DRAW, self._settings.draw)
            node.is_over = True
        elif outcome is not Outcome.ongoing:
            worth = self.win_after(state, 0)
            is_won = outcome is WINS[node.mover]
            settle(node, Proof.WIN if is_won else Proof.LOSS, worth if is_won else -worth)
            node.is_over = True
        elif self._settings.proof and any(self.wins(node, move) for move in self.legal(node)):
            settle(node, Proof.WIN, self.win_after(state, 1))
        return node

    def win_after(self, state: object, more: int) -> float:
        """What a win for the mover is worth after so many more stones."""
        if self._haste == 0:
            return 1.0
        stones = sum(symbol in (FIRST, SECOND) for symbol in self._game.symbols(state))
        return single(win_worth(self._haste, stones + more, self._game.rows * self._game.cols))
