"""What a run will be like, from a measurement of some seconds before it begins."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import mean

import numpy as np

from tengen.network.shape import ENDING_PLANES
from tengen.rules import GridGame
from tengen.selfplay import GameRecord, SelfPlaySettings, self_play_of
from tengen.training.budget import Budget
from tengen.training.run import Run
from tengen.training.samples import Samples

#: Bytes that torch, ONNX Runtime and the program itself need, whatever the game.
_PROGRAM_BYTES = 600 << 20
#: Seconds for self-play and for learning, and what is played at most.
_SECONDS, _MOST_GAMES = 5.0, 1 << 16
#: Of a position in a record, and of every move that its search wants.
_PLY_BYTES, _TARGET_BYTES = 18, 6
#: Checkpoints that stay in a run of hundreds of iterations, besides the last ones.
_LASTING = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """Rates measured with the network as it is now; games get longer or shorter as it learns."""

    evaluations_per_second: float
    games_per_second: float
    positions_per_game: float
    samples_per_second: float
    bytes_per_game: float
    #: On the disk, however many games there are.
    checkpoint_bytes: float
    most_bytes: float
    games_per_iteration: int
    #: Of self-play in an iteration, and of all else.
    play_seconds: float
    other_seconds: float
    #: Of learning from the games with rollouts; 0 where there are none to come.
    first_seconds: float

    @property
    def seconds_per_iteration(self) -> float:
        """With as many simulations as now."""
        return self.play_seconds + self.other_seconds

    @property
    def games_per_hour(self) -> float:
        """Learning included."""
        return 3600 * self.games_per_iteration / self.seconds_per_iteration

    def seconds_left(self, run: Run, budget: Budget) -> float:
        """Until the budget is spent; that simulations grow with the games is taken into account."""
        state, settings = run.state, run.settings
        if budget.minutes is not None:
            return max(0.0, 60 * budget.minutes - state.seconds)
        if settings.has_rollouts(state.iteration):
            state = replace(state, iteration=1, games=settings.rollouts.games)
        iterations = budget.iterations_left(state, settings.games)
        games = (state.games, state.games + iterations * settings.games)
        play = self.play_seconds * growth(settings.grow_from, run.state.games, games)
        return self.first_seconds + iterations * (play + self.other_seconds)


def make_plan(run: Run) -> Plan:
    """Play and learn for some seconds, and keep nothing of it."""
    settings = run.settings
    # The first iteration may be one of rollouts; the plan is of those that come after it.
    selfplay = settings.selfplay_of(max(1, run.state.iteration), run.state.games)
    self_play = self_play_of(
        run.game,
        run.evaluator(),
        selfplay,
        seed=settings.seed + 1,
        threads=settings.threads,
    )
    records = []
    # Long games may not end in this time at all.
    timer = threading.Timer(3 * _SECONDS, self_play.stop)
    timer.start()
    start = time.monotonic()
    try:
        # The first games to end are the short ones; as many as are played at once make up for it.
        for record in self_play.play(range(_MOST_GAMES)):
            records.append(record)
            if time.monotonic() - start > _SECONDS and len(records) >= selfplay.games:
                break
    finally:
        timer.cancel()
    seconds = time.monotonic() - start
    samples_per_second = _learning_speed(run)
    positions = _positions_per_game(run, [len(record.plies) for record in records], selfplay)
    # By the simulations, so that games under way count too.
    sims_per_second = max(1e-9, self_play.counts.sims / seconds)
    games_per_second = sims_per_second / selfplay.mean_sims / positions
    play = settings.games / games_per_second
    learn = settings.games * positions * settings.passes / samples_per_second
    gate = settings.gate
    pit = 0.0
    if gate.kind != "never":
        pit = gate.games * positions * gate.sims / sims_per_second / gate.every
    rollouts = settings.rollouts.games if settings.has_rollouts(run.state.iteration) else 0
    return Plan(
        evaluations_per_second=self_play.counts.evaluations / seconds,
        games_per_second=games_per_second,
        positions_per_game=positions,
        samples_per_second=samples_per_second,
        bytes_per_game=_bytes_per_game(run, records, positions),
        checkpoint_bytes=_checkpoint_bytes(run),
        most_bytes=_most_bytes(run),
        games_per_iteration=settings.games,
        play_seconds=play,
        other_seconds=learn + pit + settings.evaluate.share * (play + learn + pit),
        first_seconds=rollouts * positions * settings.rollouts.passes / samples_per_second,
    )


def growth(grow_from: int | None, now: int, games: tuple[float, float]) -> float:
    """How many times as many simulations as now the games between two numbers have, on average."""
    first, last = games
    if grow_from is None or last <= first:
        return 1.0

    def area(end: float) -> float:
        """Under max(1, games / grow_from), from the first game on."""
        return end if end <= grow_from else (grow_from + end * end / grow_from) / 2

    return (area(last) - area(first)) / (last - first) / max(1.0, now / grow_from)


def _positions_per_game(run: Run, seen: Sequence[int], selfplay: SelfPlaySettings) -> float:
    """By the games that were seen, unless they are not what games will be like."""
    game = run.game
    measured = mean(seen) if seen else 0.0
    has_gravity = isinstance(game, GridGame) and game.rules.gravity
    if seen and not (has_gravity and run.state.iteration == 0):
        return measured
    # Beginners end a game soon where columns fill up: they overlook what the others will not. Most
    # games then end when half the cells after the opening are full.
    opening = selfplay.opening_share * selfplay.opening_plies / 2
    return max(measured, (game.rows * game.cols - opening) / 2)


def _bytes_per_game(run: Run, seen: Sequence[GameRecord], positions: float) -> float:
    """By the games that were seen; if none has ended, as if every simulation tried another move."""
    if seen:
        return mean(len(record.to_bytes()) for record in seen)
    moves = min(run.settings.selfplay.sims, run.game.move_count)
    return positions * (_PLY_BYTES + _TARGET_BYTES * moves)


def _learning_speed(run: Run) -> float:
    """Positions a second, by a twin of the learner, so that the run itself stays as it is."""
    settings = run.settings.learn
    twin = run.make_learner()
    game, size = run.game, settings.batch
    chance = np.random.default_rng(0)
    shape = (size, len(run.config.planes), game.rows, game.cols)
    policy = chance.random((size, game.move_count)).astype(np.float32)
    value = chance.random((size, 3)).astype(np.float32)
    samples = Samples(
        chance.integers(0, 2, shape).astype(np.uint8),
        policy / policy.sum(axis=1, keepdims=True),
        value / value.sum(axis=1, keepdims=True),
        np.ones(size, np.float32),
        chance.integers(0, 256, (size, ENDING_PLANES, *shape[2:])).astype(np.uint8),
        np.ones(size, np.float32),
    )
    twin.learn(samples, 1, progress=0.0)  # the first step allocates
    once = _seconds(lambda: twin.learn(samples, 1, progress=0.0))
    # In one call: threads work on several steps at once.
    steps = max(1, round(_SECONDS / 2 / once))
    return steps * size / _seconds(lambda: twin.learn(samples, steps, progress=0.0))


def _seconds(work: Callable[[], object]) -> float:
    start = time.monotonic()
    work()
    return max(1e-9, time.monotonic() - start)


def _checkpoint_bytes(run: Run) -> float:
    """Of all that are kept, by the size of the newest."""
    newest = run.checkpoints()[-1]
    kept = run.settings.checkpoints + _LASTING
    return float(kept * sum(path.stat().st_size for path in newest.iterdir()))


def _most_bytes(run: Run) -> float:
    settings = run.settings
    # By games, in one piece, and with every position once.
    window = 3 * settings.window.most * _bytes_per_position(run)
    return _PROGRAM_BYTES + window + settings.threads * (settings.selfplay.cache << 20)


def _bytes_per_position(run: Run) -> int:
    cells = run.game.rows * run.game.cols
    planes = len(run.config.planes) + ENDING_PLANES
    return planes * cells + 4 * (run.game.move_count + 5)
