"""``tengen train``: a network that learns a game by playing it against itself."""

import json
import re
import signal
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from tengen.cli.training_display import Display, plan_lines
from tengen.errors import SpecError
from tengen.rules import AnyGame
from tengen.rules import game as game_of

if TYPE_CHECKING:
    from tengen.training.budget import Budget
    from tengen.training.events import Event
    from tengen.training.run import Run
    from tengen.training.settings import TrainSettings

_PACKAGES = ("onnx", "safetensors", "tensorboard", "torch")
_INTERRUPTED = 130


def train(
    game: Annotated[str, typer.Argument(help="A game, see `tengen games`.")],
    name: Annotated[str | None, typer.Option("--run", help="Its name; else the game's.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Length of the whole run.")] = None,
    iterations: Annotated[int | None, typer.Option(help="The same in iterations.")] = None,
    games: Annotated[int | None, typer.Option(help="The same in games.")] = None,
    preset: Annotated[str | None, typer.Option(help="Settings to begin with.")] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file of settings.")] = None,
    assignments: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="As in learn.rate=1e-3.")
    ] = None,
    network: Annotated[str | None, typer.Option(help="Another architecture.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Makes chance repeatable.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run.")] = False,
    runs: Annotated[Path, typer.Option(help="The folder of all runs.")] = Path("runs"),
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Show all settings and stop.")
    ] = False,
    plan: Annotated[bool, typer.Option("--plan/--no-plan", help="Measure first.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON document per iteration.")] = False,
) -> None:
    """Train a network from nothing but the rules, by games against itself.

    Stop it with Ctrl-C whenever you like; --resume goes on. Lengths count from the beginning of the
    run. The best network so far plays as net:run/NAME.

    Example: tengen train connect4 --minutes 60
    """
    _require_packages()
    rules = game_of(game)
    length: dict[str, object] = {"minutes": minutes, "iterations": iterations, "games": games}
    if resume and (preset or config or assignments or network or seed is not None):
        raise SpecError("a run that goes on keeps its settings; with --resume none can be given")
    values = _values(config, network, assignments or [], seed)
    settings = _settings(rules, values, preset)
    if print_config:
        from tengen.training.presets import to_toml

        typer.echo(to_toml(settings), nl=False)
        return
    folder = runs / (name or re.sub(r"[^\w.-]+", "-", rules.name))
    budget = _budget(rules, length, preset, folder if resume else None)
    run = _open(folder, rules, settings, resume=resume)
    try:
        run.store.note({"budget": json.dumps(budget.model_dump(exclude_none=True))})
        _train(run, budget, game=game, plan=plan, as_json=as_json)
    finally:
        run.close()


def _require_packages() -> None:
    for package in _PACKAGES:
        try:
            import_module(package)
        except ModuleNotFoundError:
            raise SpecError(
                f"training needs the package {package}: pip install 'tengen[train]'"
            ) from None


def _values(
    config: Path | None, network: str | None, assignments: list[str], seed: int | None
) -> dict[str, object]:
    """What was asked for, the strongest last: a file, an architecture, single keys, the seed."""
    from tengen.training.presets import merged, parse_assignment, read_config

    layers = [read_config(config)] if config else []
    if network is not None:
        layers.append({"network": network})
    layers += [parse_assignment(text) for text in assignments]
    if seed is not None:
        layers.append({"seed": seed})
    return merged(*layers)


def _settings(rules: AnyGame, values: Mapping[str, object], preset: str | None) -> "TrainSettings":
    from tengen.training.session import settings_of

    return settings_of(rules, values, preset=preset)


def _budget(
    rules: AnyGame, length: dict[str, object], preset: str | None, resumed: Path | None
) -> "Budget":
    """What was asked for; else what the run was begun with, or what the preset says."""
    from tengen.training.budget import Budget
    from tengen.training.history import read_run
    from tengen.training.presets import load_preset, preset_for

    if any(value is not None for value in length.values()):
        return Budget.read(length, where="train")
    if resumed is not None:
        noted = read_run(resumed).budget
        if noted:
            return Budget.model_validate_json(noted)
    return Budget(minutes=load_preset(preset or preset_for(rules)).minutes)


def _open(folder: Path, rules: AnyGame, settings: "TrainSettings", *, resume: bool) -> "Run":
    from tengen.training.session import open_run

    return open_run(folder, rules, settings, resume=resume)


def _train(run: "Run", budget: "Budget", *, game: str, plan: bool, as_json: bool) -> None:
    from tengen.training.loop import train as train_run
    from tengen.training.plan import make_plan

    console = Console(stderr=as_json, highlight=False)
    again = f"tengen train {game} --run {run.folder.name} --resume"
    if str(run.folder.parent) != "runs":
        again += f" --runs {run.folder.parent}"
    if budget.is_spent(run.state):
        raise SpecError(
            f"run {run.folder.name} is complete: {budget}; a greater --minutes, --iterations or "
            "--games goes on with it"
        )
    # Being told to end is as good as Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    display = Display(run, budget, console)
    try:
        if plan:
            console.print("measuring for ten seconds …", style="dim")
            for line in plan_lines(make_plan(run), run, budget):
                console.print(line, markup=False)
        with display:

            def show(event: "Event") -> None:
                display.show(event)
                if as_json and event.stage in ("iteration", "end"):
                    document = {"stage": event.stage, "iteration": event.iteration}
                    typer.echo(json.dumps({**document, **event.figures}))

            train_run(run, budget, on_event=show)
    except KeyboardInterrupt:
        kept = len(run.store.game_numbers(run.state.games))
        console.print(
            f"\nstopped after iteration {run.state.iteration}, which is saved, and {kept} games "
            f"of the next; go on with\n  {again}",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(_INTERRUPTED) from None
    console.print(
        f"\nthe best network is {run.best}; play it with\n"
        f"  tengen play {game} --second net:run/{run.folder.name}",
        markup=False,
        soft_wrap=True,
    )
