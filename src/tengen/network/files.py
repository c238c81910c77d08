"""Files that are whole or not there at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from tengen.errors import SpecError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path next to ``path`` to write to; it takes its place only when all has gone well."""
    if not path.parent.is_dir():
        raise SpecError(f"folder {path.parent} does not exist")
    if path.is_dir():
        raise SpecError(f"{path} is a folder; a file is to be written there")
    if path.exists() and not path.is_file():
        raise SpecError(f"{path} is a device and no file; it cannot be replaced by one")
    path = path.resolve()  # a link stays one
    part = path.with_name(f".{path.name}.{uuid4().hex[:8]}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
