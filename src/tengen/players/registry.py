"""From a spec to a player."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from tengen.config import Settings
from tengen.errors import SpecError
from tengen.network import shipped_networks
from tengen.players.net import hybrid_player, net_player
from tengen.players.player import Player
from tengen.players.simple import RandomPlayer, ReflexPlayer
from tengen.players.solver import SolverPlayer, SolverSettings
from tengen.players.spec import PlayerSpec, parse_player_spec
from tengen.players.uct import uct_player
from tengen.rules import AnyGame, GridGame
from tengen.search import HybridSettings, NetSettings, UctSettings


class NoSettings(Settings):
    """A player without keys."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of player: what it is, its keys, and how one is made."""

    summary: str
    settings: type[Settings]
    make: Callable[[PlayerSpec, AnyGame, int], Player]
    #: What its target is, for a kind that must have one.
    target: str | None = None


def _uct(spec: PlayerSpec, game: AnyGame, seed: int) -> Player:
    settings = UctSettings.read(spec.values, where=spec.kind)
    return uct_player(spec.text, game, settings, seed=seed)


def _random(spec: PlayerSpec, game: AnyGame, seed: int) -> Player:
    NoSettings.read(spec.values, where=spec.kind)
    return RandomPlayer(spec.text, game, seed=seed)


def _reflex(spec: PlayerSpec, game: AnyGame, seed: int) -> Player:
    NoSettings.read(spec.values, where=spec.kind)
    if not isinstance(game, GridGame):
        raise SpecError(f"player reflex plays k-in-a-row games, not {game.name}")
    return ReflexPlayer(spec.text, game, seed=seed)


def _solver(spec: PlayerSpec, game: AnyGame, seed: int) -> Player:
    settings = SolverSettings.read(spec.values, where=spec.kind)
    return SolverPlayer(spec.text, game, settings, seed=seed)


def _net(spec: PlayerSpec, game: AnyGame, seed: int) -> Player:
    settings = NetSettings.read(spec.values, where=spec.kind)
    assert spec.target is not None, "checked before"
    return net_player(spec.text, game, spec.target, settings, seed=seed)


def _hybrid(spec: PlayerSpec, game: AnyGame, seed: int) -> Player:
    settings = HybridSettings.read(spec.values, where=spec.kind)
    assert spec.target is not None, "checked before"
    return hybrid_player(spec.text, game, spec.target, settings, seed=seed)


def _human(spec: PlayerSpec, game: AnyGame, seed: int) -> Player:
    raise SpecError("player human sits at the terminal: tengen play")


KINDS = {
    "random": Kind("uniformly random moves", NoSettings, _random),
    "reflex": Kind("the rule-based fast move: win, block, extend, stay close", NoSettings, _reflex),
    "uct": Kind("tree search with rollouts", UctSettings, _uct),
    "net": Kind("search guided by a network", NetSettings, _net, target="network"),
    "hybrid": Kind(
        "a policy network's best moves and rollouts", HybridSettings, _hybrid, target="network"
    ),
    "solver": Kind("exact play where the board allows", SolverSettings, _solver),
    "human": Kind("you, at the terminal", NoSettings, _human),
}


def player(spec: str, game: AnyGame, *, seed: int | None = None) -> Player:
    """The player that a spec names, for one game; without a seed every one is different."""
    parsed = parse_player_spec(spec)
    if parsed.kind not in KINDS:
        raise SpecError(
            f"player {spec!r}: {parsed.kind!r} is not known; it must be {', '.join(KINDS)}"
        )
    wanted = KINDS[parsed.kind].target
    if parsed.target is not None and wanted is None:
        raise SpecError(f"player {spec!r}: {parsed.kind} takes no target")
    if parsed.target is None and wanted is not None:
        raise SpecError(f"player {spec!r}: {parsed.kind} needs a target, {parsed.kind}:{wanted}")
    if seed is not None and not (isinstance(seed, int) and 0 <= seed < 1 << 64):
        raise SpecError(f"seed is {seed}; it must be a whole number from 0 to 2**64 - 1")
    chosen = secrets.randbits(64) if seed is None else seed
    return KINDS[parsed.kind].make(parsed, game, chosen)


def default_opponent(game: AnyGame) -> str:
    """Who plays when nobody is named: the network that comes with the game, else a tree search."""
    return f"net:{game.name}" if game.name in shipped_networks() else "uct,time=1s"
