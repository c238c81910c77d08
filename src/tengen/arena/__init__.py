"""Measuring players: labelled positions and how well a player does on them."""

from tengen.arena.evaluation import Answer, Evaluation, Group, Rate, evaluate
from tengen.arena.exhaustive import every_position
from tengen.arena.labelled import SHIPPED, LabelledPosition, read_positions

__all__ = [
    "SHIPPED",
    "Answer",
    "Evaluation",
    "Group",
    "LabelledPosition",
    "Rate",
    "evaluate",
    "every_position",
    "read_positions",
]
