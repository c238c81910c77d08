"""Games of a network against itself, and the records they leave."""

from tengen.selfplay.play import SelfPlay, SelfPlayCounts
from tengen.selfplay.record import GameRecord, RecordedPly
from tengen.selfplay.settings import SelfPlaySettings

__all__ = ["GameRecord", "RecordedPly", "SelfPlay", "SelfPlayCounts", "SelfPlaySettings"]
