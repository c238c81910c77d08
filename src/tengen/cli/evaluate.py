"""``tengen evaluate``: how well a player plays, against exact scores."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tengen.arena import SHIPPED, Evaluation, Group, Rate, read_positions
from tengen.arena import evaluate as evaluate_player
from tengen.errors import SpecError
from tengen.players import about
from tengen.players import player as player_of
from tengen.rules import game as game_of


def evaluate(
    game: Annotated[str, typer.Argument(help="A game, see `tengen games`.")],
    player: Annotated[str, typer.Argument(help="A player, see `tengen players`.")],
    positions: Annotated[
        str | None, typer.Option(help=f"A file, or one of: {', '.join(SHIPPED)}.")
    ] = None,
    first: Annotated[int | None, typer.Option(min=1, help="Only the first so many.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Makes chance repeatable.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Score a player on positions whose every move has an exact score.

    Perfect: no move is better. Good: the move keeps the result. Decisive: positions where not every
    legal move is good. In brackets the 95 % interval.

    Example: tengen evaluate connect4 uct,sims=10000 --first 100
    """
    rules = game_of(game)
    source = positions or _default_set(rules.name)
    chosen = read_positions(rules, source)[:first]
    candidate = player_of(player, rules, seed=seed)
    console = Console(stderr=as_json, highlight=False)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(player, total=len(chosen))
        result = evaluate_player(candidate, chosen, on_answer=lambda _: progress.advance(task))
    if as_json:
        what = {"game": rules.name, "player": player, "positions": source}
        typer.echo(json.dumps({**what, **result.as_dict()}))
    else:
        runs_on = f" ({about(candidate)})" if about(candidate) else ""
        console.print(f"{player}{runs_on} on {len(chosen)} positions of {rules.name}, {source}\n")
        _show(console, result)


def _default_set(name: str) -> str:
    """The set to report by: the first for judging that fits the game."""
    for label, game in SHIPPED.items():
        if game == name and label.endswith("judge"):
            return label
    raise SpecError(f"no labelled positions of {name} are shipped; name a file with --positions")


def _percent(rate: Rate) -> str:
    if rate.rate is None or rate.interval is None:
        return "-"
    low, high = rate.interval
    return f"{100 * rate.rate:5.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def _show(console: Console, result: Evaluation) -> None:
    groups: dict[str, Group] = {"all": result.total, "decisive": result.decisive}
    groups |= {f"mover's {name}": group for name, group in result.by_result.items()}
    groups |= {f"{ply} stones": group for ply, group in result.by_ply.items()}
    table = Table("positions", "count", "perfect", "good", box=None, pad_edge=False)
    for name, group in groups.items():
        table.add_row(name, str(group.perfect.count), _percent(group.perfect), _percent(group.good))
    console.print(table, markup=False)
    parts = [f"{1000 * result.seconds_per_move:.2f} ms a move"]
    if result.cross_entropy is not None:
        parts.append(f"cross-entropy {result.cross_entropy:.3f}")
    if result.value_error is not None:
        parts.append(f"value error {result.value_error:.3f}")
    console.print("\n" + ", ".join(parts))
