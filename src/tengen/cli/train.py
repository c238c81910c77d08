"""``tengen train``: a network that learns a game by playing it against itself."""

import json
import signal
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer
from rich.console import Console

from tengen.cli.program import command
from tengen.cli.training_display import Display, plan_lines
from tengen.errors import SpecError
from tengen.rules import game as game_of

if TYPE_CHECKING:
    from tengen.training.budget import Budget
    from tengen.training.events import Event
    from tengen.training.run import Run

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
    games_of: Annotated[
        str | None, typer.Option(metavar="NAME", help="A run whose games to learn from first.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(metavar="NETWORK", help="One to begin with: run/NAME, a file …")
    ] = None,
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
    from tengen.network import load_weights, resolve_weights
    from tengen.training.presets import to_toml
    from tengen.training.session import settings_of
    from tengen.training.session import train as train_game

    rules = game_of(game, seed=seed)
    values = _values(config, network, assignments or [], seed)
    if print_config:
        card = None if weights is None else load_weights(resolve_weights(weights, runs=runs))[1]
        typer.echo(to_toml(settings_of(rules, values, preset=preset, weights=card)), nl=False)
        return
    with Watcher(rules.spec, plan=plan, as_json=as_json) as watcher:
        train_game(
            rules,
            values or None,
            name=name,
            preset=preset,
            runs=runs,
            minutes=minutes,
            iterations=iterations,
            games=games,
            resume=resume,
            games_of=games_of,
            weights=weights,
            on_begin=watcher.begin,
            on_event=watcher.show,
        )
        watcher.end()


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


class Watcher:
    """Shows a run from its beginning to its end, however it ends."""

    def __init__(self, game: str, *, plan: bool, as_json: bool) -> None:
        self._game, self._plan, self._as_json = game, plan, as_json
        self._console = Console(stderr=as_json, highlight=False)
        self._run: Run | None = None
        self._display: Display | None = None
        self._is_interrupted = False
        self._handlers: dict[signal.Signals, Any] = {}

    def interrupt(self, *_: object) -> None:
        """Handle Ctrl-C; once told to end, a run is saved and must not be disturbed.

        Python drops an exception that comes while some object is being removed; so it is raised
        again when something happens.
        """
        if not self._is_interrupted:
            self._is_interrupted = True
            raise KeyboardInterrupt

    def begin(self, run: "Run", budget: "Budget") -> None:
        """The run is there: say what it will be like."""
        from tengen.training.plan import make_plan

        self._run = run
        if self._plan:
            self._console.print("measuring for ten seconds …", style="dim")
            for line in plan_lines(make_plan(run), run, budget):
                self._say(line)
        self._display = Display(run, budget, self._console)
        self._display.start()

    def show(self, event: "Event") -> None:
        """Something has happened."""
        assert self._display is not None, "it has begun"
        if self._is_interrupted:
            raise KeyboardInterrupt
        self._display.show(event)
        if self._as_json and event.stage in ("iteration", "end"):
            document = {"stage": event.stage, "iteration": event.iteration}
            typer.echo(json.dumps({**document, **event.figures}))

    def end(self) -> None:
        """It is complete: say how to play the network."""
        assert self._run is not None, "it has begun"
        folder, best = self._run.folder, self._run.best
        target = f"run/{folder.name}" if _is_usual(folder) else str(best)
        network = f'net:"{target}"' if set(target) & set(" ,") else f"net:{target}"
        self._say(
            f"\nthe best network is {best}; play it with\n"
            f"  {command('play', self._game, '--second', network)}"
        )

    def __enter__(self) -> Self:
        # Being told to end is as good as Ctrl-C.
        for told in (signal.SIGINT, signal.SIGTERM):
            self._handlers[told] = signal.signal(told, self.interrupt)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._is_interrupted = True
        try:
            if self._display is not None:
                self._display.stop()
            if kind is not None and issubclass(kind, KeyboardInterrupt) and self._run is not None:
                self._say(self._interrupted(self._run))
                raise typer.Exit(_INTERRUPTED) from None
        finally:
            for told, handler in self._handlers.items():
                signal.signal(told, handler)

    def _interrupted(self, run: "Run") -> str:
        """What is saved, and how to go on."""
        from tengen.training.history import read_run

        # More than those of one iteration were played by another run.
        kept = min(read_run(run.folder).games - run.state.games, len(run.numbers))
        words = ["train", self._game, "--run", run.folder.name, "--resume"]
        if not _is_usual(run.folder):
            words += ["--runs", str(run.folder.parent)]
        return (
            f"\nstopped; saved: {run.state.iteration} whole iterations, and {kept} games of the "
            f"next; go on with\n  {command(*words)}"
        )

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)


def _is_usual(folder: Path) -> bool:
    """Whether it is where runs are looked for."""
    return folder.parent == Path("runs")
