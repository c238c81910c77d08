"""``tengen solve``: the exact score of every move."""

import json
import sys
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tengen.config import parse_duration
from tengen.errors import SpecError, TengenError
from tengen.rules import AnyGame, AnyPosition
from tengen.rules import game as game_of
from tengen.solve import Bounds, Solution, Solver
from tengen.solve.solver import DEFAULT_TABLE_MB


def solve(
    game: Annotated[str, typer.Argument(help="A game, see `tengen games`.")],
    moves: Annotated[
        str, typer.Argument(help="The position, as in 4455; - reads one per line.")
    ] = "",
    book: Annotated[bool, typer.Option("--book/--no-book", help="Use the opening book.")] = True,
    table_mb: Annotated[int, typer.Option(help="Size of the table in MiB.")] = DEFAULT_TABLE_MB,
    threads: Annotated[int, typer.Option(help="Search with so many threads.")] = 1,
    time: Annotated[str | None, typer.Option(help="Give up after this, as in 10s.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Give up after so many.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document per line.")] = False,
) -> None:
    """Score every move of a position exactly.

    A score is 0 for a draw, positive for a win, negative for a loss, and further from 0 the sooner
    it comes. When a limit is reached, what is proven by then is shown as a range.

    Example: tengen solve connect4 4455
    """
    rules = game_of(game)
    solver = Solver(rules, table_mb=table_mb, book=book, threads=threads)
    seconds = _seconds(time)
    console = Console(highlight=False)
    for number, text in enumerate(_texts(moves), start=1):
        where = f"line {number}: " if moves == "-" else ""
        position = _position(rules, text, where)
        solution = solver.solve(position, seconds=seconds, nodes=nodes)
        if as_json:
            typer.echo(json.dumps(as_document(position, solution)))
            sys.stdout.flush()
        else:
            _show(console, position, solution)


def _texts(moves: str) -> Iterator[str]:
    if moves != "-":
        yield moves
        return
    for line in sys.stdin:
        yield line.strip()


def _position(game: AnyGame, text: str, where: str) -> AnyPosition:
    try:
        position = game.position(text)
        if position.is_over:
            raise SpecError("the game is over; there is nothing to solve")
    except TengenError as error:
        raise SpecError(f"{where}position {text!r}: {error}") from None
    return position


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(parse_duration(text))  # type: ignore[arg-type]  # text gives a float
    except ValueError as error:
        raise SpecError(f"--time is {text}; {error}") from None
    if seconds <= 0:
        raise SpecError(f"--time is {text}; it must be more than 0")
    return seconds


def as_document(position: AnyPosition, solution: Solution) -> dict[str, object]:
    """The answer for programs: moves as text, scores for the mover."""
    text = position.game.move_text
    return {
        "game": position.game.name,
        "moves": [text(move) for move in position.moves],
        "scores": {text(move): score for move, score in solution.scores.items()},
        "bounds": {text(move): [b.low, b.high] for move, b in solution.bounds.items()},
        "score": solution.score,
        "best": [text(move) for move in solution.best_moves],
        "result": None if solution.result is None else solution.result.value,
        "plies": solution.plies,
        "complete": solution.is_complete,
        "nodes": solution.nodes,
        "seconds": solution.seconds,
    }


def _show(console: Console, position: AnyPosition, solution: Solution) -> None:
    text = position.game.move_text
    console.print(str(position), markup=False)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row("move", *(text(move) for move in solution.bounds), style="dim")
    best = set(solution.best_moves)
    cells = (_range(b, move in best) for move, b in solution.bounds.items())
    table.add_row("score", *cells)
    console.print(table)
    mover = "XO"[position.mover]
    if solution.result is None:
        bounds = solution.score_bounds
        verdict = f"{mover} to move scores from {bounds.low} to {bounds.high}"
    else:
        verdict = f"{mover} to move: {solution.result.value}"
        if solution.plies is not None:
            verdict += " at once" if solution.plies == 1 else f" in {solution.plies} plies"
    if best:
        verdict += f", best {' '.join(text(move) for move in sorted(best))}"
    console.print(verdict)
    limit = "" if solution.is_complete else ", limit reached"
    console.print(f"{solution.nodes:,} nodes in {solution.seconds:.3f} s{limit}", style="dim")


def _range(bounds: Bounds, is_best: bool) -> str:
    if not bounds.is_exact:
        return f"{bounds.low}..{bounds.high}"
    return f"[bold]{bounds.low}[/bold]" if is_best else str(bounds.low)
