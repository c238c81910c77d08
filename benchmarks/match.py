"""A paired match between two players from random openings, with a 95 % interval.

.venv/bin/tengen export --new resnet --game gomoku --set blocks=2 --set channels=16 /tmp/g.onnx
.venv/bin/python benchmarks/match.py gomoku net:/tmp/g.onnx,sims=100,vcf=on \
        net:/tmp/g.onnx,sims=100,vcf=off --openings 20 --plies 6
"""

import argparse
import time

import tengen
from tengen.arena.match import play_match, random_openings
from tengen.cli.bench import machine

Z = 1.959964  # of a 95 % interval


def main() -> None:
    """Play it and print the score for the first of the two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("one")
    parser.add_argument("other")
    parser.add_argument("--openings", type=int, default=20)
    parser.add_argument("--plies", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    game = tengen.game(arguments.game)
    openings = random_openings(game, arguments.openings, plies=arguments.plies, seed=arguments.seed)
    pairs = [
        (
            tengen.player(arguments.one, game, seed=2 * number),
            tengen.player(arguments.other, game, seed=2 * number + 1),
        )
        for number in range(arguments.threads)
    ]
    start = time.monotonic()
    score = play_match(pairs, openings)
    seconds = time.monotonic() - start
    rate, games = score.win_rate, score.games
    spread = Z * (max(0.0, (score.wins + score.draws / 4) / games - rate**2) / games) ** 0.5
    print(
        f"{arguments.one} against {arguments.other}: {score} of {games}, {100 * rate:.1f} % "
        f"± {100 * spread:.1f}, {seconds:.0f} s on {machine()}"
    )


if __name__ == "__main__":
    main()
