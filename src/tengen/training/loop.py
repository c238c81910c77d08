"""The loop: self-play, learn, evaluate, pit. Begin reading here.

    self-play   the network plays games against itself; every position gets the search's verdict
    learn       the newest positions teach it: which move to look at, and who will win
    evaluate    how good is it now? Against exact scores where there are any, else against others
    pit         is it better than the best so far? Only asked where a gate decides who plays

Every stage leaves what it did in the run's folder before the next begins, so a run can be stopped
or killed anywhere and goes on from there.
"""

import time
from dataclasses import replace

from tengen.training.assess import Assessor
from tengen.training.budget import Budget
from tengen.training.events import Event, OnEvent, ignore
from tengen.training.lessons import learn
from tengen.training.pit import pit
from tengen.training.play import play
from tengen.training.run import Run


def train(run: Run, budget: Budget, *, on_event: OnEvent = ignore) -> None:
    """Iterate until the budget is spent, then measure the best network as well as can be."""
    assessor = Assessor(run)
    last = 0.0
    while not budget.is_spent(run.state, last):
        before = run.state.seconds
        iterate(run, assessor, progress=budget.progress(run.state), on_event=on_event)
        last = run.state.seconds - before
    figures = assessor.final(on_event=on_event)
    on_event(Event("end", run.state.iteration, figures=figures))


def iterate(run: Run, assessor: Assessor, *, progress: float, on_event: OnEvent = ignore) -> None:
    """One iteration: its four stages, and a checkpoint."""
    start, work = time.monotonic(), time.process_time()
    iteration = run.state.iteration

    figures = play(run, on_event=on_event)
    figures |= learn(run, progress=progress, on_event=on_event)
    figures |= assessor.evaluate(on_event=on_event)
    figures |= pit(run, on_event=on_event)

    seconds = time.monotonic() - start
    busy = (time.process_time() - work) / (seconds * run.settings.threads)
    run.state = replace(
        run.state,
        iteration=iteration + 1,
        step=run.learner.step,
        games=run.state.games + run.settings.games_of(iteration),
        seconds=run.state.seconds + seconds,
    )
    figures |= {"seconds": run.state.seconds, "progress": progress, "busy": busy}
    run.log(iteration, figures)
    run.save()
    on_event(Event("iteration", iteration, figures=figures))
