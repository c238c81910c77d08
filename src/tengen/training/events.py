"""What a run tells whoever watches it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Stage = Literal["self-play", "learn", "evaluate", "pit", "iteration", "end"]


@dataclass(frozen=True, slots=True)
class Event:
    """A stage moves on: so much of it is done. ``iteration`` and ``end`` come with all figures."""

    stage: Stage
    iteration: int
    done: int = 0
    total: int = 0
    figures: Mapping[str, float] = field(default_factory=dict)


OnEvent: TypeAlias = Callable[[Event], None]


def ignore(_: Event) -> None:
    """Watch nothing."""
