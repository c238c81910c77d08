"""How well runs of a given length learn: trains some seeds, then judges the network of each.

    .venv/bin/python benchmarks/training.py connect4 --minutes 10 --seeds 1 2 3
    .venv/bin/python benchmarks/training.py connect4 --network src/tengen/nets/connect4.onnx
    .venv/bin/python benchmarks/training.py connect4 --name adamw --set learn.optimiser=adamw

A run that is there already goes on, or is judged as it is. The judge set is for reporting; choose
settings by `--positions connect4-select`. With `--solver N`, also N games as first player against
the exact solver from the empty board, the solver's choice among equal moves seeded differently
in each (for tic-tac-toe N games with either colour).
"""

import argparse
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev

import tengen
from tengen.arena import Evaluation, evaluate, every_position, read_positions
from tengen.cli.bench import machine
from tengen.rules import GridGame, Outcome
from tengen.training.events import Event
from tengen.training.history import read_run

THREADS = 2
NAMES = ("good", "perfect", "good, decisive", "perfect, decisive")


def trained(arguments: argparse.Namespace, seed: int) -> Path:
    """The best network of a run of so many minutes."""
    from tengen.training.presets import merged, parse_assignment
    from tengen.training.session import settings_of

    game, minutes = arguments.game, arguments.minutes
    runs: Path = arguments.runs
    name = f"{arguments.name or arguments.preset or game}-{minutes:g}-{seed}"
    folder = runs / name
    if folder.exists() and read_run(folder).best_figures:
        return folder / "best.onnx"  # it has come to its end
    settings = None  # a run that goes on has its own
    if not folder.exists():
        # The final measurement would look at the select set only; it is left to this script.
        values: dict[str, object] = {"seed": seed, "evaluate": {"sims": [0]}}
        changes = (parse_assignment(text) for text in arguments.set)
        settings = settings_of(tengen.game(game), merged(values, *changes), preset=arguments.preset)

    def show(event: Event) -> None:
        if event.stage == "iteration":
            figures = " ".join(
                f"{key} {event.figures[key]:.3f}"
                for key in ("good_0", "perfect_0", "busy", "seconds")
            )
            print(f"{name} iteration {event.iteration}: {figures}", flush=True)

    return tengen.train(
        game, settings, name=name, runs=runs, minutes=minutes, resume=settings is None,
        on_event=show,
    )  # fmt: skip


def machine_times() -> dict[str, int]:
    """What the cores have done since the machine was started, in ticks; nothing but on Linux."""
    try:
        _, *ticks = Path("/proc/stat").read_text().splitlines()[0].split()
    except OSError:
        return {}
    names = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "taken by the host")
    return dict(zip(names, map(int, ticks), strict=False))


def shares(before: dict[str, int], after: dict[str, int]) -> str:
    """Why cores were not computing: for want of work, or because their host gave them to others."""
    spent = {name: after[name] - before[name] for name in after}
    total = max(1, sum(spent.values()))
    return ", ".join(
        f"{name} {spent[name] / total:.3f}" for name in ("idle", "taken by the host") if spent
    )


def busy(run: Path) -> float:
    """The share of the threads' time that was computing, over the whole run."""
    curves = read_run(run).curves
    ends = [seconds for _, seconds in curves["seconds"]]
    lengths = [end - start for start, end in pairwise([0.0, *ends])]
    return sum(n * share for n, (_, share) in zip(lengths, curves["busy"], strict=True)) / ends[-1]


def rates(result: Evaluation) -> list[float]:
    """In the order of NAMES."""
    groups = (result.total, result.decisive)
    return [100 * (rate.rate or 0) for g in groups for rate in (g.good, g.perfect)]


def judge(game: GridGame, network: Path, positions: str, sims: int) -> Evaluation:
    """A network's answers with so many simulations, on all cores."""
    labelled = every_position(game) if positions == "all" else read_positions(game, positions)
    spec = f'net:"{network}",sims={sims}'
    first, *twins = (tengen.player(spec, game, seed=1) for _ in range(THREADS if sims else 1))
    return evaluate(first, labelled, twins=twins)


def against_solver(game: GridGame, network: Path, games: int, sims: int) -> str:
    """Results as first player, and for tic-tac-toe as second player too."""
    texts = []
    for colour in (0, 1) if game.name == "tictactoe" else (0,):
        counts = {"won": 0, "drawn": 0, "lost": 0}
        for seed in range(games):
            ours = tengen.player(f'net:"{network}",sims={sims}', game, seed=seed)
            players = [ours, tengen.player("solver", game, seed=seed)]
            position = game.position()
            while not position.is_over:
                chosen = players[position.mover ^ colour].decide(position)
                position = position.play(chosen.move)
            wins = (Outcome.first_wins, Outcome.second_wins)[colour]
            is_draw = position.outcome is Outcome.draw
            counts["drawn" if is_draw else "won" if position.outcome is wins else "lost"] += 1
        words = ", ".join(f"{count} {name}" for name, count in counts.items())
        texts.append(f"as {'second' if colour else 'first'} player, {sims} sims: {words}")
    return "; ".join(texts)


def main() -> None:
    """Train what is not there, judge, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=["connect4", "tictactoe"])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--preset")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--name", help="of the runs, where settings were changed")
    parser.add_argument("--network", type=Path, help="judge this one instead of training")
    parser.add_argument("--positions", help="connect4-judge, for tictactoe all")
    parser.add_argument("--sims", type=int, nargs="+", default=[0, 100, 800])
    parser.add_argument("--solver", type=int, default=0, help="games against the solver")
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    arguments = parser.parse_args()
    if arguments.set and not arguments.name:
        parser.error("--set needs --name: runs of other settings are other runs")
    game = tengen.game(arguments.game)
    assert isinstance(game, GridGame)
    positions = arguments.positions or ("all" if game.name == "tictactoe" else "connect4-judge")
    networks = [arguments.network]
    if arguments.network is None:
        networks = []
        for seed in arguments.seeds:
            before = machine_times()
            network = trained(arguments, seed)
            of_machine = shares(before, machine_times())
            networks.append(network)
            print(f"{network.parent.name}: cores busy {busy(network.parent):.3f}", of_machine)
    print(f"{machine()}; {positions}; " + "; ".join(NAMES))
    for sims in arguments.sims:
        found = [rates(judge(game, network, positions, sims)) for network in networks]
        for network, values in zip(networks, found, strict=True):
            print(f"{network} {sims} sims:", " ".join(f"{value:.1f}" for value in values))
        if len(found) > 1:
            columns = list(zip(*found, strict=True))
            spread = " ".join(f"{mean(c):.1f} ± {stdev(c):.1f}" for c in columns)
            print(f"mean and standard deviation, {sims} sims: {spread}", flush=True)
    for network in networks if arguments.solver else []:
        for sims in arguments.sims:
            print(network, against_solver(game, network, arguments.solver, sims), flush=True)


if __name__ == "__main__":
    main()
