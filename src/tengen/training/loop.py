"""The loop: self-play, learn, evaluate, pit. Begin reading here.

    self-play   the network plays games against itself; every position gets the search's verdict
    learn       the newest positions teach it: which move to look at, and who will win
    evaluate    how good is it now? Against exact scores where there are any, else against others
    pit         is it better than the best so far? Only asked where a gate decides who plays

A game is kept in the run's folder as it ends, all else at the end of an iteration: a run can be
stopped or killed anywhere, and no finished game is lost.
"""

from dataclasses import replace

from tengen.training.assess import Assessor
from tengen.training.budget import Budget, Clock
from tengen.training.events import Event, OnEvent, ignore
from tengen.training.lessons import learn
from tengen.training.pit import pit
from tengen.training.play import play
from tengen.training.run import Run


def train(run: Run, budget: Budget, *, on_event: OnEvent = ignore) -> None:
    """Iterate until the budget is spent, then measure the best network as well as can be."""
    assessor = Assessor(run)
    clock, last = Clock(), 0.0
    if run.state.iteration == 0:
        assessor.begin(on_event=on_event)
    while not budget.is_spent(run.state, last):
        before = run.state.seconds
        progress = budget.progress(run.state)
        iterate(run, assessor, progress=progress, on_event=on_event, clock=clock)
        last = run.state.seconds - before
    figures = assessor.final(on_event=on_event)
    run.log_best(figures)
    on_event(Event("end", run.state.iteration, figures=figures))


def iterate(
    run: Run,
    assessor: Assessor,
    *,
    progress: float,
    on_event: OnEvent = ignore,
    clock: Clock | None = None,
) -> None:
    """One iteration: its four stages, and a checkpoint."""
    clock = clock or Clock()
    iteration = run.state.iteration

    figures = play(run, on_event=on_event)
    figures |= learn(run, progress=progress, on_event=on_event)
    figures |= assessor.evaluate(on_event=on_event)
    figures |= pit(run, on_event=on_event)

    seconds, work = clock.lap()
    state = replace(
        run.state,
        iteration=iteration + 1,
        step=run.learner.step,
        games=run.state.games + run.settings.games_of(iteration),
        seconds=run.state.seconds + seconds,
    )
    busy = work / (seconds * run.settings.threads)
    figures |= {"seconds": state.seconds, "progress": progress, "busy": busy}
    run.log(iteration, figures)
    run.save(state)
    on_event(Event("iteration", iteration, figures=figures))
