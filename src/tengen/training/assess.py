"""The third stage: how good the network is, by exact scores or against fixed opponents."""

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tengen.arena import Evaluation, LabelledPosition, every_position, read_positions
from tengen.arena import evaluate as evaluate_player
from tengen.arena.match import MatchScore, play_match, random_openings
from tengen.errors import SpecError
from tengen.players import Player, player
from tengen.rules import AnyGame, GridGame
from tengen.training.events import Event, OnEvent
from tengen.training.run import Run

#: The set by which checkpoints are chosen, for games that have one.
_SELECT = {"connect4": "connect4-select"}
#: Random moves before a game against a fixed opponent, and the searches of ours.
_OPENING_PLIES, _SIMS = 2, 100
#: Simulations a second of a thread and seconds of a match, until they have been measured.
_GUESSED_SPEED, _GUESSED_MATCH = 5000, 10.0


class Assessor:
    """Measures a run's networks, within the share of time that it may take.

    The policy alone costs next to nothing and is measured every time; searches when they are due,
    and all of them at the end.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._settings = run.settings.evaluate
        self._positions = positions_of(run.game, self._settings.positions)
        #: Simulations; the policy alone chooses the best network and is never left out.
        self._levels = sorted({0, *self._settings.sims})
        self._is_sample = self._settings.positions != "all"
        # Of this process: what was spent before a break is not known any more.
        self._began = time.monotonic()
        #: What every level took last and in all, in seconds.
        self._last: dict[str, float] = {}
        self._spent: dict[str, float] = {}

    def begin(self, *, on_event: OnEvent) -> None:
        """Measure the network that a run begins with, which may know something already."""
        if self._positions and self._scores_choose:
            figures = self._level(self._run.newest, 0, on_event)
            self._run.keep_as_best(score=_score(figures))

    def evaluate(self, *, on_event: OnEvent) -> dict[str, float]:
        """Measure the newest network; keep it if it may well be the best so far."""
        run = self._run
        start = time.monotonic()
        figures: dict[str, float] = {}
        if self._positions:
            for sims in self._levels:
                if sims == 0 or self._is_due(f"{sims}", self._guess(sims)):
                    figures |= self._level(run.newest, sims, on_event)
        else:
            for opponent in self._settings.baselines:
                if self._is_due(opponent, _GUESSED_MATCH):
                    figures |= self._match(run.newest, opponent, on_event)
        if self._scores_choose:
            # Where there are none, the newest is taken to be the best.
            score, best = _score(figures), run.state.best_score
            sample = len(self._positions) if self._is_sample else None
            if not self._positions or score >= lowest_kept(best, sample):
                run.keep_as_best(score=max(score, best))
        return {**figures, "seconds_evaluate": time.monotonic() - start}

    def final(self, *, on_event: OnEvent) -> dict[str, float]:
        """Measure the best network at every level."""
        figures: dict[str, float] = {}
        if self._positions:
            for sims in self._levels:
                figures |= self._level(self._run.best, sims, on_event)
        else:
            for opponent in self._settings.baselines:
                figures |= self._match(self._run.best, opponent, on_event)
        return figures

    @property
    def _scores_choose(self) -> bool:
        """Which network is the best, rather than a gate."""
        return self._run.settings.gate.kind == "never"

    def _guess(self, sims: int) -> float:
        """What a level should take, by the highest that has been measured."""
        measured = [level for level in self._levels if level > 0 and f"{level}" in self._last]
        if measured:
            return self._last[f"{measured[-1]}"] * sims / measured[-1]
        return sims * len(self._positions) / _GUESSED_SPEED / self._run.settings.threads

    def _is_due(self, level: str, guess: float) -> bool:
        """Whether its share of the time since the start has room for it once more."""
        levels = len(self._levels) - 1 if self._positions else len(self._settings.baselines)
        room = self._settings.share * (time.monotonic() - self._began) / levels
        return self._spent.get(level, 0.0) + self._last.get(level, guess) <= room

    def _count(self, level: str, start: float) -> None:
        self._last[level] = time.monotonic() - start
        self._spent[level] = self._spent.get(level, 0.0) + self._last[level]

    def _level(self, network: Path, sims: int, on_event: OnEvent) -> dict[str, float]:
        start = time.monotonic()
        done = 0

        def count(_: object) -> None:
            nonlocal done
            done += 1
            on_event(Event("evaluate", self._run.state.iteration, done, len(self._positions)))

        first, *twins = self._players(network, sims)
        found = evaluate_player(first, self._positions, twins=twins, on_answer=count)
        self._count(f"{sims}", start)
        return _figures(found, sims)

    def _players(self, network: Path, sims: int) -> list[Player]:
        # The policy alone is too quick for threads to help.
        threads = self._run.settings.threads if sims > 0 else 1
        spec = f'net:"{network}",sims={sims}'
        return [player(spec, self._run.game, seed=1) for _ in range(threads)]

    def _match(self, network: Path, opponent: str, on_event: OnEvent) -> dict[str, float]:
        start = time.monotonic()
        run, done = self._run, 0
        openings = random_openings(
            run.game, self._settings.games // 2, plies=_OPENING_PLIES, seed=run.settings.seed
        )

        def count(_: MatchScore) -> None:
            nonlocal done
            done += 1
            on_event(Event("evaluate", run.state.iteration, done, 2 * len(openings)))

        pairs = [
            (ours, player(opponent, run.game, seed=number))
            for number, ours in enumerate(self._players(network, _SIMS))
        ]
        score = play_match(pairs, openings, on_game=count)
        self._count(opponent, start)
        return {f"against_{opponent}": score.win_rate}


def lowest_kept(best: float, sample: int | None) -> float:
    """The score with which a network replaces the best, whose own is this.

    On a sample of positions chance moves a score by its standard error. Without that much patience
    the luckiest network would stay the best, while later ones judge positions better and better.
    """
    if sample is None or best < 0:
        return best
    return best - math.sqrt(best * (1 - best) / sample)


def positions_of(game: AnyGame, source: str | None) -> Sequence[LabelledPosition]:
    """Those that a setting names, or by which the checkpoints of a game are chosen; or none."""
    if source is None:
        source = _SELECT.get(game.name)
    if source is None:
        return []
    if source != "all":
        return read_positions(game, source)
    if not isinstance(game, GridGame):
        raise SpecError(f"evaluate.positions is all; of {game.name} no exact scores are known")
    return every_position(game)


def _score(figures: Mapping[str, float]) -> float:
    """By which networks are compared: the mean of good and perfect moves of the policy alone."""
    return (figures.get("perfect_0", 0.0) + figures.get("good_0", 0.0)) / 2


def _figures(found: Evaluation, sims: int) -> dict[str, float]:
    """Shares of good and perfect moves, on all and on the decisive positions; the value's error."""
    groups = {"": found.total, "decisive_": found.decisive}
    figures = {
        f"{prefix}{name}_{sims}": rate.rate
        for prefix, group in groups.items()
        for name, rate in (("good", group.good), ("perfect", group.perfect))
        if rate.rate is not None  # of no positions nothing can be said
    }
    if found.value_error is not None:
        figures[f"value_error_{sims}"] = found.value_error
    return figures
