"""The command line: within the process of the tests, or as a program of its own."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from tengen.cli import main

TENGEN = str(Path(sys.executable).parent / "tengen")

#: Exit code, output and errors.
Result = subprocess.CompletedProcess[str]


def run(*arguments: str, stdin: str = "") -> Result:
    """What a program would do, without the time it takes to start one."""
    out, errors = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", [TENGEN, *arguments]),
        mock.patch.object(sys, "stdin", io.StringIO(stdin)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
        pytest.raises(SystemExit) as left,
    ):
        main()
    assert isinstance(left.value.code, int)
    return Result(arguments, left.value.code, out.getvalue(), errors.getvalue())


def run_program(*arguments: str, **environment: str) -> Result:
    """The program itself, where its environment, streams or memory matter; it has no input."""
    return subprocess.run(
        [TENGEN, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
        check=False,
    )
