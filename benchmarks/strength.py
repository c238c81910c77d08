"""Which settings of a player play better: paired games of two specs, with an interval.

Every opening is a sequence of random moves that leaves the game open, and is played twice with
the colours swapped. The interval is over pairs, since the two games of a pair are not independent.

    .venv/bin/python benchmarks/strength.py connect4 uct,c=0.5 uct,c=1 --pairs 200
"""

import argparse
import math
import random
from statistics import mean, stdev

import tengen
from tengen.rules import AnyGame, AnyPosition

POINTS = {"first_wins": 1.0, "draw": 0.5, "second_wins": 0.0}


def opening(game: AnyGame, plies: int, chance: random.Random) -> AnyPosition:
    """A random position that is not over."""
    while True:
        position: AnyPosition = game.position()
        for _ in range(plies):
            if not position.is_over:
                position = position.play(chance.choice(position.legal_moves))
        if not position.is_over:
            return position


def play(start: AnyPosition, specs: tuple[str, str], seed: int) -> float:
    """The first player's points."""
    players = [tengen.player(spec, start.game, seed=seed + i) for i, spec in enumerate(specs)]
    position = start
    while not position.is_over:
        position = position.play(players[position.mover].decide(position).move)
    return POINTS[position.outcome.name]


def main() -> None:
    """Play the match and print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("one")
    parser.add_argument("other")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--plies", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    game, chance = tengen.game(arguments.game), random.Random(arguments.seed)
    pairs, counts = [], {1.0: 0, 0.5: 0, 0.0: 0}
    for number in range(arguments.pairs):
        start = opening(game, arguments.plies, chance)
        seed = 1000 * number + arguments.seed
        points = (
            play(start, (arguments.one, arguments.other), seed),
            1.0 - play(start, (arguments.other, arguments.one), seed + 500),
        )
        pairs.append(mean(points))
        for point in points:
            counts[point] += 1
    share = mean(pairs)
    margin = 1.96 * stdev(pairs) / math.sqrt(len(pairs)) if len(pairs) > 1 else 1.0
    print(
        f"{arguments.game}: {arguments.one} against {arguments.other}: "
        f"{counts[1.0]}-{counts[0.0]}-{counts[0.5]} in {2 * len(pairs)} games, "
        f"{100 * share:.1f} % ± {100 * margin:.1f}"
    )


if __name__ == "__main__":
    main()
