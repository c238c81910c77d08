"""Kills a run at every write of an iteration, resumes it, and compares with one never killed.

A program of its own, so that it can fork before anything has started a thread. Prints one line per
place: the number of the write, and what it was.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

import tengen
from tengen.rules import GridGame
from tengen.training.assess import Assessor
from tengen.training.loop import iterate
from tengen.training.run import Run
from tengen.training.settings import TrainSettings

SETTINGS = {
    "network_values": {"blocks": 1, "channels": 8},
    "games": 3,
    "threads": 1,
    "checkpoints": 1,
    "selfplay": {"sims": 4, "games": 2},
    "learn": {"batch": 8},
    "evaluate": {"sims": [0], "baselines": [], "share": 0},
}
#: What Python tells of before it changes a file; SQLite has its own way.
WRITES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.copyfile")


class Killer:
    """Ends the process at one of its writes."""

    def __init__(self, at: int, folder: Path) -> None:
        self._left = at
        self._folder = str(folder)

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        is_write = event in WRITES or (
            event == "open" and isinstance(arguments[1], str) and arguments[1][0] in "wxa"
        )
        if is_write and str(arguments[0]).startswith(self._folder):
            self.tick(f"{event} {Path(str(arguments[0])).name}")

    def statement(self, sql: str) -> None:
        if sql.startswith(("BEGIN", "COMMIT")):
            self.tick(sql)

    def tick(self, what: str) -> None:
        if self._left == 0:
            sys.stdout.write(f"{what}\n")
            sys.stdout.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1


def one_iteration(folder: Path, killer: Killer | None = None) -> None:
    run = Run.resume(folder)
    if killer is not None:
        sys.addaudithook(killer)
        run.store._database.set_trace_callback(killer.statement)
    if run.state.iteration < 2:
        iterate(run, Assessor(run), progress=0.5)
    run.close()


def was_killed(folder: Path, killer: Killer | None) -> bool:
    child = os.fork()
    if child == 0:
        try:
            one_iteration(folder, killer)
        except BaseException as error:  # noqa: BLE001 - the parent must hear of it
            sys.stdout.write(f"failed: {error!r}\n")
            sys.stdout.flush()
            os._exit(3)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status) != 0:
        sys.exit("a child failed")
    return os.WIFSIGNALED(status)


def contents(folder: Path) -> tuple[list[bytes], bytes]:
    """All games, and the weights after them."""
    run = Run.resume(folder)
    assert run.state.iteration == 2
    games = [record.to_bytes() for record in run.store.newest_games(10**9)]
    run.close()
    [newest] = [path for path in run.checkpoints() if path.name == "000002"]
    return games, (newest / "newest.safetensors").read_bytes()


def main(folder: Path) -> None:
    game = tengen.game("tictactoe")
    assert isinstance(game, GridGame)
    begun = folder / "begun"
    run = Run.begin(begun, game, TrainSettings.model_validate(SETTINGS))
    iterate(run, Assessor(run), progress=0)
    run.close()
    whole = folder / "whole"
    shutil.copytree(begun, whole)
    was_killed(whole, None)
    expected = contents(whole)
    for at in range(1000):
        copy = folder / f"{at}"
        shutil.copytree(begun, copy)
        if not was_killed(copy, Killer(at, copy)):
            return
        was_killed(copy, None)
        if contents(copy) != expected:
            sys.exit(f"killed at write {at}, another run came of it")
        shutil.rmtree(copy)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
