"""Run every command of a page's `sh` blocks, in their order, in an empty folder.

    .venv/bin/python docs/try_commands.py docs/training.md docs/designs.md --seconds 30

What takes longer is told to end by Ctrl-C, as a reader would. Commands that fetch packages are left
out and named. Each must end with 0, or as interrupted programs do; one that does not ends it all.
"""

import argparse
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: Exit codes of programs that were interrupted.
INTERRUPTED = (130, -signal.SIGINT)
FETCHES = re.compile(r"\bpip install\b")


def commands(page: Path) -> Iterator[str]:
    """All lines of the blocks marked `sh`, without their comments."""
    for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if command := line.partition("  #")[0].strip():
                yield command


def run(command: str, folder: Path, seconds: float) -> tuple[int, bool, str]:
    """The exit code, whether it had to be interrupted, and what it printed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with subprocess.Popen(
        ["bash", "-c", f"exec {command}"], cwd=folder, env={**os.environ, "PATH": path}, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            text, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            text, _ = process.communicate()
            return process.returncode, True, text
        return process.returncode, False, text


def main() -> None:
    """Try them, and say how each ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--seconds", type=float, default=30)
    arguments = parser.parse_args()
    # Whoever runs this in the background may have it ignored, by all that is started here as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        found = [command for page in arguments.pages for command in commands(page)]
        for command in filter(FETCHES.search, found):
            print(f"left out: {command}")
        for command in itertools.filterfalse(FETCHES.search, found):
            start = time.monotonic()
            code, is_interrupted, text = run(command, folder, arguments.seconds)
            took = f"{time.monotonic() - start:.0f} s{', then Ctrl-C' if is_interrupted else ''}"
            print(f"{code:4} {took}: {command}", flush=True)
            if code != 0 and not (is_interrupted and code in INTERRUPTED):
                sys.exit(text)


if __name__ == "__main__":
    main()
