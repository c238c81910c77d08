"""Games of a network against itself, and the records they leave."""

from tengen.selfplay.play import SelfPlay, SelfPlayCounts
from tengen.selfplay.python_play import PythonSelfPlay
from tengen.selfplay.record import GameRecord, RecordedPly
from tengen.selfplay.selection import AnySelfPlay, self_play_of
from tengen.selfplay.settings import RunPrecision, SelfPlaySettings

__all__ = [
    "AnySelfPlay",
    "GameRecord",
    "PythonSelfPlay",
    "RecordedPly",
    "RunPrecision",
    "SelfPlay",
    "SelfPlayCounts",
    "SelfPlaySettings",
    "self_play_of",
]
