"""Runs by name: to begin one, to go on with it, and to train from Python."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from tengen.arena.match import random_openings
from tengen.errors import SpecError
from tengen.network import NetworkCard, load_weights, read_network, resolve_weights
from tengen.players import player
from tengen.rules import AnyGame, GridGame
from tengen.rules import game as game_of
from tengen.search import with_fours
from tengen.training.assess import positions_of
from tengen.training.budget import Budget
from tengen.training.events import OnEvent, ignore
from tengen.training.history import noted
from tengen.training.loop import train as train_run
from tengen.training.presets import load_preset, merged, preset_for
from tengen.training.run import Run
from tengen.training.settings import DEFAULT_NETWORK, TrainSettings

#: Where runs are kept unless told otherwise.
RUNS = Path("runs")
#: The note of how long a run is to be.
_BUDGET = "budget"
#: What a run can be called.
_NAME = re.compile(r"(?=.{1,100}$)\w([\w .+-]*\w)?")


def settings_of(
    game: AnyGame,
    values: Mapping[str, object] | None = None,
    *,
    preset: str | None = None,
    weights: NetworkCard | None = None,
) -> TrainSettings:
    """A preset, or the one that fits the game, with some values changed.

    With ``weights`` to begin with, the network is as large as theirs, they keep the haste they were
    taught if the preset has none, and there are no rollouts. What depends on the game, ``vcf``, is
    decided here.
    """
    haste, values = 0.0 if weights is None else weights.haste, values or {}
    base = merged(
        {"selfplay": {"search": {"haste": haste}}}, load_preset(preset or preset_for(game)).values
    )
    if weights is not None:
        # It knows something: rollouts in its place would be a step back.
        base = {key: value for key, value in base.items() if key != "rollouts"}
        base |= {"network": weights.architecture, "network_values": weights.config}
    usual = base.get("network", DEFAULT_NETWORK)
    if values.get("network", usual) != usual:
        # What was chosen for one architecture means nothing to another.
        base = {key: value for key, value in base.items() if key != "network_values"}
    settings = TrainSettings.read(merged(base, values), where="train")
    read_network(settings.network, settings.network_values)
    search = with_fours(game, settings.selfplay.search)
    selfplay = settings.selfplay.model_copy(update={"search": search})
    return settings.model_copy(update={"selfplay": selfplay})


def train(
    game: str | AnyGame,
    config: TrainSettings | Mapping[str, object] | None = None,
    *,
    name: str | None = None,
    preset: str | None = None,
    runs: str | Path = RUNS,
    minutes: float | None = None,
    iterations: int | None = None,
    games: int | None = None,
    resume: bool = False,
    games_of: str | None = None,
    weights: str | Path | None = None,
    on_begin: Callable[[Run, Budget], None] = lambda *_: None,
    on_event: OnEvent = ignore,
) -> Path:
    """Train a network in the folder ``runs/name``; returns the file of the best one.

    ``config`` is all settings, or those that differ from the preset; a run that is resumed keeps
    its own. Of ``minutes``, ``iterations`` and ``games`` give one, or none for what the run was
    begun with or the preset says; they count from the beginning of the run. With ``games_of`` a new
    run learns from the games of that one first; with ``weights`` (a shipped name, ``run/NAME`` or a
    file) its network is that one to begin with, of that size and haste unless others are set.
    ``on_begin`` is called once the run is there and before it goes on.
    """
    chosen = game_of(game) if isinstance(game, str) else game
    if resume and (config is not None or preset is not None):
        raise SpecError("a run that goes on keeps its settings; with --resume none can be given")
    if resume and games_of is not None:
        raise SpecError("a run that goes on has its games; --games-of is for a new one")
    if resume and weights is not None:
        raise SpecError("a run that goes on has its network; --weights is for a new one")
    if config is not None and not isinstance(config, (TrainSettings, Mapping)):
        raise SpecError(f"config is {config!r}; it must be settings, or a mapping of some of them")
    name = run_name(chosen) if name is None else name
    if not resume:
        _check_name(name)
    folder = Path(runs) / name
    length = {"minutes": minutes, "iterations": iterations, "games": games}
    is_given = any(value is not None for value in length.values())
    asked = Budget.read(length, where="train") if is_given else None
    if resume:
        run = Run.resume(folder, chosen)
    else:
        source = None if games_of is None else Path(runs) / games_of
        file = None if weights is None else resolve_weights(str(weights), runs=Path(runs))
        if not isinstance(config, TrainSettings):
            card = None if file is None else load_weights(file)[1]
            config = settings_of(chosen, config, preset=preset, weights=card)
        check(chosen, config)
        notes = _note_of(asked or _usual(chosen, preset))
        run = Run.begin(folder, chosen, config, games_of=source, weights=file, notes=notes)
    try:
        budget = _budget(run, asked)
        run.go_on()  # before there is a new budget, to which the old end would not belong
        run.store.note(_note_of(budget))
        on_begin(run, budget)
        train_run(run, budget, on_event=on_event)
        return run.best
    finally:
        run.close()


def run_name(game: AnyGame) -> str:
    """What a run of a game is called when nobody names it."""
    return re.sub(r"[^\w.-]+", "-", game.name).strip("-.")


def _check_name(name: str) -> None:
    """Refuse what could not be listed, or played by this name."""
    if not _NAME.fullmatch(str(name)):
        raise SpecError(
            f"run {name!r} cannot be called that; a name has up to 100 letters, digits, spaces "
            "and . _ + -, and begins and ends with a letter, a digit or _"
        )


def check(game: AnyGame, settings: TrainSettings) -> None:
    """Refuse what would fail only once the run is under way."""
    if not read_network(settings.network, settings.network_values).has_value:
        raise SpecError(f"network {settings.network} has no value, which games need to learn from")
    if settings.rollouts.games > 0 and not isinstance(game, GridGame):
        raise SpecError(
            f"rollouts.games is {settings.rollouts.games}; for {game.name} it must be 0, "
            "rollouts are for k-in-a-row games"
        )
    if settings.selfplay.precision == "bf16" and settings.gate.kind != "never":
        raise SpecError(
            f"gate.kind is {settings.gate.kind} and selfplay.precision bf16; with bf16 the newest "
            "network plays, so that the gate must be never"
        )
    settings.selfplay.native()
    positions_of(game, settings.evaluate.positions)
    for opponent in settings.evaluate.baselines:
        player(opponent, game, seed=1)
    if settings.gate.kind != "never":
        random_openings(game, 1, plies=settings.gate.opening_plies, seed=1)


def _usual(game: AnyGame, preset: str | None = None) -> Budget:
    """How long a run is when nobody says."""
    return Budget(minutes=load_preset(preset or preset_for(game)).minutes)


def _note_of(budget: Budget) -> dict[str, str]:
    """What a run remembers of it."""
    return {_BUDGET: budget.model_dump_json(exclude_none=True)}


def _budget(run: Run, asked: Budget | None) -> Budget:
    """What is asked for; else what the run was asked for before."""
    length = noted(run.folder, run.store.notes(), _BUDGET)
    before = Budget.read(length, where="budget") if length else None
    budget = asked or before or _usual(run.game)
    if run.is_measured and (budget == before or budget.is_spent(run.state)):
        raise SpecError(
            f"run {run.folder.name} is complete: {budget}; a greater --minutes, --iterations or "
            "--games goes on with it"
        )
    return budget
