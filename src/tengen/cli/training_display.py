"""A run as it is watched: a live table on a terminal, a line per iteration elsewhere."""

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

if TYPE_CHECKING:
    from tengen.training.budget import Budget
    from tengen.training.events import Event
    from tengen.training.plan import Plan
    from tengen.training.run import Run

#: Iterations that the live table shows.
_ROWS = 12
#: Columns: figure, title, how it is written.
_COLUMNS = (
    ("loss_policy", "policy", "{:.3f}"),
    ("loss_value", "value", "{:.3f}"),
    ("good_0", "good", "{:.1%}"),
    ("perfect_0", "perfect", "{:.1%}"),
    ("win_rate", "v. best", "{:.1%}"),
    ("games_per_second", "games/s", "{:,.0f}"),
    ("evaluations_per_second", "evals/s", "{:,.0f}"),
    ("cache_hits", "cache", "{:.0%}"),
    ("game_length", "plies", "{:.1f}"),
)
#: The time of every stage of an iteration.
_STAGES = {
    "seconds_self_play": "self-play",
    "seconds_learn": "learn",
    "seconds_evaluate": "evaluate",
    "seconds_pit": "pit",
}


def clock(seconds: float) -> str:
    """Hours, minutes and seconds."""
    whole = max(0, round(seconds))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def plan_lines(plan: "Plan", run: "Run", budget: "Budget") -> Iterator[str]:
    """What a run will be like, to be read before it begins."""
    settings = run.settings
    is_short = "bf16" in (settings.selfplay.precision, settings.learn.precision)
    yield (
        f"{run.game.name}, {settings.network}{' in 16 bits' if is_short else ''}, {budget} in all, "
        f"{settings.threads} threads, in {run.folder}"
    )
    yield (
        f"{plan.evaluations_per_second:,.0f} evaluations/s, "
        f"{plan.samples_per_second:,.0f} samples/s in learning, "
        f"about {plan.games_per_hour:,.0f} games/hour"
    )
    left = plan.seconds_left(run, budget)
    disk = plan.checkpoint_bytes + plan.bytes_per_game * plan.games_per_hour * left / 3600
    first = f"the first {plan.first_seconds:.0f} s, " if plan.first_seconds else ""
    yield (
        f"about {plan.seconds_per_iteration:.0f} s an iteration, {first}{clock(left)} to the end; "
        f"at most {plan.most_bytes / 2**30:.1f} GB of memory, "
        f"about {disk / 2**20:,.0f} MB of disk"
    )


def figures_line(iteration: int, figures: Mapping[str, float], *, games: int, left: str) -> str:
    """An iteration in one line."""
    parts = [f"iteration {iteration + 1}", f"{games:,} games"]
    parts += [
        f"{title} {text.format(figures[name])}" for name, title, text in _COLUMNS if name in figures
    ]
    parts += [f"{name} {value:.1%}" for name, value in _searched(figures).items()]
    parts += [
        f"{stage} {figures[name]:.0f} s" for name, stage in _STAGES.items() if name in figures
    ]
    return ", ".join([*parts, f"{clock(figures['seconds'])} so far", f"{left} left"])


def _searched(figures: Mapping[str, float]) -> dict[str, float]:
    """What is measured now and then: with searches, or against others."""
    found = {}
    for name, value in figures.items():
        kind, _, sims = name.rpartition("_")
        if kind in ("good", "perfect") and sims.isdigit() and sims != "0":
            found[f"{kind} at {sims} sims"] = value
        elif name.startswith("against_"):
            found[f"against {name.removeprefix('against_')}"] = value
    return found


class Display:
    """Shows the events of a run."""

    def __init__(self, run: "Run", budget: "Budget", console: Console) -> None:
        self._run = run
        self._budget = budget
        self._console = console
        self._rows: list[tuple[int, Mapping[str, float]]] = []
        self._searched: dict[str, float] = {}
        #: Of the iteration under way: when it began, and how many of its games are there.
        self._began, self._games = time.monotonic(), 0
        self._progress = Progress(
            TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn(), console=console
        )
        self._task = self._progress.add_task("", total=1)
        self._live = (
            Live(console=console, refresh_per_second=4, get_renderable=self._table)
            if console.is_terminal
            else None
        )

    def start(self) -> None:
        """Take the screen, where there is one."""
        if self._live:
            self._live.start()

    def stop(self) -> None:
        """Give it back."""
        if self._live:
            self._live.stop()

    def show(self, event: "Event") -> None:
        """Called by the loop with everything that happens."""
        if event.stage == "self-play":
            self._games = event.done
        if event.stage == "iteration":
            self._began, self._games = time.monotonic(), 0
            self._rows = [*self._rows, (event.iteration, event.figures)][-_ROWS:]
            self._searched = {**self._searched, **_searched(event.figures)}
            if self._live is None:
                line = figures_line(
                    event.iteration, event.figures, games=self._run.state.games, left=self._left()
                )
                self._console.print(line, markup=False, soft_wrap=True)
        elif event.stage == "end":
            if self._live:
                self._live.stop()
            self._end(event.figures)
        elif self._live:
            self._progress.update(
                self._task, description=event.stage, completed=event.done, total=event.total
            )

    def _left(self) -> str:
        """By what the run has taken so far; what nobody can know yet is a question mark."""
        state, now = self._run.state, time.monotonic() - self._began
        if self._budget.minutes is not None:
            return clock(60 * self._budget.minutes - state.seconds - now)
        progress = self._budget.progress(state)
        return clock(state.seconds * (1 - progress) / progress - now) if progress > 0 else "?"

    def _table(self) -> Group:
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("iteration", justify="right")
        shown = [
            column for column in _COLUMNS if any(column[0] in figures for _, figures in self._rows)
        ]
        for _, title, _ in shown:
            table.add_column(title, justify="right")
        for iteration, figures in self._rows:
            cells = (text.format(figures[n]) if n in figures else "" for n, _, text in shown)
            table.add_row(str(iteration + 1), *cells)
        searched = "  ".join(f"{name} {value:.1%}" for name, value in self._searched.items())
        state = self._run.state
        summary = (
            f"{state.games + self._games:,} games, "
            f"{clock(state.seconds + time.monotonic() - self._began)} so far, "
            f"{self._left()} left of {self._budget}"
        )
        return Group(table, searched, summary, self._progress)

    def _end(self, figures: Mapping[str, float]) -> None:
        """The best network, at every level that was measured."""
        levels = sorted({int(n.rpartition("_")[2]) for n in figures if n.startswith("good_")})
        if levels:
            table = Table(box=None, pad_edge=False, header_style="dim")
            for title in ("best network", "good", "perfect", "good, decisive", "perfect, decisive"):
                table.add_column(title, justify="left" if title == "best network" else "right")
            names = ("good", "perfect", "decisive_good", "decisive_perfect")
            for sims in levels:
                level = "policy alone" if sims == 0 else f"{sims} sims"
                table.add_row(level, *(f"{figures[f'{name}_{sims}']:.1%}" for name in names))
            self._console.print(table)
        for name, value in figures.items():
            if name.startswith("against_"):
                opponent = name.removeprefix("against_")
                self._console.print(f"against {opponent}: {value:.1%}", markup=False)
