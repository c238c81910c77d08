"""The players ``net`` and ``hybrid``: search guided by a network, or its policy alone."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tengen.errors import SpecError
from tengen.network import OnnxEvaluator, SymmetricEvaluator, resolve_network
from tengen.players.haste import result_of
from tengen.players.player import Player, require_ongoing
from tengen.players.searching import SearchPlayer, draw
from tengen.rules import AnyGame, AnyPosition, GridGame
from tengen.search import (
    Decision,
    Evaluator,
    EvaluatorJudge,
    GuidedSearch,
    GuidedSettings,
    HybridSettings,
    NetSettings,
    ReferenceGuided,
    TreeSearch,
    with_fours,
)
from tengen.search.random import SplitMix
from tengen.search.reference_nodes import check_searchable


def net_player(
    spec: str, game: AnyGame, target: str, settings: NetSettings, *, seed: int
) -> Player:
    """Search guided by the network ``target``; with ``sims=0`` its policy as it is."""
    network = OnnxEvaluator(resolve_network(target), game, precision=settings.precision)
    settings = with_fours(game, settings.taught(network.card.haste))
    haste = settings.haste or 0.0
    about = f"network on {network.provider}, {settings.precision}"
    evaluator: Evaluator = network
    if settings.symmetries:
        evaluator = SymmetricEvaluator(network, game)
    if settings.sims == 0:
        if not isinstance(game, GridGame):
            check_searchable(game, settings)  # as the search does
        return PolicyPlayer(
            spec, game, evaluator, tau=settings.tau, seed=seed, about=about, haste=haste
        )
    if not evaluator.has_value:
        raise SpecError(
            f"network {target} has a policy but no value; it plays as net:{target},sims=0 "
            f"or as hybrid:{target}"
        )
    engine = _engine(game, evaluator, settings, seed=seed)
    return SearchPlayer(
        spec, game, engine, settings.budget, tau=settings.tau, seed=seed, about=about, haste=haste
    )  # fmt: skip


def _engine(
    game: AnyGame, evaluator: Evaluator, settings: GuidedSettings, *, seed: int
) -> TreeSearch:
    """Native where the game is k-in-a-row, else the reference."""
    cache_mb, threads = settings.cache, settings.threads
    if isinstance(game, GridGame):
        return GuidedSearch(
            game, evaluator, settings, seed=seed, cache_mb=cache_mb, threads=threads
        )
    judge = EvaluatorJudge(game, evaluator, cache_mb=cache_mb, threads=threads)
    return ReferenceGuided(game, judge, settings, seed=seed)


def hybrid_player(
    spec: str, game: AnyGame, target: str, settings: HybridSettings, *, seed: int
) -> Player:
    """The best moves of the policy network ``target``, judged by rollouts."""
    if not isinstance(game, GridGame):
        raise SpecError(f"player hybrid plays k-in-a-row games, not {game.name}")
    evaluator = OnnxEvaluator(resolve_network(target), game)
    engine = GuidedSearch(game, evaluator, settings, seed=seed)
    about = f"network on {evaluator.provider}, fp32"
    return SearchPlayer(spec, game, engine, settings.budget, about=about)


class PolicyPlayer:
    """Plays what the network likes best, without looking ahead."""

    def __init__(
        self,
        spec: str,
        game: AnyGame,
        evaluator: Evaluator,
        *,
        tau: float,
        seed: int,
        about: str,
        haste: float,
    ) -> None:
        self.spec = spec
        self.about = about
        self._haste = haste
        self._game = game
        self._evaluator = evaluator
        self._tau = tau
        self._random = SplitMix(seed)

    def decide(self, position: AnyPosition) -> Decision:
        return self.decide_all([position])[0]

    def decide_all(self, positions: Sequence[AnyPosition]) -> list[Decision]:
        for position in positions:
            require_ongoing(position, self._game)
        start = time.perf_counter()
        names = self._evaluator.planes
        planes = np.stack([self._game.planes(position.state, names) for position in positions])
        logits, values = self._evaluator.evaluate(planes)  # [n, moves], [n]
        decisions = [
            self._decision(position, *answer)
            for position, *answer in zip(positions, logits, values, strict=True)
        ]
        seconds = (time.perf_counter() - start) / len(positions)
        return [replace(decision, seconds=seconds) for decision in decisions]

    def _decision(
        self, position: AnyPosition, logits: NDArray[np.float32], value: np.float32
    ) -> Decision:
        legal = position.legal_moves
        chosen = logits[list(legal)].astype(np.float64)
        weights = np.exp(chosen - chosen.max())
        policy = dict(zip(legal, (weights / weights.sum()).tolist(), strict=True))
        best = max(policy, key=policy.__getitem__)
        move = draw(policy, self._tau, self._random) if self._tau > 0 else best
        has_value = self._evaluator.has_value
        return Decision(
            move=move,
            value=result_of(float(value), position, haste=self._haste) if has_value else None,
            policy=policy,
            pv=(move,),
        )

    def analyse(self, position: AnyPosition) -> Iterator[Decision]:
        yield self.decide(position)

    def stop(self) -> None:
        pass
