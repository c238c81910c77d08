"""The command line as a whole: its commands, and how mistakes are told."""

import io
import os
import signal
import sys
from typing import Annotated

import typer

from tengen import __version__
from tengen.cli.bench import bench
from tengen.cli.evaluate import evaluate
from tengen.cli.export import export
from tengen.cli.games import games
from tengen.cli.play import play
from tengen.cli.players import players
from tengen.cli.positions import positions
from tengen.cli.runs import runs
from tengen.cli.solve import solve
from tengen.cli.train import train
from tengen.errors import TengenError

# Typer carries its own copy of Click, of which it makes only this class and its bases reachable.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

USER_ERROR = 2
INTERRUPTED = 130

app = typer.Typer(
    name="tengen",
    help="Every k-in-a-row game. Start with: tengen play connect4",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(games)
app.command()(players)
app.command()(play)
app.command()(solve)
app.command()(positions)
app.command()(evaluate)
app.command()(train)
app.command()(runs)
app.command()(export)
app.command()(bench)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tengen {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_print_version)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line; a user's mistake is one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a board must show on any terminal
    code = _run()
    if code == INTERRUPTED:  # an impatient second Ctrl-C would break off threads that are ending
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def _run() -> int:
    try:
        code = app(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except TengenError as error:
        return _fail(str(error))
    except _UsageError as error:
        return _fail(
            error.format_message() if isinstance(error, typer.BadParameter) else str(error)
        )
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as in `tengen games | head -1`
        _discard_output()
        return 0
    except OSError as error:  # a full disk, a file that cannot be read
        _discard_output()
        return _fail(f"{error.filename or 'output'}: {error.strerror}")
    if code == INTERRUPTED:  # Typer turns Ctrl-C into this code, without a word
        _say("\ntengen: interrupted\n")
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    _say(f"tengen: {' '.join(message.split())}\n")
    return USER_ERROR


def _say(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)


def _discard_output() -> None:
    """What is still waiting to be written has nowhere to go; Python would try again on exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
