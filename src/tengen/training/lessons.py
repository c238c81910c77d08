"""The second stage: learning from the newest positions."""

import time

from tengen.training.events import Event, OnEvent
from tengen.training.run import Run


def learn(run: Run, *, progress: float, on_event: OnEvent) -> dict[str, float]:
    """Take as many steps as make every new position learnt from about ``passes`` times."""
    settings = run.settings
    start = time.monotonic()
    new = run.window.taught_from(run.state.games)
    samples = run.window.newest(run.window_size)
    prepared = time.monotonic()
    steps = 0
    if (
        len(samples) > 0
        and run.store.position_count(before=run.numbers.stop) >= settings.start_positions
    ):
        passes = settings.passes_of(run.state.iteration)
        steps = max(1, round(new * passes / settings.learn.batch))
    figures = {
        "positions": float(len(samples)),
        "buffer_age": float(run.window.age),
        "steps": float(steps),
    }
    if steps > 0:
        losses = run.learner.learn(
            samples,
            steps,
            progress=progress,
            on_step=lambda done: on_event(Event("learn", run.state.iteration, done, steps)),
        )
        parts = {
            "policy": losses.policy,
            "value": losses.value,
            "moves_left": losses.moves_left,
            "soft_policy": losses.soft_policy,
            "ending": losses.ending,
        }
        figures |= {f"loss_{name}": loss for name, loss in parts.items() if loss is not None}
        figures |= {
            "loss": losses.total,
            "policy_entropy": losses.entropy,
            "rate": settings.learn.rate_at(run.learner.step, progress),
            "samples_per_second": steps
            * settings.learn.batch
            / max(1e-9, time.monotonic() - prepared),
        }
        run.export()
    figures["seconds_learn"] = time.monotonic() - start
    return figures
