"""Tengen learns, solves and plays every k-in-a-row game.

The map, in the order of the layers: each imports only from those above it.

==========  =================================================================
errors      the exceptions, as one tree
config      the base of all settings
rules       games, positions, notation; ``rules.game`` is the contract
solve       exact scores; ``core/solve`` has the search
search      tree searches; ``search.reference`` is the one to read first
network     networks, their files, and how they are asked; torch only to train or export
players     the grammar of players and everything that can decide a move
arena       labelled positions, matches, and how well a player does
selfplay    games of a network against itself, and their records
training    the loop that learns from them; ``training.loop`` is the one to read first
cli         the command ``tengen``
==========  =================================================================

The native core is ``tengen._core``; its sources are in ``core/``, in layers of their own.
"""

from importlib.metadata import version
from typing import TYPE_CHECKING

from tengen.errors import IllegalMove, ImpossiblePosition, SpecError, TengenError
from tengen.players import Player, player
from tengen.rules import Game, Outcome, Position, game
from tengen.search import Decision
from tengen.solve import Solution, Solver, solve

if TYPE_CHECKING:
    from tengen.training.session import train

__version__ = version("tengen")

__all__ = [
    "Decision",
    "Game",
    "IllegalMove",
    "ImpossiblePosition",
    "Outcome",
    "Player",
    "Position",
    "Solution",
    "Solver",
    "SpecError",
    "TengenError",
    "__version__",
    "game",
    "player",
    "solve",
    "train",
]


def __getattr__(name: str) -> object:
    # Only when it is asked for: training needs PyTorch, which takes seconds to load.
    if name == "train":
        from tengen.training.session import train

        return train
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
