"""Single keys from a terminal: arrows, Enter, letters."""

import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

_ESCAPE = "\x1b"
_NAMES = {
    "\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left",
    "\x1bOA": "up", "\x1bOB": "down", "\x1bOC": "right", "\x1bOD": "left",
    "\r": "enter", "\n": "enter", "\x7f": "backspace", "\b": "backspace", "\x04": "end",
}  # fmt: skip


@contextmanager
def key_by_key() -> Iterator[None]:
    """Keys arrive one by one and unseen; Ctrl-C still interrupts."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def read_key() -> str:
    """The next key: a name such as ``left`` or ``enter``, or the character; ``end`` at the end."""
    descriptor = sys.stdin.fileno()
    data = os.read(descriptor, 1)
    if not data:
        return "end"
    if data == _ESCAPE.encode():
        # An arrow is three bytes that come together; Escape alone is followed by nothing.
        while select.select([descriptor], [], [], 0.02)[0] and len(data) < 3:
            data += os.read(descriptor, 1)
    text = data.decode(errors="replace")
    return _NAMES.get(text, text if len(text) == 1 and text.isprintable() else "")
