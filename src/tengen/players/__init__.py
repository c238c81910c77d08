"""The grammar of players and everything that can decide a move."""

from tengen.players.player import BatchPlayer, Player, about
from tengen.players.registry import KINDS, default_opponent, player
from tengen.players.spec import PlayerSpec, parse_player_spec

__all__ = [
    "KINDS",
    "BatchPlayer",
    "Player",
    "PlayerSpec",
    "about",
    "default_opponent",
    "parse_player_spec",
    "player",
]
