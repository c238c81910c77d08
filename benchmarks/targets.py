"""How good what self-play teaches is, by exact scores, and what it costs.

    .venv/bin/python benchmarks/targets.py runs/connect4-60-1/best.onnx
    .venv/bin/python benchmarks/targets.py runs/connect4-60-1/best.onnx --set selfplay.sims=128
    .venv/bin/python benchmarks/targets.py rollouts --set rollouts.sims=1000

A network plays games of Connect Four as the preset says, or rollouts do, on one core. Of two in
five positions from the tenth ply on, the solver says what they are worth: how often the target's
favourite is a good or perfect move, and how far from the truth is what
came of them (the game's result, or the search's value before the next stray move) and the search's
value (mean square; win 1, draw 0, loss -1). Nothing of this is learnt from.
"""

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

import numpy as np

import tengen
from tengen.cli.bench import machine
from tengen.network import OnnxEvaluator
from tengen.rules import AnyPosition, GridGame
from tengen.selfplay import GameRecord, RecordedPly, self_play_of
from tengen.solve import Solver
from tengen.training.presets import merged, parse_assignment
from tengen.training.samples import what_came
from tengen.training.session import settings_of

SHARE, FIRST_PLY = 0.4, 10


def sign(score: int) -> int:
    """1 for a win, -1 for a loss."""
    return (score > 0) - (score < 0)


@dataclass
class Quality:
    """Of every position looked at."""

    good: list[bool] = field(default_factory=list)
    perfect: list[bool] = field(default_factory=list)
    result: list[float] = field(default_factory=list)
    search: list[float] = field(default_factory=list)
    mixed: list[float] = field(default_factory=list)

    def add(self, scores: dict[int, int], ply: RecordedPly, came_to: float) -> None:
        """A position, what was thought there, and what came of it, for the mover."""
        favourite = max(ply.target, key=lambda pair: pair[1])[0]
        top = max(scores.values())
        self.good.append(sign(scores[favourite]) == sign(top))
        self.perfect.append(scores[favourite] == top)
        known = came_to if ply.proof == "open" else ply.value
        for errors, value in (
            (self.result, known),
            (self.search, ply.value),
            (self.mixed, (known + ply.value) / 2),
        ):
            errors.append((value - sign(top)) ** 2)

    def __str__(self) -> str:
        return (
            f"good {100 * mean(self.good):.1f} %, perfect {100 * mean(self.perfect):.1f} %; "
            f"errors of result {mean(self.result):.3f}, of search {mean(self.search):.3f}, "
            f"of both {mean(self.mixed):.3f}; {len(self.good):,} positions"
        )


def look_at(game: GridGame, records: list[GameRecord]) -> Quality:
    """Some positions of these games, against the solver."""
    solver, chance, quality = Solver(game), np.random.default_rng(1), Quality()
    for record in records:
        position: AnyPosition = game.position()
        came_to = what_came(record, [n % 2 for n in range(record.opening, len(record.moves))])
        for number, move in enumerate(record.moves):
            if number >= max(record.opening, FIRST_PLY) and chance.random() < SHARE:
                ply = record.plies[number - record.opening]
                win, _, loss = came_to[number - record.opening]
                quality.add(solver.solve(position).scores, ply, win - loss)
            position = position.play(move)
    return quality


def main() -> None:
    """Play, look, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", help="a file, or rollouts")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    game = tengen.game("connect4")
    assert isinstance(game, GridGame)
    settings = settings_of(game, merged(*(parse_assignment(text) for text in arguments.set)))
    is_alone = arguments.network == "rollouts"
    chosen = settings.selfplay_of(0 if is_alone else 1, games=0)
    evaluator = None if is_alone else OnnxEvaluator(Path(arguments.network), game)
    self_play = self_play_of(game, evaluator, chosen, seed=arguments.seed)
    start = time.process_time()
    records = list(self_play.play(range(arguments.games)))
    seconds = time.process_time() - start
    positions = sum(len(record.plies) for record in records)
    print(f"{machine()}; {arguments.network} {' '.join(arguments.set)}")
    print(f"{1000 * seconds / positions:.2f} ms a position; {look_at(game, records)}")


if __name__ == "__main__":
    main()
