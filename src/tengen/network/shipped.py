"""From what a user calls a network to its file."""

from pathlib import Path

from tengen.errors import SpecError

#: The folder of the networks that come with the package.
_FOLDER = Path(__file__).parent.parent / "nets"
_SUFFIX = ".onnx"


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
    names = ", ".join(shipped_networks()) or "none"
    raise SpecError(
        f"network {target!r} is not known; it must be a path to an {_SUFFIX} file or "
        f"a shipped name: {names}"
    )
