"""Checks the opening book against the solver, and times all move scores by ply.

The check draws positions of twelve stones from a seed and compares the book's score with the
solver's own, without the book. The times are of every move's score, as a page would ask for them:
positions of random play without a win at once, one core, a fresh table for each.

    .venv/bin/python benchmarks/book.py --check 200
    .venv/bin/python benchmarks/book.py --times 200
"""

import argparse
import os
import random
import time

import tengen
from tengen.arena.generation import wins_at_once
from tengen.cli.bench import machine
from tengen.rules import AnyPosition
from tengen.solve import Solver


def draw(plies: int, chance: random.Random) -> AnyPosition:
    """A position of random play, not over and without a win at once."""
    game = tengen.game("connect4")
    while True:
        position: AnyPosition = game.position()
        for _ in range(plies):
            if not position.is_over:
                position = position.play(chance.choice(position.legal_moves))
        if not position.is_over and not wins_at_once(position):
            return position


def check(count: int, seed: int) -> None:
    """Compare the book with the solver."""
    game, chance = tengen.game("connect4"), random.Random(seed)
    with_book, without = Solver(game), Solver(game, book=False)
    if with_book.book is None:
        raise SystemExit("the book is not installed: pip install bitbully-databases")
    positions = [draw(with_book.book.stones, chance) for _ in range(count)]
    wrong = sum(with_book.score(p) != without.score(p) for p in positions)
    print(f"{count} positions of {with_book.book.stones} stones: {wrong} wrong")


def times(count: int, seed: int) -> None:
    """Percentiles of the time for all move scores, by stones on the board."""
    game, chance = tengen.game("connect4"), random.Random(seed)
    solver = Solver(game)
    print(f"all move scores in ms, with book: {solver.book is not None}, {machine()}")
    print("stones    50 %    95 %    99 %     max")
    for plies in range(41):
        taken = []
        for _ in range(count if plies >= 4 else 7**plies):
            position = draw(plies, chance)
            solver.clear()
            start = time.process_time()
            solver.solve(position)
            taken.append(1000 * (time.process_time() - start))
        taken.sort()
        at = [taken[min(len(taken) - 1, int(share * len(taken)))] for share in (0.5, 0.95, 0.99)]
        row = "".join(f"{value:8.2f}" for value in (*at, taken[-1]))
        print(f"{plies:6}{row}", flush=True)


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", type=int, default=0)
    parser.add_argument("--times", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if arguments.check:
        check(arguments.check, arguments.seed)
    if arguments.times:
        times(arguments.times, arguments.seed)


if __name__ == "__main__":
    main()
