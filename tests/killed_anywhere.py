"""Kills a run at every write of its beginning, of an iteration and its end, and goes on with it.

What comes of it is compared with a run that was never killed.

A program of its own, so that it can fork before anything has started a thread. Prints one line per
place: the number of the write, and what it was.
"""

import contextlib
import importlib
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict
from unittest import mock

import torch

import tengen
from tengen.training import play
from tengen.training.budget import Budget
from tengen.training.history import read_run
from tengen.training.run import Run

SETTINGS = {
    "network_values": {"blocks": 1, "channels": 8},
    "games": 3,
    "threads": 1,
    "checkpoints": 1,
    "selfplay": {"sims": 4, "games": 2},
    "learn": {"batch": 8},
    "evaluate": {"positions": None, "sims": [0], "baselines": ["random"], "games": 2, "share": 0},
}
#: Iterations before the one that is broken off: enough for an old checkpoint to be removed in it.
BEFORE = 3
#: What Python tells of before it changes a file; SQLite has its own way.
WRITES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.copyfile")


class Killer:
    """Ends the process at one of its writes."""

    def __init__(self, at: int, folder: Path) -> None:
        self._left = at
        self._folders = (str(folder), str(folder.with_name(f".{folder.name}.part")))

    def watch(self) -> None:
        """All writes of this process from now on."""
        connect = sqlite3.connect

        def connected(*arguments: Any, **options: Any) -> sqlite3.Connection:
            database: sqlite3.Connection = connect(*arguments, **options)
            database.set_trace_callback(self.statement)
            return database

        mock.patch.object(sqlite3, "connect", connected).start()
        sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        is_write = event in WRITES or (
            event == "open" and isinstance(arguments[1], str) and arguments[1][0] in "wxa"
        )
        if is_write:
            path = str(arguments[0])
            # A folder is removed by the bare names of what is in it.
            if path.startswith(self._folders) or "/" not in path:
                self.tick(f"{event} {Path(path).name}")

    def statement(self, sql: str) -> None:
        if sql.startswith(("BEGIN", "COMMIT")):
            self.tick(sql)

    def tick(self, what: str) -> None:
        if self._left == 0:
            sys.stdout.write(f"{what}\n")
            sys.stdout.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1


class Where(TypedDict):
    """Which run is meant."""

    name: str
    runs: Path


#: What a process does to a folder, with somebody who ends it.
Stage = Callable[[Path, Killer | None], None]


class BegunError(Exception):
    """That is all for now."""


def begin(folder: Path, killer: Killer | None = None) -> None:
    def leave(run: Run, budget: Budget) -> None:
        raise BegunError

    if killer is not None:
        killer.watch()
    if not folder.exists():
        where: Where = {"name": folder.name, "runs": folder.parent}
        with contextlib.suppress(BegunError):
            tengen.train("tictactoe", SETTINGS, **where, iterations=BEFORE, on_begin=leave)


def go_on(folder: Path, killer: Killer | None, iterations: int) -> None:
    """Until there are so many, and how good it is has been measured."""
    if killer is not None:
        killer.watch()
    if read_run(folder).best_figures and read_run(folder).iteration == iterations:
        return
    where: Where = {"name": folder.name, "runs": folder.parent}
    tengen.train("tictactoe", **where, resume=True, iterations=iterations)


def first_iterations(folder: Path, killer: Killer | None = None) -> None:
    go_on(folder, killer, BEFORE)


def one_iteration(folder: Path, killer: Killer | None = None) -> None:
    go_on(folder, killer, BEFORE + 1)


def was_killed(stage: Stage, folder: Path, killer: Killer | None) -> bool:
    child = os.fork()
    if child == 0:
        try:
            stage(folder, killer)
        except BaseException as error:  # noqa: BLE001 - the parent must hear of it
            sys.stdout.write(f"failed: {error!r}\n")
            sys.stdout.flush()
            os._exit(3)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status) != 0:
        sys.exit("a child failed")
    return os.WIFSIGNALED(status)


def contents(folder: Path) -> tuple[list[bytes], bytes, dict[str, str]]:
    """All games, the weights after them, and the notes."""
    run = Run.resume(folder)
    games = [record.to_bytes() for record in run.store.newest_games(10**9)]
    notes = run.store.notes()
    run.close()
    checkpoints = sorted(path.name for path in (folder / "checkpoints").iterdir())
    newest = folder / "checkpoints" / checkpoints[-1] / "newest.safetensors"
    assert all(name.isdigit() for name in checkpoints), "nothing is left in part"
    assert read_run(folder).iteration == int(checkpoints[-1]), "it can be looked at"
    return games, newest.read_bytes(), notes


def killed_at_every_write(stage: Stage, begun: Path | None, folder: Path) -> None:
    """Begin with a copy of a run, or with nothing."""
    whole = folder / "whole"
    if begun is not None:
        shutil.copytree(begun, whole)
    was_killed(stage, whole, None)
    expected = contents(whole)
    for at in range(1000):
        copy = folder / f"{at}"
        if begun is not None:
            shutil.copytree(begun, copy)
        if not was_killed(stage, copy, Killer(at, copy)):
            return
        was_killed(stage, copy, None)
        if contents(copy) != expected:
            sys.exit(f"killed at write {at}, another run came of it")
        shutil.rmtree(copy)


def main(folder: Path) -> None:
    # PyTorch loads this with the first optimiser, which takes longer than all that a child does.
    importlib.import_module("torch._dynamo")
    torch.set_num_threads(1)
    # Game by game, so that the same writes come in the same order every time.
    play._AT_ONCE = 1
    for name in ("beginning", "iteration"):
        (folder / name).mkdir(parents=True)
    killed_at_every_write(begin, None, folder / "beginning")
    begun = folder / "begun"
    begin(begun)
    was_killed(first_iterations, begun, None)
    killed_at_every_write(one_iteration, begun, folder / "iteration")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
