"""Boards, notation and rules; ``grid`` is native, ``reference`` its oracle in plain Python."""

from tengen.rules.game import AnyGame, AnyPosition, Game, Outcome, Position
from tengen.rules.grid import GridGame
from tengen.rules.reference import ReferenceGame
from tengen.rules.registry import game, registered
from tengen.rules.spec import LINES, NAMED, Rules, parse_rules

__all__ = [
    "LINES",
    "NAMED",
    "AnyGame",
    "AnyPosition",
    "Game",
    "GridGame",
    "Outcome",
    "Position",
    "ReferenceGame",
    "Rules",
    "game",
    "parse_rules",
    "registered",
]
