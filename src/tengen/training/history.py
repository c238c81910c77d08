"""Looking at runs from outside: what there is, and what they measured. No PyTorch."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tengen.errors import SpecError, TengenError
from tengen.training.store import RunStore


@dataclass(frozen=True, slots=True)
class RunHistory:
    """A run as its folder tells it."""

    folder: Path
    game: str
    settings: dict[str, object]
    #: What it was last asked for, in JSON; nothing for a run that was only begun.
    budget: str
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
        newest = states[-1] if states else {}
        return RunHistory(
            folder=folder,
            game=notes["game"],
            settings=json.loads(notes["settings"]),
            budget=notes.get("budget", ""),
            games=store.game_count(),
            positions=store.position_count(),
            iteration=int(newest.get("iteration", 0)),
            step=int(newest.get("step", 0)),
            seconds=float(newest.get("seconds", 0.0)),
            curves=curves,
            steps=tuple(int(state["step"]) for state in states),
            best_figures=json.loads(notes.get("best", "{}")),
        )


def list_runs(runs: Path) -> Iterator[RunHistory | TengenError]:
    """All runs in a folder, by name; for one that cannot be read, why."""
    for path in sorted(runs.glob("[!.]*/run.sqlite")):
        try:
            yield read_run(path.parent)
        except TengenError as error:
            yield error


def _checkpoint_states(folder: Path) -> list[dict[str, float]]:
    """What the whole checkpoints of a run say of themselves, the oldest first."""
    found = []
    for path in sorted((folder / "checkpoints").glob("*")):
        if path.name.isdigit():
            try:
                found.append(json.loads((path / "state.json").read_text()))
            except (OSError, ValueError) as error:
                if path.exists():  # else a run under way has just forgotten it
                    raise TengenError(f"checkpoint {path} cannot be read: {error}") from None
    return found
