"""Looking at runs from outside: what there is, and what they measured. No PyTorch."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tengen.errors import SpecError, TengenError
from tengen.training.state import RunState
from tengen.training.store import RunStore


@dataclass(frozen=True, slots=True)
class RunHistory:
    """A run as its folder tells it."""

    folder: Path
    game: str
    settings: dict[str, object]
    #: What it was last asked for; nothing for a run that was only begun.
    budget: dict[str, object]
    games: int
    positions: int
    #: Of the newest checkpoint.
    iteration: int
    step: int
    seconds: float
    #: By name: iterations and values.
    curves: dict[str, list[tuple[int, float]]]
    steps: tuple[int, ...]
    #: Of the best network, measured when the run had come to its end; nothing before that.
    best_figures: dict[str, float]

    @property
    def name(self) -> str:
        """What the user calls it."""
        return self.folder.name

    def newest(self, figure: str) -> float | None:
        """Of the best network if it was measured at the end, else of the last iteration."""
        curve = self.curves.get(figure)
        return self.best_figures.get(figure, curve[-1][1] if curve else None)


def read_run(folder: Path) -> RunHistory:
    """One run; anything else is refused."""
    path = folder / "run.sqlite"
    if not path.is_file():
        problem = "is not the folder of a run" if folder.exists() else "does not exist"
        raise SpecError(f"run {folder} {problem}")
    with RunStore(path, read_only=True) as store:
        notes = store.notes()
        if "game" not in notes or "settings" not in notes:
            raise SpecError(f"{folder} is not the folder of a run: it was never begun")
        curves: dict[str, list[tuple[int, float]]] = {}
        for iteration, name, value in store.metrics():
            curves.setdefault(name, []).append((iteration, value))
        states = _checkpoint_states(folder)
        newest = states[-1] if states else RunState()
        return RunHistory(
            folder=folder,
            game=notes["game"],
            settings=noted(folder, notes, "settings"),
            budget=noted(folder, notes, "budget"),
            games=store.game_count(),
            positions=store.position_count(),
            iteration=newest.iteration,
            step=newest.step,
            seconds=newest.seconds,
            curves=curves,
            steps=tuple(state.step for state in states),
            best_figures=_figures(folder, notes),
        )


def noted(folder: Path, notes: Mapping[str, str], key: str) -> dict[str, object]:
    """A note of a run that is a group of values; empty if it was never made."""
    try:
        values = json.loads(notes.get(key, "{}"))
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise TengenError(f"run {folder} is damaged: its note {key!r} is no group of values")
    return values


def _figures(folder: Path, notes: Mapping[str, str]) -> dict[str, float]:
    """Of the best network."""
    found = {}
    for name, value in noted(folder, notes, "best").items():
        if not isinstance(value, (int, float)):
            raise TengenError(f"run {folder} is damaged: its figure {name!r} is no number")
        found[name] = float(value)
    return found


def list_runs(runs: Path) -> Iterator[RunHistory | TengenError]:
    """All runs in a folder, by name; for one that cannot be read, why."""
    if runs.exists() and not runs.is_dir():
        raise SpecError(f"{runs} is not a folder of runs")
    for path in sorted(runs.glob("[!.]*/run.sqlite")):
        try:
            yield read_run(path.parent)
        except TengenError as error:
            yield error


def _checkpoint_states(folder: Path) -> list[RunState]:
    """What the whole checkpoints of a run say of themselves, the oldest first."""
    found = []
    for path in sorted((folder / "checkpoints").glob("*")):
        if path.name.isdigit():
            try:
                found.append(RunState.read(path))
            except TengenError:
                if path.exists():  # else a run under way has just forgotten it
                    raise
    return found
