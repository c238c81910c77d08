"""The grammar of players and everything that can decide a move."""

from tengen.players.player import Player, about
from tengen.players.registry import KINDS, default_opponent, player
from tengen.players.spec import PlayerSpec, parse_player_spec

__all__ = [
    "KINDS",
    "Player",
    "PlayerSpec",
    "about",
    "default_opponent",
    "parse_player_spec",
    "player",
]
