"""The command ``tengen``; one file per command."""

from tengen.cli.app import main

__all__ = ["main"]
