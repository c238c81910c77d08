"""``tengen bench``: how fast this machine plays, next to a peer where one is installed."""

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tengen import _core
from tengen.cli import measure_neural
from tengen.cli.measure import ROWS, Measured, measure, peer_version, signature


def bench(
    rounds: Annotated[int, typer.Option(min=1, max=100, help="Rounds; medians are shown.")] = 3,
    scale: Annotated[
        float, typer.Option(min=0.001, max=10, help="Share of the usual work per round.")
    ] = 1.0,
    only: Annotated[str, typer.Option(help="Only rows whose name contains this.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Measure playouts and search, and compare with OpenSpiel where it is installed.

    CPU time on one pinned core, ours and the peer's turn by turn; the ratio is the median of the
    rounds. `make bench` installs the peer first. `--only neural` measures networks and what is
    built on them, next to the network alone; it needs PyTorch to make one.

    Example: tengen bench --rounds 1 --scale 0.1
    """
    known = (*ROWS, *measure_neural.ROWS)
    # Networks need PyTorch, which not everybody has: they are measured when asked for.
    rows = [row for row in known if only in row.work] if only else list(ROWS)
    if not rows:
        raise typer.BadParameter(f"no row contains {only!r}: {', '.join(r.work for r in known)}")
    console = Console(stderr=as_json)
    results = []
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("measuring", total=len(rows))
        for row in rows:
            progress.update(task, description=row.work)
            results.append(measure(row, rounds=rounds, scale=scale))
            progress.advance(task)
    about = {
        "machine": machine(),
        "date": datetime.now(UTC).date().isoformat(),
        "isa": _core.isa(),
        "peer": peer_version(),
        "signature": signature(),
    }
    if as_json:
        typer.echo(json.dumps({**about, "rows": [result.as_dict() for result in results]}))
        return
    console.print(_table(results))
    console.print(", ".join(f"{key} {value}" for key, value in about.items()), highlight=False)
    if peer_version() is None:
        console.print("No peer: pip install open_spiel==2.0.2 to see ratios, or make bench.")


def _table(results: list[Measured]) -> Table:
    table = Table("work", "tengen", "peer", "ratio", "at least", box=None, pad_edge=False)
    for result in results:
        table.add_row(
            result.work,
            f"{result.ours:,.4g} {result.unit}"
            if result.ours < 100
            else f"{result.ours:,.0f} {result.unit}",
            "–" if result.peer is None else f"{result.peer:,.0f}",
            "–" if result.ratio is None else f"{result.ratio:.2f}x",
            result.target,
        )
    return table


def machine() -> str:
    """The processor and how many of its cores we have."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text().splitlines()
        name = next(
            (x.partition(":")[2].strip() for x in lines if x.startswith("model name")), name
        )
    return f"{name} x {os.cpu_count()}"
