"""``tengen play``: a game in the terminal."""

import json
import sys
from typing import Annotated

import typer

from tengen.cli.program import command
from tengen.cli.table import Seat, TablePlay
from tengen.errors import SpecError
from tengen.players import about, default_opponent, parse_player_spec, player
from tengen.rules import AnyGame, GridGame, Outcome
from tengen.rules import game as game_of


def play(
    game: Annotated[str, typer.Argument(help="A game, see `tengen games`.")],
    first: Annotated[str | None, typer.Option(help="Who moves first.")] = None,
    second: Annotated[str | None, typer.Option(help="Who moves second.")] = None,
    moves: Annotated[str, typer.Option(help="Start after these moves, as in 4455.")] = "",
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63, help="Makes chance repeatable.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Only the result, as JSON; no human plays.")
    ] = False,
) -> None:
    """Play a game in the terminal, by arrow keys or typed moves.

    Without --first and --second you begin, against the network that comes with the game, or where
    there is none against uct,time=1s.

    Example: tengen play gomoku --first uct,time=2s --second human
    """
    rules = game_of(game, seed=seed)
    start = rules.position(moves)
    first_spec = "human" if first is None else first
    second_spec = second
    if second_spec is None:
        second_spec = default_opponent(rules) if _is_human(first_spec) else "human"
    seats = (
        _seat(first_spec, rules, seed),
        _seat(second_spec, rules, None if seed is None else seed + 1),
    )
    if as_json and any(seat.player is None for seat in seats):
        raise SpecError("--json is for games without a human; name --first and --second")
    table = TablePlay(start, seats, seed=seed, quiet=as_json)
    table.run()
    if as_json:
        result = {
            "game": _spec_of(rules, game),
            "first": first_spec,
            "second": second_spec,
            "moves": [rules.move_text(move) for move in table.position.moves],
            "outcome": table.outcome.name,
        }
        typer.echo(json.dumps(result))
    elif table.outcome is Outcome.ongoing:
        sys.stdout.write(_continue_hint(table, game))


def _is_human(spec: str) -> bool:
    return parse_player_spec(spec).kind == "human"


def _seat(spec: str, game: AnyGame, seed: int | None) -> Seat:
    if _is_human(spec):
        parsed = parse_player_spec(spec)
        if parsed.values or parsed.target:
            raise SpecError("player human has no keys and no target")
        return Seat("human", None)
    seated = player(spec, game, seed=seed)
    return Seat(f"{spec} ({about(seated)})" if about(seated) else spec, seated)


def _continue_hint(table: TablePlay, game: str) -> str:
    rules = table.position.game
    moves = " ".join(rules.move_text(move) for move in table.position.moves)
    if not moves:
        return "The game has not begun.\n"
    return f"To go on later: {command('play', _spec_of(rules, game), '--moves', moves)}\n"


def _spec_of(rules: AnyGame, given: str) -> str:
    """What names the game as it was played: blocked=random has become a cell by now."""
    return rules.name if isinstance(rules, GridGame) else given
