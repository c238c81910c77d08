"""The self-play that fits a game."""

from typing import TypeAlias

from tengen.errors import SpecError
from tengen.rules import AnyGame, GridGame
from tengen.search import Evaluator
from tengen.selfplay.play import SelfPlay
from tengen.selfplay.python_play import PythonSelfPlay
from tengen.selfplay.settings import SelfPlaySettings

#: Both keep one contract.
AnySelfPlay: TypeAlias = SelfPlay | PythonSelfPlay


def self_play_of(
    game: AnyGame,
    evaluator: Evaluator | None,
    settings: SelfPlaySettings,
    *,
    seed: int,
    threads: int = 1,
) -> AnySelfPlay:
    """Native where the game is k-in-a-row, else in Python. No evaluator: rollouts instead."""
    if isinstance(game, GridGame):
        return SelfPlay(game, evaluator, settings, seed=seed, threads=threads)
    if evaluator is None:
        raise SpecError(f"self-play with rollouts is for k-in-a-row games, not {game.name}")
    return PythonSelfPlay(game, evaluator, settings, seed=seed, threads=threads)
