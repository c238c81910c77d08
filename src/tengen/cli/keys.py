"""Single keys from a terminal: arrows, Enter, letters."""

import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

_ESCAPE = b"\x1b"
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
    if data == _ESCAPE:
        data += _rest_of_sequence(descriptor)
    while len(data) < 4 and not _is_whole(data) and _is_waiting(descriptor):
        data += os.read(descriptor, 1)  # a character of several bytes
    text = data.decode(errors="replace")
    return _NAMES.get(text, text if len(text) == 1 and text.isprintable() else "")


def _rest_of_sequence(descriptor: int) -> bytes:
    """What follows Escape: nothing, or a sequence that ends with a letter or ``~``."""
    rest = b""
    while _is_waiting(descriptor):
        rest += os.read(descriptor, 1)
        is_introducer = rest in (b"[", b"O")
        if not is_introducer and (rest[-1:].isalpha() or rest[-1:] == b"~"):
            break
    return rest


def _is_waiting(descriptor: int) -> bool:
    """Whether more bytes come at once: the bytes of one key arrive together."""
    return bool(select.select([descriptor], [], [], 0.02)[0])


def _is_whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
