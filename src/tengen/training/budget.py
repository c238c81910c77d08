"""How long a run is to be, and how long it has been."""

import time

from pydantic import Field, model_validator

from tengen.config import Settings
from tengen.training.state import RunState


class Budget(Settings):
    """Of the whole run; the time of an iteration that was broken off does not count."""

    minutes: float | None = Field(default=None, gt=0, le=1e6, description="of wall-clock time")
    iterations: int | None = Field(default=None, ge=1, le=10**9, description="of the loop")
    games: int | None = Field(default=None, ge=1, le=10**12, description="of self-play")

    @model_validator(mode="after")
    def _one(self) -> "Budget":
        if sum(value is not None for value in self._values()) != 1:
            raise ValueError("give one of minutes, iterations and games")
        return self

    def _values(self) -> tuple[float | None, ...]:
        return self.minutes, self.iterations, self.games

    def progress(self, state: RunState) -> float:
        """The share of it that is spent, from 0 to 1."""
        if self.minutes is not None:
            spent = state.seconds / 60 / self.minutes
        elif self.iterations is not None:
            spent = state.iteration / self.iterations
        else:
            assert self.games is not None, "checked before"
            spent = state.games / self.games
        return min(1.0, spent)

    def is_spent(self, state: RunState, next_seconds: float = 0.0) -> bool:
        """Whether nothing is left, or less than half of what comes next would take."""
        if self.minutes is not None:
            return state.seconds + next_seconds / 2 >= 60 * self.minutes
        return self.progress(state) >= 1

    def iterations_left(self, state: RunState, games_per_iteration: int) -> float:
        """How many more fit in; of a run that has minutes nobody knows."""
        if self.iterations is not None:
            return max(0, self.iterations - state.iteration)
        assert self.games is not None, "only iterations and games can be counted"
        return max(0.0, (self.games - state.games) / games_per_iteration)

    def __str__(self) -> str:
        names = ("minutes", "iterations", "games")
        return next(
            f"{value:g} {name}"
            for name, value in zip(names, self._values(), strict=True)
            if value is not None
        )


class Clock:
    """Counts every second once: what saving takes belongs to the next iteration."""

    def __init__(self) -> None:
        self._seconds, self._work = time.monotonic(), time.process_time()

    def lap(self) -> tuple[float, float]:
        """Seconds since the last lap, and seconds of computing by all threads."""
        seconds, work = self._seconds, self._work
        self._seconds, self._work = time.monotonic(), time.process_time()
        return self._seconds - seconds, self._work - work
