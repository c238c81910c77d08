"""``tengen games``: what can be played."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tengen.rules import LINES, NAMED, parse_rules, registered


def games(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """List the games by name, and how others are written.

    Example: tengen games --json
    """
    rows = []
    for name, spec in NAMED.items():
        rules = parse_rules(name)
        rows.append(
            {
                "name": name,
                "spec": spec,
                "rows": rules.rows,
                "cols": rules.cols,
                "k": rules.k,
                "gravity": rules.gravity,
                "line": rules.line,
            }
        )
    if as_json:
        typer.echo(json.dumps({"games": rows, "registered": registered()}))
        return
    table = Table("name", "board", "k", "gravity", "what wins", box=None, pad_edge=False)
    wins = {
        "free": "k or more",
        "exact": "exactly k",
        "blocked": "exactly k, unless an enemy stone stands at each end",
        "blocked-free": "k or more, unless an enemy stone stands at each end",
    }
    for row in rows:
        board = f"{row['rows']}x{row['cols']}"
        gravity = "yes" if row["gravity"] else "no"
        table.add_row(str(row["name"]), board, str(row["k"]), gravity, wins[str(row["line"])])
    console = Console()
    console.print(table)
    for name in registered():
        console.print(f"{name}  (installed package)")
    console.print(
        "\nAny other board up to 25x25:\n"
        "  mnk:ROWSxCOLSxK            stones go anywhere\n"
        "  connect:ROWSxCOLSxK        stones fall\n"
        f"  :line=RULE                 {', '.join(LINES)}\n"
        "  :blocked=c5/d6             cells that hold no stone; blocked=random for one by seed\n"
        "  path/to/file.py:ClassName  a game written in Python",
        highlight=False,
    )
