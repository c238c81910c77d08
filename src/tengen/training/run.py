"""A run's folder: its settings, its file of games, its checkpoints and its networks.

NAME/run.sqlite        every finished game and every figure
NAME/checkpoints/N/    all that is needed to go on after iteration N
NAME/newest.onnx       the network that is learning
NAME/best.onnx         the best so far, by the evaluation or by the gate
NAME/best.safetensors  the same, to be taught on
NAME/tensorboard/      the figures once more
NAME/lock              held by the process that trains it
"""

import fcntl
import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Self, TextIO

import torch

from tengen.errors import SpecError, TengenError
from tengen.network import (
    Bfloat16Evaluator,
    Network,
    NetworkCard,
    OnnxEvaluator,
    build,
    can_grow,
    check_fits,
    export_onnx,
    grown,
    has_bfloat16,
    load_weights,
    read_network,
    require_bfloat16,
    save_weights,
)
from tengen.network.files import replacing
from tengen.rules import AnyGame
from tengen.rules import game as game_of
from tengen.search import Evaluator
from tengen.selfplay import GameRecord
from tengen.training.checkpoint import load_checkpoint, save_checkpoint
from tengen.training.history import noted
from tengen.training.learner import Learner
from tengen.training.samples import Samples, samples_of
from tengen.training.settings import TrainSettings
from tengen.training.state import RunState
from tengen.training.store import RunStore
from tengen.training.tensorboard import TensorBoardLog
from tengen.training.window import Window

#: The note of what was found at the end.
_BEST = "best"


