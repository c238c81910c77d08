"""The command line as a whole: its commands, and how mistakes are told."""

import sys
from typing import Annotated

import typer

from tengen import __version__
from tengen.cli.bench import bench
from tengen.cli.games import games
from tengen.cli.play import play
from tengen.cli.players import players
from tengen.errors import TengenError

# Typer carries its own copy of Click, of which it makes only this class and its bases reachable.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

USER_ERROR = 2
INTERRUPTED = 130

app = typer.Typer(
    name="tengen",
    help="Learns, solves and plays every k-in-a-row game. Start with: tengen play connect4",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(games)
app.command()(players)
app.command()(play)
app.command()(bench)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tengen {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_print_version)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; a user's mistake is one line on stderr and exit code 2."""
    try:
        code = app(standalone_mode=False)
    except TengenError as error:
        _fail(str(error))
    except _UsageError as error:
        _fail(error.format_message() if isinstance(error, typer.BadParameter) else str(error))
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as in `tengen games | head -1`
        sys.stderr.close()
        sys.exit(0)
    if code == INTERRUPTED:  # Typer turns Ctrl-C into this code, without a word
        sys.stderr.write("\ntengen: interrupted\n")
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    sys.stderr.write(f"tengen: {' '.join(message.split())}\n")
    sys.exit(USER_ERROR)
