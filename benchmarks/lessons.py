"""What a network learns from games that are there, with some settings changed.

    .venv/bin/python benchmarks/lessons.py runs/connect4-60-1
    .venv/bin/python benchmarks/lessons.py runs/connect4-60-1 --set learn.optimiser=adamw
    .venv/bin/python benchmarks/lessons.py runs/connect4-60-1 --set threads=2

The games of a run of Connect Four teach a new network for so many steps, on one core unless told
otherwise. Every
twentieth game is kept apart; the table has the losses on those, and on connect4-select the moves of
the policy alone and the mean distance of the value from the result. All else being equal, what
learns more from the same games learns faster in a run.
"""

import argparse
import tempfile
import time
from pathlib import Path

import torch

import tengen
from tengen.arena import evaluate, read_positions
from tengen.cli.bench import machine
from tengen.network import NetworkCard, build, export_onnx, read_network
from tengen.rules import GridGame
from tengen.selfplay import GameRecord
from tengen.training.learner import Learner
from tengen.training.presets import merged, parse_assignment
from tengen.training.samples import Samples, averaged, samples_of
from tengen.training.session import settings_of
from tengen.training.settings import TrainSettings
from tengen.training.store import RunStore

HELD_OUT = 20
PARTS = 4


class Lessons:
    """A learner, what it learns from, and what it is asked."""

    def __init__(
        self, game: GridGame, records: list[GameRecord], settings: TrainSettings, seed: int
    ) -> None:
        self.game, self.settings = game, settings
        self.config = read_network(settings.network, settings.network_values)
        self.known = self._samples([r for r in records if r.index % HELD_OUT])
        self.held_out = self._samples([r for r in records if r.index % HELD_OUT == 0])
        network = build(self.config, game, seed=seed)
        self.learner = Learner(game, network, settings.learn, seed=seed, threads=settings.threads)

    def _samples(self, records: list[GameRecord]) -> Samples:
        parts = [
            samples_of(
                self.game,
                record,
                self.config.planes,
                self.settings.targets,
                haste=self.settings.haste,
            )
            for record in records
        ]
        return averaged(Samples.joined(parts))

    def report(self) -> str:
        """Losses on the games kept apart, and good and perfect moves on connect4-select."""
        losses = self.learner.losses_on(self.held_out)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "network.onnx"
            step, haste = self.learner.step, self.settings.haste
            card = NetworkCard.of(self.config, self.game, step=step, haste=haste)
            export_onnx(self.learner.averaged, card, path)
            player = tengen.player(f'net:"{path}",sims=0', self.game, seed=1)
            found = evaluate(player, read_positions(self.game, "connect4-select"))
        rates = (found.total.good, found.total.perfect)
        good, perfect = (100 * (rate.rate or 0) for rate in rates)
        return (
            f"policy {losses.policy:.4f}, value {losses.value:.4f}; "
            f"{good:.1f}/{perfect:.1f}, value off by {found.value_error:.3f}"
        )


def main() -> None:
    """Teach, and print a line per quarter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--positions", type=int, default=190_000, help="the newest of the run")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    game = tengen.game("connect4")
    assert isinstance(game, GridGame)
    values = merged({"threads": 1}, *(parse_assignment(text) for text in arguments.set))
    with RunStore(arguments.run / "run.sqlite", read_only=True) as store:
        records = list(store.newest_games(arguments.positions))
    lessons = Lessons(game, records, settings_of(game, values), arguments.seed)
    print(f"{machine()}; {' '.join(arguments.set) or 'preset'}; {len(lessons.known):,} positions")
    start, work = time.monotonic(), time.process_time()
    for part in range(PARTS):
        lessons.learner.learn(lessons.known, arguments.steps // PARTS, progress=part / PARTS)
        seconds, spent = time.monotonic() - start, time.process_time() - work
        took = f"{lessons.learner.step} steps, {seconds:.0f} s, {spent:.0f} s of computing"
        print(f"{took}: {lessons.report()}", flush=True)


if __name__ == "__main__":
    main()