class Run:
    """Everything about a run that outlives the process."""

    def __init__(self, folder: Path, game: AnyGame, settings: TrainSettings) -> None:
        self.folder = folder
        self.game = game
        self.settings = settings
        if "bf16" in (settings.selfplay.precision, settings.learn.precision):
            require_bfloat16()
        self.config = read_network(settings.network, settings.network_values)
        self.learner = self.make_learner()
        self.state = RunState()
        self._lock = _locked(folder)
        self.store = RunStore(folder / "run.sqlite")

    @classmethod
    def begin(
        cls,
        folder: Path,
        game: AnyGame,
        settings: TrainSettings,
        *,
        games_of: Path | None = None,
        weights: Path | None = None,
        notes: Mapping[str, str] | None = None,
    ) -> Self:
        """A new run in a folder that must not be there yet; it is whole or not there.

        With the games of another run it plays none of its own until it has learnt from them; with
        weights its network is not new. The notes are facts for whoever goes on with it.
        """
        settings = _decided(settings)
        if folder.exists():
            _notes_of(folder, None)  # --resume is no advice for what is no run
            raise SpecError(
                f"run {folder.name} is there already; --resume goes on with it, --run NAME begins "
                "another"
            )
        if games_of is not None:
            _notes_of(games_of, game)
        network = None if weights is None else _network_of(weights, game, settings)
        part = folder.with_name(f".{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        try:
            part.mkdir(parents=True)
            run = cls(part, game, settings)
            try:
                about = {"game": game.name, "spec": game.spec}
                run.store.note({**about, "settings": settings.model_dump_json(), **(notes or {})})
                if games_of is not None:
                    run.store.copy_games(games_of / "run.sqlite")
                if network is not None:
                    run.learner.start_from(network)
                run.export()
                run.keep_as_best(score=-1.0)
                run.save(run.state)
            finally:
                run.close()
            part.replace(folder)
        except OSError as error:
            raise TengenError(f"run {folder} cannot be begun: {error.strerror}") from None
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return cls.resume(folder, game)

    @classmethod
    def resume(cls, folder: Path, game: AnyGame | None = None) -> Self:
        """Go on where the last whole checkpoint is."""
        notes = _notes_of(folder, game)
        if game is None:
            game = game_of(notes["spec"])
        settings = TrainSettings.read(noted(folder, notes, "settings"), where=f"run {folder.name}")
        run = cls(folder, game, settings)
        try:
            run._go_back()
        except BaseException:
            run.close()
            raise
        return run

    def _go_back(self) -> None:
        """To the last whole checkpoint."""
        checkpoints = self.checkpoints()
        if not checkpoints:
            raise TengenError(f"run {self.folder.name} has no checkpoint to go on from")
        for rest in (self.folder / "checkpoints").glob("*.*"):
            shutil.rmtree(rest, ignore_errors=True)
        self.state = load_checkpoint(checkpoints[-1], self.learner)
        # Damaged ones must not replace what is there.
        for network in (self.newest, self.best):
            OnnxEvaluator(checkpoints[-1] / network.name, self.game)
        load_weights(checkpoints[-1] / self.best_weights.name)
        for file in self._networks:
            with replacing(file) as part:
                shutil.copyfile(checkpoints[-1] / file.name, part)

    def make_learner(self) -> Learner:
        """One at its beginning."""
        seed = self.settings.seed
        network = build(self.config, self.game, seed=seed)
        return Learner(
            self.game, network, self.settings.learn, seed=seed, threads=self.settings.threads
        )

    @cached_property
    def window(self) -> Window:
        """The positions to learn from, those of games under way included."""
        window = Window(self._samples)
        window.add(self.store.newest_games(self.window_size, before=self.numbers.stop))
        return window

    @property
    def numbers(self) -> range:
        """Of the games of this iteration."""
        first = self.state.games
        return range(first, first + self.settings.games_of(self.state.iteration))

    @property
    def window_size(self) -> int:
        """How many positions it holds now; the first games are all learnt from at once."""
        total = self.store.position_count(before=self.numbers.stop)
        if self.settings.has_rollouts(self.state.iteration):
            return total
        return self.settings.window.size(total)

    def _samples(self, record: GameRecord) -> Samples:
        settings = self.settings
        return samples_of(
            self.game, record, self.config.planes, settings.targets, haste=settings.haste
        )

    def save(self, state: RunState) -> None:
        """Write a checkpoint, be in its state, and forget old ones."""
        folder = self.folder / "checkpoints" / f"{state.iteration:06}"
        settings = self.settings.model_dump_json(indent=2)
        save_checkpoint(
            folder, self.learner, self.card(), state, settings=settings, networks=self._networks
        )
        self.state = state
        for old in self.checkpoints()[: -self.settings.checkpoints]:
            # Now and then one stays, ever more seldom: the powers of two.
            if int(old.name).bit_count() != 1:
                # Under another name first, so that no checkpoint is ever there in part.
                shutil.rmtree(old.replace(old.with_suffix(".old")), ignore_errors=True)

    def checkpoints(self) -> list[Path]:
        """The whole ones, the oldest first."""
        folder = self.folder / "checkpoints"
        return sorted(path for path in folder.glob("*") if path.name.isdigit())

    def card(self) -> NetworkCard:
        """Of the network as it is now."""
        return NetworkCard.of(
            self.config, self.game, step=self.learner.step, haste=self.settings.haste
        )

    @property
    def newest(self) -> Path:
        """The file of the network that is learning."""
        return self.folder / "newest.onnx"

    @property
    def best(self) -> Path:
        """The file of the best network so far."""
        return self.folder / "best.onnx"

    @property
    def best_weights(self) -> Path:
        """The same network, for learning."""
        return self.folder / "best.safetensors"

    @property
    def _networks(self) -> tuple[Path, ...]:
        """Files that a checkpoint has as well."""
        return self.newest, self.best, self.best_weights

    def export(self) -> None:
        """Write the network that is learning, to be played with."""
        export_onnx(self.learner.averaged, self.card(), self.newest)

    @property
    def player(self) -> Path:
        """The file of the network that plays the games of self-play."""
        return self.newest if self.settings.gate.kind == "never" else self.best

    def log(self, iteration: int, figures: Mapping[str, float]) -> None:
        """Keep the figures of an iteration."""
        self.store.log(iteration, figures)
        self._tensorboard.log(iteration, figures)

    def log_best(self, figures: Mapping[str, float]) -> None:
        """Keep how good the best network was found to be at the end."""
        self.store.note({_BEST: json.dumps(dict(figures))})

    @property
    def is_measured(self) -> bool:
        """Whether it has come to an end and not gone on since."""
        return _BEST in self.store.notes()

    def go_on(self) -> None:
        """What was found at the end is not the end any more."""
        self.store.forget(_BEST)

    def keep_as_best(self, *, score: float) -> None:
        """The network that is learning is the best so far."""
        with replacing(self.best) as part:
            shutil.copyfile(self.newest, part)
        save_weights(self.best_weights, self.learner.averaged, self.card())
        self.state = replace(self.state, best_score=score, best_step=self.learner.step)

    def evaluator(self) -> Evaluator:
        """The network that plays the games of self-play."""
        if self.settings.selfplay.precision == "bf16":
            return Bfloat16Evaluator(self.learner.averaged)
        return OnnxEvaluator(self.player, self.game)

    @cached_property
    def _tensorboard(self) -> TensorBoardLog:
        return TensorBoardLog(self.folder / "tensorboard", iteration=self.state.iteration)

    def close(self) -> None:
        """Nothing more is to be kept."""
        try:
            self.store.close()
            if "_tensorboard" in self.__dict__:
                self._tensorboard.close()
        finally:
            self._lock.close()


def _notes_of(folder: Path, game: AnyGame | None) -> dict[str, str]:
    """What a run, which must be one of this game, says about itself."""
    if not (folder / "run.sqlite").is_file():
        problem = "is not the folder of a run" if folder.exists() else "does not exist"
        raise SpecError(f"run {folder} {problem}")
    with RunStore(folder / "run.sqlite") as store:
        notes = store.notes()
    if not {"game", "spec", "settings"} <= set(notes):
        raise SpecError(f"{folder} is not the folder of a run: it was never begun")
    if game is not None and game.name != notes["game"]:
        raise SpecError(f"run {folder.name} is of {notes['game']}, not {game.name}")
    return notes


def _decided(settings: TrainSettings) -> TrainSettings:
    """With the precision that is left to this machine; a run keeps it on any other.

    In 16 bits an answer depends on its batch, in the last ones; a single thread, whose runs are the
    same every time, has 32. They are a matter of processors: a card learns as it did.
    """
    playing, learning = settings.selfplay, settings.learn
    if "auto" not in (playing.precision, learning.precision):
        return settings
    is_short = settings.threads > 1 and not torch.cuda.is_available() and has_bfloat16()
    if playing.precision == "auto":
        # With a gate the best network plays, which is a file of 32 bits.
        precision = "bf16" if is_short and settings.gate.kind == "never" else "fp32"
        playing = playing.model_copy(update={"precision": precision})
    if learning.precision == "auto":
        learning = learning.model_copy(update={"precision": "bf16" if is_short else "fp32"})
    return settings.model_copy(update={"selfplay": playing, "learn": learning})


def _network_of(weights: Path, game: AnyGame, settings: TrainSettings) -> Network:
    """The network of a file, grown to what the settings say, for such a game."""
    network, card = load_weights(weights)
    check_fits(card, game, name=weights.name)
    config = read_network(settings.network, settings.network_values)
    if card.network_config == config:
        return network
    if can_grow(card.network_config, config):
        return grown(network, config, seed=settings.seed)
    given, wanted = (f"{c.name} with {c.model_dump_json()}" for c in (card.network_config, config))
    raise SpecError(
        f"weights {weights} are of {given}; the settings say {wanted}, which must be the same, or "
        "a resnet with more blocks or channels"
    )


def _locked(folder: Path) -> TextIO:
    """A file that says that a process is training this run, for as long as it is open."""
    lock = (folder / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise TengenError(f"run {folder.name} is being trained by another process") from None
    return lock
