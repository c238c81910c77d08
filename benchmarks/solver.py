"""The exact solver next to BitBully on six classes of Connect Four positions.

A class is a range of stones on the board and of plies to the end of optimal play, as in the
well-known benchmark. Positions are drawn by random play from a seed, without a win at once. Both
solvers find the score of the position itself, each through its Python class, without a book, with
tables cleared before each one; CPU time on one pinned core.

They take turns in five blocks of positions a class. `--turns single` makes it position by
position: then the peer's clearing of its table, some 45 ms of writing, comes between any two calls
of ours and leaves nothing in the caches, a cost that only the microseconds of late-easy show.

`--threads N` measures instead what N threads gain over one: wall time of the scores alone and of
all moves' scores of ten positions of 8 to 10 stones, one thread and N by turns, five times over.
On a busy machine N threads do not get N cores, so how many they got is printed as well.

    make bench                                   # installs the peers first
    .venv/bin/python benchmarks/solver.py        # half an hour; --fewest 7 takes three minutes
"""

import argparse
import json
import math
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean, median
from typing import TYPE_CHECKING, TypeVar

import tengen
from tengen.arena.generation import wins_at_once
from tengen.cli.bench import machine
from tengen.rules import AnyPosition
from tengen.solve import Solver, plies_to_end

if TYPE_CHECKING:  # the peer is not needed to compare threads
    from bitbully import BitBully


@dataclass(frozen=True)
class PositionClass:
    """Stones on the board and plies to the end, both from-to, and how many positions."""

    name: str
    stones: tuple[int, int]
    plies: tuple[int, int]
    count: int


T = TypeVar("T")
BLOCKS = 5

CLASSES = [
    PositionClass("late-easy", (29, 41), (0, 13), 300),
    PositionClass("middle-easy", (14, 28), (0, 13), 300),
    PositionClass("middle-medium", (14, 28), (14, 27), 150),
    PositionClass("early-easy", (0, 13), (0, 13), 100),
    PositionClass("early-medium", (0, 13), (14, 27), 40),
    PositionClass("early-hard", (0, 13), (28, 42), 20),
]
FOR_THREADS = PositionClass("threads", (8, 10), (14, 42), 10)


def draw(
    wanted: PositionClass, chance: random.Random, score: Callable[[AnyPosition], int]
) -> list[AnyPosition]:
    """Different positions of a class."""
    game = tengen.game("connect4")
    found: dict[int, AnyPosition] = {}
    while len(found) < wanted.count:
        position: AnyPosition = game.position()
        for _ in range(chance.randint(*wanted.stones)):
            if not position.is_over:
                position = position.play(chance.choice(position.legal_moves))
        if position.is_over or wins_at_once(position):
            continue
        stones = len(position.moves)
        if wanted.stones[0] <= stones:
            plies = plies_to_end(score(position), stones, game.rows * game.cols)
            if wanted.plies[0] <= plies <= wanted.plies[1]:
                found[position.key] = position
    return list(found.values())


def timed(solve: Callable[[T], int], position: T) -> tuple[int, float]:
    """A score and the CPU seconds it took."""
    start = time.process_time()
    score = solve(position)
    return score, time.process_time() - start


def compare(
    positions: list[AnyPosition], ours: Solver, peer: "BitBully", size: int
) -> dict[str, float]:
    """Mean times, nodes and disagreements, in blocks of ours and the peer's by turns."""
    from bitbully import Board

    own_times, peer_times, wrong = [], [], 0
    nodes = ours.nodes
    for start in range(0, len(positions), size):
        block, scores = positions[start : start + size], []
        for position in block:
            ours.clear()
            score, seconds = timed(ours.score, position)
            scores.append(score)
            own_times.append(seconds)
        for position, score in zip(block, scores, strict=True):
            board = Board.from_moves(list(position.moves))
            peer.reset_transposition_table()
            other, seconds = timed(peer.mtdf, board)
            peer_times.append(seconds)
            wrong += score != other
    return {
        "ours": mean(own_times),
        "peer": mean(peer_times),
        "ratio": mean(peer_times) / mean(own_times),
        "nodes": (ours.nodes - nodes) / len(positions),
        "wrong": wrong,
    }


