"""From a name to a game: the k-in-a-row family, entry points, and files of plain Python."""

import importlib.util
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeVar

from tengen.errors import SpecError
from tengen.rules.checked import CheckedGame
from tengen.rules.game import AnyGame, Game
from tengen.rules.grid import GridGame
from tengen.rules.spec import NAMED, parse_rules

ENTRY_POINTS = "tengen.games"
T = TypeVar("T")


def game(spec: str, *, seed: int | None = None) -> AnyGame:
    """The game that a spec names; ``seed`` decides what ``blocked=random`` is.

    >>> game("connect4").position("4455").legal_moves
    (0, 1, 2, 3, 4, 5, 6)
    """
    path, has_class, class_name = spec.rpartition(":")
    if spec.endswith(".py"):
        raise SpecError(f"game {spec!r}: which class of the file? Write {spec}:ClassName")
    if has_class and path.endswith(".py"):
        return _load(Path(path), class_name)
    if spec not in NAMED:
        for entry in entry_points(group=ENTRY_POINTS, name=spec):
            return _made(_guarded(entry.load, spec), spec)
    return GridGame(parse_rules(spec, seed=seed))


def registered() -> list[str]:
    """The names that installed packages add by the entry point ``tengen.games``."""
    return sorted(entry.name for entry in entry_points(group=ENTRY_POINTS))


def _load(path: Path, class_name: str) -> AnyGame:
    if not path.is_file():
        problem = "is not a file" if path.exists() else "does not exist"
        raise SpecError(f"game file {path} {problem}")
    name = f"tengen_game_{path.stem}"
    module_spec = importlib.util.spec_from_file_location(name, path)
    assert module_spec is not None, "a .py file has a loader"
    assert module_spec.loader is not None, "a .py file has a loader"
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[name] = module
    loader = module_spec.loader
    _guarded(lambda: loader.exec_module(module), f"game file {path}")
    if not hasattr(module, class_name):
        raise SpecError(f"game file {path} has no class {class_name!r}")
    return _made(getattr(module, class_name), f"{path}:{class_name}")


def _made(loaded: object, spec: str) -> AnyGame:
    if not (isinstance(loaded, type) and issubclass(loaded, Game)):
        raise SpecError(f"{spec} is not a subclass of tengen.Game")
    return CheckedGame(_guarded(loaded, spec), spec)


def _guarded(call: Callable[[], T], what: str) -> T:
    """Run code from outside; what goes wrong in there is its author's to hear, in a sentence."""
    try:
        return call()
    except (Exception, SystemExit) as error:
        raise SpecError(f"{what}: {type(error).__name__}: {error}") from error
