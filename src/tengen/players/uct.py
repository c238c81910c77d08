"""The player ``uct``: tree search with rollouts."""

from tengen.players.searching import SearchPlayer
from tengen.rules import AnyGame, GridGame
from tengen.search import NativeUct, ReferenceUct, TreeSearch, UctSettings


def uct_player(spec: str, game: AnyGame, settings: UctSettings, *, seed: int) -> SearchPlayer:
    """Searches natively where the game is k-in-a-row, else with the reference."""
    engine: TreeSearch = (
        NativeUct(settings, seed=seed)
        if isinstance(game, GridGame)
        else ReferenceUct(game, settings, seed=seed)
    )
    return SearchPlayer(spec, game, engine, settings.budget)
