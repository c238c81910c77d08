"""What a network needs to know of a game: its board, its moves, and what it is called."""

from dataclasses import dataclass
from typing import Self, TypeAlias

from tengen.rules import AnyGame, GridGame, ReferenceGame, Rules
from tengen.rules.game import moves_beyond_cells

#: Of the final board: the mover's stones, the opponent's, and those of either's winning line.
ENDING_PLANES = 4


@dataclass(frozen=True, slots=True)
class GameShape:
    """A game as its networks know it; unlike the game it can be written down and read back."""

    name: str
    rows: int
    cols: int
    move_count: int
    #: Of a k-in-a-row game; a game written in Python has none.
    rules: Rules | None = None

    @classmethod
    def of(cls, game: "GameLike") -> Self:
        """The shape of a game, however it is given."""
        if isinstance(game, cls):
            return game
        if isinstance(game, GridGame | ReferenceGame):
            game = game.rules
        if isinstance(game, Rules):
            moves = game.cols if game.gravity else game.rows * game.cols
            return cls(game.spec, game.rows, game.cols, moves, game)
        return cls(game.name, game.rows, game.cols, game.move_count)

    @property
    def cells(self) -> int:
        """How many the board has."""
        return self.rows * self.cols

    @property
    def extra_moves(self) -> int | None:
        """How many moves follow those that are cells, such as a pass; None: moves are not cells."""
        if self.rules is not None and self.rules.gravity:
            return None
        return moves_beyond_cells(self.cells, self.move_count)


#: A game, or as much of it as a network must know.
GameLike: TypeAlias = GameShape | AnyGame | Rules


def game_of(game: AnyGame | Rules) -> AnyGame:
    """The game itself, where only the rules of a k-in-a-row game are given."""
    return GridGame(game) if isinstance(game, Rules) else game
