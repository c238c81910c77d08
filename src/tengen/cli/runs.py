"""``tengen runs``: what has been trained, and how it went."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tengen.cli.program import command
from tengen.cli.training_display import clock
from tengen.errors import SpecError, TengenError
from tengen.training.history import RunHistory, list_runs, read_run


class Action(StrEnum):
    """What can be done with one run."""

    show = "show"
    plot = "plot"


def runs(
    action: Annotated[Action | None, typer.Argument(help="Of one run; nothing: list all.")] = None,
    name: Annotated[str | None, typer.Argument(help="The run.")] = None,
    folder: Annotated[Path, typer.Option("--runs", help="The folder of all runs.")] = Path("runs"),
    out: Annotated[Path | None, typer.Option(help="With plot: the page to write.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """List the runs, tell how one of them goes, or draw its curves.

    Example: tengen runs show connect4
    """
    console = Console(highlight=False)
    if action is None:
        _list(folder, console, as_json=as_json)
        return
    if name is None:
        raise SpecError(f"which run? Write tengen runs {action} NAME")
    history = read_run(folder / name)
    if action is Action.plot:
        from tengen.training.page import write_page

        page = out or history.folder / "curves.html"
        write_page(history, page)
        typer.echo(str(page))
    elif as_json:
        typer.echo(json.dumps(as_document(history)))
    else:
        _show(history, console)


def as_document(history: RunHistory) -> dict[str, object]:
    """A run for programs."""
    return {
        "name": history.name,
        "game": history.game,
        "budget": history.budget or None,
        "iteration": history.iteration,
        "step": history.step,
        "games": history.games,
        "positions": history.positions,
        "seconds": history.seconds,
        "settings": history.settings,
        "checkpoints": list(history.steps),
        "best": history.best_figures,
        "curves": history.curves,
    }


def _list(folder: Path, console: Console, *, as_json: bool) -> None:
    listed = list(list_runs(folder))
    found = [history for history in listed if isinstance(history, RunHistory)]
    for problem in listed:
        if isinstance(problem, TengenError):
            typer.echo(f"tengen: {problem}", err=True)
    if as_json:
        typer.echo(json.dumps([as_document(history) for history in found]))
        return
    if not listed:
        begin = command("train", "connect4")
        hint = f"no runs in {folder}; begin one with: {begin}"
        console.print(hint, markup=False, soft_wrap=True)
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("run", "game", "iterations", "games", "time", "good", "perfect"):
        table.add_column(title, justify="left" if title in ("run", "game") else "right")
    for history in found:
        table.add_row(
            history.name,
            history.game,
            str(history.iteration),
            f"{history.games:,}",
            clock(history.seconds),
            _percent(history.newest("good_0")),
            _percent(history.newest("perfect_0")),
        )
    console.print(table, markup=False)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _show(history: RunHistory, console: Console) -> None:
    network = history.settings.get("network")
    values = history.settings.get("network_values")
    details = ""
    if isinstance(values, dict) and values:
        details = " (" + ", ".join(f"{key} {value}" for key, value in values.items()) + ")"
    console.print(
        f"{history.name}: {history.game}, {network}{details}\n"
        f"{history.iteration} iterations, {history.games:,} games, {history.positions:,} "
        f"positions, {history.step:,} steps, {clock(history.seconds)}",
        markup=False,
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("figure", "first", "last", "lowest", "highest"):
        table.add_column(title, justify="left" if title == "figure" else "right")
    for figure, curve in sorted(history.curves.items()):
        values_of = [value for _, value in curve]
        shown = (values_of[0], values_of[-1], min(values_of), max(values_of))
        table.add_row(figure, *(f"{value:,.4g}" for value in shown))
    console.print(table, markup=False)
    if history.best_figures:
        # All are shares but for the distance of a value.
        found = ", ".join(
            f"{name} {value:.3f}" if name.startswith("value_error") else f"{name} {value:.1%}"
            for name, value in history.best_figures.items()
        )
        console.print(f"the best network at the end: {found}", markup=False)
    console.print(f"steps to play as net:run/{history.name}@STEP: ", markup=False, end="")
    console.print(", ".join(map(str, history.steps)), markup=False)
