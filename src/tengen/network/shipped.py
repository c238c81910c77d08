"""From what a user calls a network to its file."""

import json
from pathlib import Path

from tengen.errors import SpecError

#: The folder of the networks that come with the package.
_FOLDER = Path(__file__).parent.parent / "nets"
_SUFFIX = ".onnx"
#: The same networks before they were exported, to be trained on.
_WEIGHTS = ".safetensors"
#: Where training runs are kept, and how they are named as a target.
_RUNS = Path("runs")
_RUN = "run/"


def shipped_networks() -> list[str]:
    """The names of the networks that come with the package."""
    return sorted(path.stem for path in _FOLDER.glob(f"*{_SUFFIX}"))


def resolve_network(target: str) -> Path:
    """The file that a shipped name or a path means."""
    if target in shipped_networks():
        return _FOLDER / f"{target}{_SUFFIX}"
    if target.endswith(_SUFFIX):
        path = Path(target)
        if not path.is_file():
            problem = "is not a file" if path.exists() else "does not exist"
            raise SpecError(f"network file {target} {problem}")
        return path
    if target.startswith(_RUN):
        folder, checkpoint = _of_run(target.removeprefix(_RUN), _RUNS)
        return checkpoint / f"newest{_SUFFIX}" if checkpoint else folder / f"best{_SUFFIX}"
    names = ", ".join(shipped_networks()) or "none"
    raise SpecError(
        f"network {target!r} is not known; it must be a path to an {_SUFFIX} file, "
        f"{_RUN}NAME of a training run, or a shipped name: {names}"
    )


def resolve_weights(target: str, *, runs: Path = _RUNS) -> Path:
    """The file of weights that a shipped name, a run or a path means."""
    names = sorted(path.stem for path in _FOLDER.glob(f"*{_WEIGHTS}"))
    if target in names:
        return _FOLDER / f"{target}{_WEIGHTS}"
    if target.endswith(_WEIGHTS):
        return Path(target)
    if target.startswith(_RUN):
        folder, checkpoint = _of_run(target.removeprefix(_RUN), runs)
        return checkpoint / f"average{_WEIGHTS}" if checkpoint else folder / f"best{_WEIGHTS}"
    raise SpecError(
        f"weights {target!r} are not known; they must be a path to a {_WEIGHTS} file, "
        f"{_RUN}NAME of a training run, or a shipped name: {', '.join(names) or 'none'}"
    )


def _folder_of(name: str, runs: Path) -> Path:
    folder = runs / name
    if not name or not (folder / "run.sqlite").is_file():
        raise SpecError(f"there is no run {name!r} in the folder {runs}")
    return folder


def _of_run(name: str, runs: Path) -> tuple[Path, Path | None]:
    """``NAME``: the folder, for the best network so far; ``NAME@STEP``: also a checkpoint's."""
    name, has_step, step = name.partition("@")
    folder = _folder_of(name, runs)
    if not has_step:
        return folder, None
    steps = {}
    for state in sorted(folder.glob("checkpoints/*/state.json")):
        if state.parent.name.isdigit():
            try:
                number = json.loads(state.read_text())["step"]
            except FileNotFoundError:
                continue  # a run under way has just forgotten it
            except (OSError, ValueError, TypeError, KeyError):
                raise SpecError(f"checkpoint {state.parent} cannot be read") from None
            steps[str(number)] = state.parent
    if step not in steps:
        raise SpecError(f"run {name} has no step {step!r}; it has {', '.join(steps)}")
    return folder, steps[step]
