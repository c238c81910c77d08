"""``tengen players``: who can play, and with which settings."""

import json
from typing import Annotated, get_args

import typer
from pydantic.fields import FieldInfo
from rich.console import Console
from rich.table import Table

from tengen.players import KINDS


def _written(value: object) -> str:
    """A default as it is written in a spec."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return "/".join(f"{part:g}" for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _choices(info: FieldInfo) -> str:
    """The values a key takes, where they are few."""
    if info.annotation is bool:
        return "on/off"
    return "/".join(_literals(info.annotation))


def _literals(annotation: object) -> list[str]:
    """The strings that a type such as ``Literal["a", "b"] | None`` allows."""
    found = []
    for part in get_args(annotation):
        found += [part] if isinstance(part, str) else _literals(part)
    return found


def players(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """List the players, their keys and defaults.

    Example: tengen players --json
    """
    if as_json:
        document = {
            name: {
                "summary": kind.summary,
                "keys": {
                    key: {"default": _written(info.default), "help": info.description}
                    for key, info in kind.settings.model_fields.items()
                },
            }
            for name, kind in KINDS.items()
        }
        typer.echo(json.dumps({"players": document}))
        return
    console = Console()
    console.print("kind[:target][,key=value…], as in uct,time=3s,threads=2\n", highlight=False)
    for name, kind in KINDS.items():
        console.print(f"[bold]{name}[/bold]  {kind.summary}", highlight=False)
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2))
        for key, info in kind.settings.model_fields.items():
            choices = _choices(info)
            text = f"{info.description}{f' ({choices})' if choices else ''}"
            table.add_row(f"  {key}", _written(info.default), text)
        if kind.settings.model_fields:
            console.print(table)
