"""``tengen positions``: make a set of labelled positions."""

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TimeRemainingColumn

from tengen.arena import read_positions
from tengen.arena.generation import (
    Request,
    canonical_key,
    finished_lines,
    label_lines,
    unfinished,
)
from tengen.errors import SpecError
from tengen.rules import GridGame
from tengen.rules import game as game_of
from tengen.solve import Solver


def positions(
    game: Annotated[str, typer.Argument(help="A game the solver can solve.")],
    out: Annotated[Path, typer.Option(help="The file to make.")],
    count: Annotated[int, typer.Option(help="How many positions.")] = 1000,
    plies: Annotated[str, typer.Option(help="Stones on the board, from-to.")] = "8-20",
    seed: Annotated[int, typer.Option(help="Another seed makes another set.")] = 1,
    avoid: Annotated[
        list[str] | None, typer.Option(help="A set whose positions must not come again.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one per core.")] = None,
) -> None:
    """Draw positions by a seed and label every move with its exact score.

    Interrupt it whenever you like: the same command goes on where it stopped.

    Example: tengen positions connect4 --count 1000 --plies 8-20 --seed 7 --out mine.jsonl
    """
    rules = game_of(game, seed=seed)
    if not isinstance(rules, GridGame):
        raise SpecError(f"positions are made for k-in-a-row games, not {rules.name}")
    if out.exists():
        raise SpecError(f"{out} exists already; choose another --out or remove it")
    if not out.parent.is_dir():
        raise SpecError(f"folder {out.parent} does not exist")
    Solver(rules, table_mb=1, book=False)  # refuses what cannot be solved, before anything is made
    fewest, most = _plies(plies)
    avoided = frozenset(
        canonical_key(rules, labelled.position)
        for source in avoid or []
        for labelled in read_positions(rules, source)
    )
    request = Request(rules.name, count, fewest, most, seed, avoided)
    part = unfinished(out)
    done = finished_lines(request, part)
    console = Console(stderr=True)
    columns = (*Progress.get_default_columns()[:-1], TimeRemainingColumn())
    with part.open("a") as file, Progress(*columns, console=console) as progress:
        task = progress.add_task("labelling", total=count, completed=done)
        for line in label_lines(request, skip=done, workers=workers):
            file.write(line + "\n")
            file.flush()
            progress.advance(task)
    part.rename(out)
    console.print(f"{count} positions of {rules.name} in {out}", highlight=False)


def _plies(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text)
    if match is None:
        raise SpecError(f"--plies is {text!r}; write it as in 8-20")
    return int(match[1]), int(match[2] or match[1])