def compare_threads(threads: int, seed: int, table_mb: int) -> None:
    """Print the wall time of one thread over that of several, round by round, and the medians."""
    game = tengen.game("connect4")
    chance = random.Random(f"threads {seed}")
    positions = draw(FOR_THREADS, chance, Solver(game).score)
    solvers = [Solver(game, table_mb=table_mb, book=False, threads=n) for n in (1, threads)]
    works: dict[str, Callable[[Solver, AnyPosition], object]] = {
        "score": lambda solver, position: solver.score(position),
        "all moves": lambda solver, position: solver.solve(position).scores,
    }
    for name, work in works.items():
        ratios, wrong, nodes = [], 0, [solver.nodes for solver in solvers]
        for _ in range(BLOCKS):
            seconds, busy = [0.0, 0.0], 0.0
            for position in positions:
                answers = []
                for i, solver in enumerate(solvers):
                    solver.clear()
                    start, busy_before = time.perf_counter(), time.process_time()
                    answers.append(work(solver, position))
                    seconds[i] += time.perf_counter() - start
                    busy += i * (time.process_time() - busy_before)
                wrong += answers[0] != answers[1]
            ratios.append(seconds[0] / seconds[1])
            print(
                f"{name}: {seconds[0]:.2f} s, {threads} threads {seconds[1]:.2f} s "
                f"on {busy / seconds[1]:.2f} cores: {ratios[-1]:.2f}x",
                flush=True,
            )
        more = (solvers[1].nodes - nodes[1]) / (solvers[0].nodes - nodes[0])
        print(
            f"{name}: {median(ratios):.2f}x (from {min(ratios):.2f} to {max(ratios):.2f}), "
            f"{more:.2f} times the nodes, {wrong} wrong"
        )


def main() -> None:
    """Measure every class and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the positions")
    parser.add_argument("--only", default="", help="only classes whose name contains this")
    parser.add_argument("--fewest", type=int, default=0, help="no positions with fewer stones")
    parser.add_argument("--turns", choices=["blocks", "single"], default="blocks")
    parser.add_argument("--table-mb", type=int, default=64)
    parser.add_argument("--threads", type=int, help="compare so many threads with one")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.threads is not None:
        compare_threads(arguments.threads, arguments.seed, arguments.table_mb)
        return
    from bitbully import BitBully

    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    game = tengen.game("connect4")
    labeller, peer = Solver(game), BitBully(opening_book=None)
    ours = Solver(game, table_mb=arguments.table_mb, book=False)
    results = {}
    for wanted in CLASSES:
        if arguments.only not in wanted.name:
            continue
        count = max(1, round(wanted.count * arguments.scale))
        fewest = max(wanted.stones[0], arguments.fewest)
        scaled = PositionClass(wanted.name, (fewest, wanted.stones[1]), wanted.plies, count)
        positions = draw(scaled, random.Random(f"{wanted.name} {arguments.seed}"), labeller.score)
        size = math.ceil(count / BLOCKS) if arguments.turns == "blocks" else 1
        results[wanted.name] = {"count": count, **compare(positions, ours, peer, size)}
        if not arguments.json:
            row = results[wanted.name]
            print(
                f"{wanted.name:14} {count:4} positions  tengen {1e6 * row['ours']:12,.1f} µs  "
                f"BitBully {1e6 * row['peer']:14,.1f} µs  {row['ratio']:6.2f}x  "
                f"{row['nodes']:12,.0f} nodes  {row['nodes'] / row['ours'] / 1e6:5.1f} M/s  "
                f"{row['wrong']:.0f} wrong",
                flush=True,
            )
    geometric = math.exp(mean(math.log(row["ratio"]) for row in results.values()))
    if arguments.json:
        print(json.dumps({"machine": machine(), "geometric_mean": geometric, "classes": results}))
    else:
        print(f"geometric mean {geometric:.2f}x on {machine()}")


if __name__ == "__main__":
    main()
