"""A run's folder: its settings, its file of games, its checkpoints and its networks."""

import shutil
from pathlib import Path
from typing import Self

from tengen.errors import SpecError, TengenError
from tengen.network import NetworkCard, OnnxEvaluator, build, export_onnx, read_network
from tengen.rules import GridGame, parse_rules
from tengen.training.checkpoint import RunState, load_checkpoint, save_checkpoint
from tengen.training.learner import Learner
from tengen.training.settings import TrainSettings
from tengen.training.store import RunStore


class Run:
    """Everything about a run that outlives the process."""

    def __init__(self, folder: Path, game: GridGame, settings: TrainSettings) -> None:
        self.folder = folder
        self.game = game
        self.settings = settings
        self.config = read_network(settings.network, settings.network_values)
        network = build(self.config, game.rules, seed=settings.seed)
        self.learner = Learner(game, network, settings.learn, seed=settings.seed)
        self.state = RunState(iteration=0, step=0, games=0, seconds=0.0)
        self.store = RunStore(folder / "run.sqlite")

    @classmethod
    def begin(cls, folder: Path, game: GridGame, settings: TrainSettings) -> Self:
        """A new run in a folder that must not be there yet."""
        if folder.exists():
            raise SpecError(f"run {folder.name} is there already; --resume goes on with it")
        folder.mkdir(parents=True)
        run = cls(folder, game, settings)
        run.store.note({"game": game.name, "settings": settings.model_dump_json()})
        run.save()
        return run

    @classmethod
    def resume(cls, folder: Path, game: GridGame | None = None) -> Self:
        """Go on where the last whole checkpoint is."""
        if not (folder / "run.sqlite").is_file():
            raise SpecError(f"{folder} is not the folder of a run")
        with RunStore(folder / "run.sqlite") as store:
            notes = store.notes()
        if "game" not in notes or "settings" not in notes:
            raise SpecError(f"{folder} is not the folder of a run: it was never begun")
        of_run = GridGame(parse_rules(notes["game"]))
        if game is not None and game != of_run:
            raise SpecError(f"run {folder.name} is of {of_run.name}, not {game.name}")
        run = cls(folder, of_run, TrainSettings.model_validate_json(notes["settings"]))
        checkpoints = run.checkpoints()
        if not checkpoints:
            raise TengenError(f"run {folder.name} has no checkpoint to go on from")
        run.state = load_checkpoint(checkpoints[-1], run.learner)
        return run

    def save(self) -> None:
        """Write a checkpoint and forget old ones."""
        folder = self.folder / "checkpoints" / f"{self.state.iteration:06}"
        save_checkpoint(folder, self.learner, self.card(), self.state)
        for old in self.checkpoints()[: -self.settings.checkpoints]:
            shutil.rmtree(old, ignore_errors=True)

    def checkpoints(self) -> list[Path]:
        """The whole ones, the oldest first."""
        folder = self.folder / "checkpoints"
        return sorted(path for path in folder.glob("*") if path.name.isdigit())

    def card(self) -> NetworkCard:
        """Of the network as it is now."""
        return NetworkCard.of(self.config, self.game.rules, step=self.learner.step)

    def evaluator(self) -> OnnxEvaluator:
        """The network that plays, as it is now."""
        path = self.folder / "newest.onnx"
        export_onnx(self.learner.averaged, self.card(), path)
        return OnnxEvaluator(path, self.game.rules)

    def close(self) -> None:
        """Nothing more is to be kept."""
        self.store.close()
