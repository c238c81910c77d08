"""The loop: self-play, then learning from it. Begin reading here.

Every stage leaves what it did in the run's folder before the next begins, so a run can be stopped
or killed anywhere and goes on from there.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

import torch

from tengen.selfplay import SelfPlay
from tengen.training.run import Run
from tengen.training.samples import Samples, averaged, samples_of

#: Called with the name of a stage and its figures.
OnEvent = Callable[[str, Mapping[str, float]], None]


def iterate(run: Run, *, progress: float, on_event: OnEvent) -> None:
    """One iteration: its stages, and a checkpoint."""
    start = time.monotonic()
    iteration = run.state.iteration
    figures = dict(play(run))
    on_event("self-play", figures)
    lessons = learn(run, progress=progress)
    on_event("learn", lessons)
    figures |= lessons
    run.store.log(iteration, figures)
    run.state = replace(
        run.state,
        iteration=iteration + 1,
        step=run.learner.step,
        games=run.state.games + run.settings.games,
        seconds=run.state.seconds + time.monotonic() - start,
    )
    run.save()


def play(run: Run) -> dict[str, float]:
    """Self-play: the games of this iteration that are not there yet."""
    first = run.state.games
    wanted = set(range(first, first + run.settings.games)) - run.store.game_numbers()
    self_play = SelfPlay(
        run.game,
        run.evaluator(),
        run.settings.selfplay,
        seed=run.settings.seed,
        threads=run.settings.threads,
    )
    start = time.monotonic()
    plies = first_wins = 0
    for record in self_play.play(sorted(wanted)):
        run.store.add_games([record], iteration=run.state.iteration)
        plies += len(record.moves)
        first_wins += record.outcome.name == "first_wins"
    seconds = max(1e-9, time.monotonic() - start)
    counts = self_play.counts
    played = max(1, counts.games)
    return {
        "games": counts.games,
        "games_per_second": counts.games / seconds,
        "evaluations_per_second": counts.evaluations / seconds,
        "cache_hits": counts.cache_hits / max(1, counts.cache_asked),
        "game_length": plies / played,
        "first_player_share": first_wins / played,
    }


def learn(run: Run, *, progress: float) -> dict[str, float]:
    """Learn from the newest positions, so that each is seen about ``passes`` times in all."""
    settings = run.settings
    samples = window(run)
    new = sum(
        len(record.plies)
        for record in run.store.newest_games(10**12)
        if record.index >= run.state.games
    )
    steps = max(1, round(new * settings.passes / settings.learn.batch))
    torch.set_num_threads(settings.threads)
    start = time.monotonic()
    losses = run.learner.learn(samples, steps, progress=progress)
    return {
        "loss": losses.total,
        "loss_policy": losses.policy,
        "loss_value": losses.value,
        "loss_moves_left": losses.moves_left,
        "steps": steps,
        "positions": len(samples),
        "samples_per_second": steps * settings.learn.batch / max(1e-9, time.monotonic() - start),
        "rate": settings.learn.rate_at(run.learner.step, progress),
    }


def window(run: Run) -> Samples:
    """The positions to learn from: the newest, each once."""
    size = run.settings.window.size(run.store.position_count())
    parts = [
        samples_of(run.game, record, run.config.planes, run.settings.targets)
        for record in run.store.newest_games(size)
    ]
    return averaged(Samples.joined(parts))
