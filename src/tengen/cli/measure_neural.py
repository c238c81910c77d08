"""What ``tengen bench --only neural`` measures: networks, and what is made of them."""

import tempfile
import threading
from functools import cache
from pathlib import Path

import numpy as np

from tengen import _core
from tengen.cli.measure import MILLION, Row, Work
from tengen.network import NetworkCard, OnnxEvaluator, read_network
from tengen.rules import GridGame, parse_rules
from tengen.search import GuidedSearch, GuidedSettings
from tengen.selfplay import SelfPlay, SelfPlaySettings

#: Positions per call of the network alone.
_BATCH = 64
#: Seconds of self-play in a round.
_SECONDS = 8.0
_GAMES, _SIMS = 256, 32


@cache
def _evaluator(spec: str, blocks: int, channels: int) -> OnnxEvaluator:
    """A network nobody has trained: how fast it is does not depend on that."""
    # Only here: they load PyTorch, which takes longer than most commands do.
    from tengen.network import build, export_onnx

    rules = parse_rules(spec)
    config = read_network("resnet", {"blocks": blocks, "channels": channels})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.onnx"
        export_onnx(build(config, rules, seed=1), NetworkCard.of(config, rules), path)
        return OnnxEvaluator(path, rules)


def _ceiling(spec: str, blocks: int, channels: int, *, positions: int, cores: int = 1) -> Work:
    """ONNX Runtime alone on one core, counted as often as there are cores to fill."""

    def work(scale: float, seed: int) -> float:
        evaluator = _evaluator(spec, blocks, channels)
        rules = parse_rules(spec)
        chance = np.random.default_rng(seed)
        shape = (_BATCH, len(evaluator.planes), rules.rows, rules.cols)
        planes = chance.integers(0, 2, shape).astype(np.float32)
        calls = max(1, int(positions * scale / _BATCH))
        for _ in range(calls):
            evaluator.evaluate_at_once(planes)
        return float(calls * _BATCH * cores)

    return work


def _self_play(spec: str, blocks: int, channels: int, *, cache_mb: int, unit: str) -> Work:
    """Both cores for some seconds: how many evaluations, simulations, or hits in a hundred."""

    def work(scale: float, seed: int) -> float:
        settings = SelfPlaySettings(games=_GAMES, sims=_SIMS, cache=cache_mb)
        evaluator = _evaluator(spec, blocks, channels)
        self_play = SelfPlay(GridGame(parse_rules(spec)), evaluator, settings, seed=seed, threads=2)
        timer = threading.Timer(max(0.5, _SECONDS * scale), self_play.stop)
        timer.start()
        for _ in self_play.play(range(MILLION)):
            pass
        timer.cancel()
        counts = self_play.counts
        if unit == "hits":
            return 100 * counts.cache_hits / max(1, counts.cache_asked)
        return counts.evaluations if unit == "evaluations" else counts.sims

    return work


def _search(spec: str, blocks: int, channels: int, *, sims: int) -> Work:
    def work(scale: float, seed: int) -> float:
        game = GridGame(parse_rules(spec))
        settings = GuidedSettings()
        search = GuidedSearch(game, _evaluator(spec, blocks, channels), settings, seed=seed)
        search.place(game.position())
        return search.run(max(1, int(sims * scale)), float("inf"))

    return work


def _without_network(spec: str, *, games: int) -> Work:
    def work(scale: float, seed: int) -> float:
        settings = SelfPlaySettings(games=_GAMES, sims=_SIMS)
        mill = _core.SelfPlay(
            GridGame(parse_rules(spec)).geometry,
            settings.native(_core.Evaluation.uniform),
            planes=[],
            games=settings.games,
            seed=seed,
            numbers=_core.GameNumbers(list(range(max(1, int(games * scale))))),
        )
        batch = np.zeros(mill.batch_shape, np.float32)
        while not mill.is_over:
            mill.gather(batch)
            mill.take_finished()
        return mill.sims

    return work


_SMALL = ("connect4", 5, 64)
_LARGE = ("gomoku", 4, 32)


def _small() -> None:
    """Make the network before anything is timed."""
    _evaluator(*_SMALL)


def _large() -> None:
    """The same for the larger board."""
    _evaluator(*_LARGE)


ROWS = (
    Row("neural: network alone, 7x6, one core", "evaluations/s", "",
        _ceiling(*_SMALL, positions=15_000), prepare=_small),
    Row("neural: self-play, 7x6, against twice that", "evaluations/s", "0.9x",
        _self_play(*_SMALL, cache_mb=0, unit="evaluations"),
        _ceiling(*_SMALL, positions=15_000, cores=2), is_among_us=True, uses_wall_time=True,
        prepare=_small),
    Row("neural: self-play with the cache, 7x6", "sims/s", "",
        _self_play(*_SMALL, cache_mb=64, unit="sims"), uses_wall_time=True,
        prepare=_small),
    Row("neural: hits of the cache, 7x6", "%", "",
        _self_play(*_SMALL, cache_mb=64, unit="hits"), is_figure=True,
        prepare=_small),
    Row("neural: network alone, 15x15, one core", "evaluations/s", "",
        _ceiling(*_LARGE, positions=10_000), prepare=_large),
    Row("neural: self-play, 15x15, against twice that", "evaluations/s", "0.9x",
        _self_play(*_LARGE, cache_mb=0, unit="evaluations"),
        _ceiling(*_LARGE, positions=10_000, cores=2), is_among_us=True, uses_wall_time=True,
        prepare=_large),
    Row("neural: one search of 800 sims, 7x6, one core", "sims/s", "0.7x",
        _search(*_SMALL, sims=800), _ceiling(*_SMALL, positions=3_000), is_among_us=True,
        prepare=_small),
    Row("neural: search without network, 7x6, one core", "sims/s", "1,000,000",
        _without_network("connect4", games=4000)),
)  # fmt: skip
