"""Runs by name: to begin one, to go on with it, and to train from Python."""

from collections.abc import Mapping
from pathlib import Path

from tengen.errors import SpecError
from tengen.network import read_network
from tengen.rules import AnyGame
from tengen.rules import game as game_of
from tengen.training.budget import Budget
from tengen.training.events import OnEvent, ignore
from tengen.training.loop import train as train_run
from tengen.training.presets import load_preset, merged, preset_for
from tengen.training.run import Run
from tengen.training.settings import DEFAULT_NETWORK, TrainSettings

#: Where runs are kept unless told otherwise.
RUNS = Path("runs")


def settings_of(
    game: AnyGame, values: Mapping[str, object] | None = None, *, preset: str | None = None
) -> TrainSettings:
    """A preset, or the one that fits the game, with some values changed."""
    base, values = load_preset(preset or preset_for(game)).values, values or {}
    if values.get("network", base.get("network", DEFAULT_NETWORK)) != base.get(
        "network", DEFAULT_NETWORK
    ):
        # What was chosen for one architecture means nothing to another.
        base = {key: value for key, value in base.items() if key != "network_values"}
    settings = TrainSettings.read(merged(base, values), where="train")
    read_network(settings.network, settings.network_values)
    return settings


def open_run(
    folder: Path, game: AnyGame | None, settings: TrainSettings | None, *, resume: bool
) -> Run:
    """A new run, or one that goes on; which of the two must be meant."""
    if resume:
        return Run.resume(folder, game)
    if game is None or settings is None:
        raise SpecError("a new run needs a game and settings")
    return Run.begin(folder, game, settings)


def train(
    game: str | AnyGame,
    config: TrainSettings | Mapping[str, object] | None = None,
    *,
    name: str,
    runs: str | Path = RUNS,
    minutes: float | None = None,
    iterations: int | None = None,
    games: int | None = None,
    resume: bool = False,
    on_event: OnEvent = ignore,
) -> Path:
    """Train a network in the folder ``runs/name``; returns the file of the best one.

    ``config`` is all settings, or those that differ from the game's preset; a run that is resumed
    keeps its own. Give one of ``minutes``, ``iterations`` and ``games``; they count from the
    beginning of the run.
    """
    chosen = game_of(game) if isinstance(game, str) else game
    budget = Budget.read(
        {"minutes": minutes, "iterations": iterations, "games": games}, where="budget"
    )
    if not isinstance(config, TrainSettings):
        config = settings_of(chosen, config)
    run = open_run(Path(runs) / name, chosen, config, resume=resume)
    try:
        train_run(run, budget, on_event=on_event)
        return run.best
    finally:
        run.close()
