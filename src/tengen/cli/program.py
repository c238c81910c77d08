"""How the user calls this program, for advice that can be pasted into a shell."""

import shlex
import shutil
import sys
from pathlib import Path

NAME = "tengen"


def command(*words: str) -> str:
    """What to type to run these words: by the program's name where a shell finds it by that.

    Elsewhere the way it was called, as in ``.venv/bin/tengen`` by ``make train``.
    """
    called = sys.argv[0]
    found = shutil.which(NAME)
    is_found = found is not None and Path(found).resolve() == Path(called).resolve()
    return shlex.join([NAME if is_found or Path(called).name != NAME else called, *words])
