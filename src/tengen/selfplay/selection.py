"""The self-play that fits a game."""

from typing import TypeAlias

from tengen.rules import AnyGame, GridGame
from tengen.search import Evaluator
from tengen.selfplay.play import SelfPlay
from tengen.selfplay.python_play import PythonSelfPlay
from tengen.selfplay.settings import SelfPlaySettings

#: Both keep one contract.
AnySelfPlay: TypeAlias = SelfPlay | PythonSelfPlay


def self_play_of(
    game: AnyGame,
    evaluator: Evaluator,
    settings: SelfPlaySettings,
    *,
    seed: int,
    threads: int = 1,
) -> AnySelfPlay:
    """Native where the game is k-in-a-row, else in Python."""
    if isinstance(game, GridGame):
        return SelfPlay(game, evaluator, settings, seed=seed, threads=threads)
    return PythonSelfPlay(game, evaluator, settings, seed=seed, threads=threads)
