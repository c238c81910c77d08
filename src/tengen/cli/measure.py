"""What ``tengen bench`` measures: work of ours, the same work of the peer's, and a signature."""

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from statistics import median

from tengen import _core
from tengen.rules import GridGame, parse_rules
from tengen.search import UctSettings

#: A piece of work: given its scale and a seed, does it and returns how much of the unit it did.
Work = Callable[[float, int], float]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    work: str
    unit: str
    target: str
    ours: Work
    peer: Work | None = None
    #: What must be there before the clock runs.
    prepare: Callable[[], None] | None = None
    #: The peer is work of ours too, so that it is always there.
    is_among_us: bool = False
    #: Threads count wall time on all cores; everything else CPU time on one.
    uses_wall_time: bool = False
    #: The work returns a figure itself rather than an amount to be divided by time.
    is_figure: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """Medians over the rounds; the ratio is the median of each round's ratio."""

    work: str
    unit: str
    target: str
    ours: float
    peer: float | None
    ratio: float | None

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


def measure(row: Row, *, rounds: int, scale: float) -> Measured:
    """Run a row's work, ours and the peer's turn by turn; the rounds are seeded 1, 2, 3 and on."""
    has_peer = row.peer is not None and (row.is_among_us or peer_version() is not None)
    if row.prepare is not None:
        row.prepare()
    ours, peers = [], []
    for seed in range(1, rounds + 1):
        ours.append(_rate(row, row.ours, scale, seed))
        if row.peer is not None and has_peer:
            peers.append(_rate(row, row.peer, scale, seed))
    ratios = [a / b for a, b in zip(ours, peers, strict=False)]
    return Measured(
        work=row.work,
        unit=row.unit,
        target=row.target,
        ours=median(ours),
        peer=median(peers) if peers else None,
        ratio=median(ratios) if ratios else None,
    )


def _rate(row: Row, work: Work, scale: float, seed: int) -> float:
    if row.is_figure:
        return work(scale, seed)
    if row.uses_wall_time:
        start = time.perf_counter()
        return work(scale, seed) / (time.perf_counter() - start)
    with _one_core():
        start = time.process_time()
        return work(scale, seed) / (time.process_time() - start)


@contextmanager
def _one_core() -> Iterator[None]:
    """Keep the process on one core, where the system lets us choose."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _start(spec: str) -> _core.Position:
    return GridGame(parse_rules(spec)).start()


def _plain(**settings: object) -> _core.UctConfig:
    """UCT as the peer runs it: random playouts, no proofs, the same exploration."""
    return UctSettings.model_validate(
        {"c": 1.0, "rollout": "random", "proof": False, **settings}
    ).native()


def _uct(spec: str, sims: int, threads: int = 1) -> Work:
    def work(scale: float, seed: int) -> float:
        search = _core.Uct(_start(spec), _plain(), threads=threads, seed=seed)
        return search.run(int(sims * scale), math.inf)

    return work


def _bytes_per_node(spec: str, sims: int) -> Work:
    def work(scale: float, seed: int) -> float:
        search = _core.Uct(_start(spec), _plain(), threads=1, seed=seed)
        search.run(int(sims * scale), math.inf)
        report = search.report()
        return report.bytes / report.nodes

    return work


def _playouts(spec: str, games: int) -> Work:
    def work(scale: float, seed: int) -> float:
        count = int(games * scale)
        _core.playouts(
            _start(spec),
            rollout=_core.Rollout.random,
            weights=_core.Weights.uniform,
            games=count,
            seed=seed,
        )
        return count

    return work


def _peer_search(name: str, *, sims: int, rollouts: int, seed: int) -> None:
    import pyspiel

    game = pyspiel.load_game(name)
    # Its formula has no factor 2 under the root: sqrt(2) makes it the same exploration.
    c, memory_mb = math.sqrt(2), 8000
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, seed)
    bot = pyspiel.MCTSBot(game, evaluator, c, sims, memory_mb, False, seed, False)
    bot.mcts_search(game.new_initial_state())


def _peer_uct(name: str, sims: int) -> Work:
    def work(scale: float, seed: int) -> float:
        _peer_search(name, sims=int(sims * scale), rollouts=1, seed=seed)
        return int(sims * scale)

    return work


def _peer_playouts(name: str, games: int) -> Work:
    """Its rollouts are reachable only through a search: one simulation with many of them."""

    def work(scale: float, seed: int) -> float:
        _peer_search(name, sims=1, rollouts=int(games * scale), seed=seed)
        return int(games * scale)

    return work


def peer_version() -> str | None:
    """The peer, if it is installed."""
    try:
        return f"open_spiel {version('open_spiel')}"
    except PackageNotFoundError:
        return None


MILLION = 1_000_000
ROWS = (
    Row("connect4 UCT", "sims/s", "15x", _uct("connect4", MILLION),
        _peer_uct("connect_four", MILLION)),
    Row("tictactoe UCT", "sims/s", "5x", _uct("tictactoe", MILLION),
        _peer_uct("tic_tac_toe", MILLION)),
    Row("gomoku UCT", "sims/s", "15x", _uct("gomoku", 200_000), _peer_uct("gomoku", 20_000)),
    Row("connect4 random games", "games/s", "40x", _playouts("connect4", 4 * MILLION),
        _peer_playouts("connect_four", 200_000)),
    Row("gomoku random games", "games/s", "40x", _playouts("gomoku", 400_000),
        _peer_playouts("gomoku", 20_000)),
    Row("two threads against one", "sims/s", "1.7x", _uct("connect4", 2 * MILLION, threads=2),
        _uct("connect4", 2 * MILLION), is_among_us=True, uses_wall_time=True),
    Row("memory per node", "bytes", "at most 32", _bytes_per_node("connect4", MILLION),
        is_figure=True),
)  # fmt: skip

#: Searches whose node counts make the signature: every board kind, rollout and option group.
_SIGNED: tuple[tuple[str, dict[str, object]], ...] = (
    ("tictactoe", {}),
    ("connect4", {}),
    ("connect4", {"rollout": "tactical", "proof": False, "total": "tree"}),
    ("connect:10x12x4:blocked=c5", {"rollout": "tactical", "reward": (1, -1, -1)}),
    ("gomoku", {"rollout": "reflex"}),
    ("caro-blocked", {"weights": "linear", "c": 0.3}),
    ("mnk:6x7x5:line=exact", {"weights": "odd", "decay": (0.9, 15)}),
)


def signature() -> int:
    """One number over fixed searches: it changes if and only if some search does."""
    signed = 0
    for spec, settings in _SIGNED:
        plain = {"c": 0.7, "rollout": "random"}
        config = UctSettings.model_validate({**plain, **settings}).native()
        search = _core.Uct(_start(spec), config, threads=1, seed=7)
        search.run(3000, math.inf)
        report = search.report()
        for number in (report.nodes, *(stats.visits for stats in report.moves)):
            signed = (signed * 1_000_003 + number) % (1 << 61)
    return signed
