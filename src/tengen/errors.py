"""What can go wrong through no fault of ours, as one tree of exceptions.

::

    TengenError                 every mistake of a user's; its text is one clear sentence
    ├── SpecError               a game, player or setting that cannot be read or is not allowed
    ├── IllegalMove             a move that the position does not allow, or text that is no move
    └── ImpossiblePosition      a board that no game could have led to

The native core raises these classes too, by name.
"""


class TengenError(Exception):
    """A mistake in what was given; the text says what that was and what is allowed."""


class SpecError(TengenError):
    """A game, player or setting that cannot be read or is not allowed."""


class IllegalMove(TengenError):
    """A move that the position does not allow, or text that is not a move."""


class ImpossiblePosition(TengenError):
    """A board that no game could have led to."""
