"""The guided search in plain Python: the native one draw for draw, and any order of movers."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import tengen
from tengen import _core
from tengen.rules import AnyPosition, Game, GridGame, Outcome
from tengen.rules.planes import parse_plane
from tengen.search import (
    EvaluatorJudge,
    GuidedSearch,
    GuidedSettings,
    ReferenceGuided,
    ReferenceSearch,
    RootNoise,
)
from tests.evaluators import TableEvaluator, UniformEvaluator, moves_of
from tests.test_guided import grid

NOISES: list[dict[str, Any]] = [
    {"epsilon": 0.5, "alpha": 10.0},
    {"epsilon": 0.25, "alpha": 0.3},
    {"epsilon": 0.5, "alpha": 10.0, "forced": 2.0},
    {"forced": 8.0},
    {"gumbel": True},
    {},
]


def by_the_core(
    position: AnyPosition, sims: int, settings: GuidedSettings, seed: int, **noise: Any
) -> _core.NeuralReport:
    game = position.game
    assert isinstance(game, GridGame)
    evaluator = TableEvaluator(moves_of(game))
    planes = [parse_plane(name) for name in evaluator.planes]
    search = _core.NeuralSearch(
        position.state, settings.native(), planes=planes, cache_bytes=0, seed=seed
    )
    search.begin(sims, _core.RootNoise(**noise))
    batch = np.zeros((1, len(planes), game.rows, game.cols), np.float32)
    while not search.is_done:
        if search.gather(batch):
            search.expand(*evaluator.evaluate(batch))
    return search.report()


def in_python(
    position: AnyPosition, sims: int, settings: GuidedSettings, seed: int, **noise: Any
) -> ReferenceSearch:
    game = position.game
    judge = EvaluatorJudge(game, TableEvaluator(game.move_count))
    search = ReferenceSearch(game, settings, seed=seed)
    search.reset(position.state)
    search.begin(sims, RootNoise(**noise))
    while not search.is_done:
        for leaf in search.gather(1):
            logits, values = judge([leaf.node.state])
            search.expand(leaf, logits[0].tolist(), float(values[0]))
    return search


@pytest.mark.parametrize("spec", ["connect4", "mnk:5x5x4", "connect:4x4x3:blocked=b2"])
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("search", ["puct", "gumbel"])
def test_noise_forced_visits_and_pruned_targets_are_those_of_the_core(
    spec: str, noise: dict[str, Any], search: str
) -> None:
    settings = GuidedSettings.read({"search": search, "m": 6, "c": 1.1}, where="net")
    game, random = grid(spec), np.random.default_rng(2)
    quiet_visits, visits = [], []
    for seed in range(6):
        position = game.position()
        for _ in range(seed):
            after = position.play(int(random.choice(position.legal_moves)))
            position = position if after.is_over else after
        for sims in (1, 9, 70):
            found = in_python(position, sims, settings, seed, **noise)
            expected = by_the_core(position, sims, settings, seed, **noise)
            report = found.report()
            assert list(report.visits.values()) == [move.visits for move in expected.moves]
            assert list(report.pv) == expected.pv
            assert report.value == pytest.approx(expected.value, abs=1e-12)
            assert list(found.policy().values()) == pytest.approx(expected.policy, abs=1e-12)
            visits.append(report.visits)
            quiet_visits.append(in_python(position, sims, settings, seed).report().visits)
    has_effect = noise.get("gumbel") if search == "gumbel" else noise and not noise.get("gumbel")
    if has_effect:
        assert visits != quiet_visits, "the noise shows"


@pytest.mark.parametrize("spec", ["connect4", "mnk:6x6x4"])
@pytest.mark.parametrize(
    "settings", [{}, {"vloss": 3}, {"search": "gumbel", "m": 5}, {"share": True}, {"proof": False}]
)
def test_batches_of_leaves_are_those_of_the_core(spec: str, settings: dict[str, Any]) -> None:
    """Also from one position to the next, where what is known is kept."""
    game = grid(spec)
    evaluator = TableEvaluator(moves_of(game))
    chosen = GuidedSettings(batch=8, **settings)
    reference = ReferenceGuided(game, EvaluatorJudge(game, evaluator), chosen)
    native = GuidedSearch(game, evaluator, chosen, seed=1)
    position = game.position()
    for _ in range(5):
        for search in (reference, native):
            search.place(position)
            assert search.run(120, math.inf) == 120
        expected, found = native.report(), reference.report()
        assert found.visits == expected.visits
        assert found.pv == expected.pv
        assert found.value == pytest.approx(expected.value, abs=1e-12)
        assert found.policy == pytest.approx(expected.policy, abs=1e-12)
        assert found.nodes == expected.nodes
        position = position.play(expected.pv[0])


def test_an_endless_search_goes_on_with_its_plan() -> None:
    game = grid("connect4")
    evaluator = TableEvaluator(7)
    settings = GuidedSettings(search="gumbel", batch=1)
    search = ReferenceGuided(game, EvaluatorJudge(game, evaluator), settings)
    search.place(game.position())
    done = 0
    while done < 200:
        done += search.run(2**62, 0.01)
    assert sum(search.report().visits.values()) == done


class TwoEach(Game[tuple[tuple[int, ...], int]]):
    """Tic-tac-toe with three in a column or row, in which one stone is followed by two and two."""

    name, rows, cols, move_count = "two each", 3, 3, 9

    def start(self) -> tuple[tuple[int, ...], int]:
        return (0,) * 9, 0

    def mover(self, state: tuple[tuple[int, ...], int]) -> int:
        return (0, 1, 1, 0, 0, 1, 1, 0, 0, 1)[state[1]]

    def legal_moves(self, state: tuple[tuple[int, ...], int]) -> list[int]:
        return [cell for cell in range(9) if state[0][cell] == 0]

    def play(self, state: tuple[tuple[int, ...], int], move: int) -> tuple[tuple[int, ...], int]:
        cells, count = state
        return (*cells[:move], self.mover(state) + 1, *cells[move + 1 :]), count + 1

    def outcome(self, state: tuple[tuple[int, ...], int]) -> Outcome:
        cells, count = state
        lines = [cells[3 * i : 3 * i + 3] for i in range(3)] + [cells[i::3] for i in range(3)]
        for player, wins in ((1, Outcome.first_wins), (2, Outcome.second_wins)):
            if (player,) * 3 in lines:
                return wins
        return Outcome.draw if count == 9 else Outcome.ongoing

    def symbols(self, state: tuple[tuple[int, ...], int]) -> list[str]:
        return [".XO"[stone] for stone in state[0]]


TWO_EACH = TwoEach()


@cache
def best(state: tuple[tuple[int, ...], int]) -> int:
    """The outcome with best play, for the first player."""
    outcome = TWO_EACH.outcome(state)
    if outcome is not Outcome.ongoing:
        return {Outcome.first_wins: 1, Outcome.second_wins: -1, Outcome.draw: 0}[outcome]
    results = [best(TWO_EACH.play(state, move)) for move in TWO_EACH.legal_moves(state)]
    return max(results) if TWO_EACH.mover(state) == 0 else min(results)


# Gumbel may never look at some moves; with more simulations it proves no more.
@pytest.mark.parametrize(("settings", "sims"), [({}, 20_000), ({"search": "gumbel"}, 3000)])
def test_a_player_may_move_twice(settings: dict[str, Any], sims: int) -> None:
    random = np.random.default_rng(3)
    judge = EvaluatorJudge(TWO_EACH, UniformEvaluator(9))
    seen = set()
    for _ in range(40):
        position = TWO_EACH.position()
        for _ in range(int(random.integers(2, 6))):
            position = position.play(int(random.choice(position.legal_moves)))
            if position.is_over:
                break
        if position.is_over:
            continue
        search = ReferenceGuided(TWO_EACH, judge, GuidedSettings(batch=4, **settings))
        search.place(position)
        search.run(sims, math.inf)
        report = search.report()
        if not report.is_proven:
            assert settings
            continue
        assert report.value == best(position.state) * (1 if position.mover == 0 else -1)
        seen.add(report.value)
    assert len(seen) >= 2


def test_what_has_no_meaning_for_a_python_game_is_refused() -> None:
    for settings, message in [
        (GuidedSettings(haste=0.5), "net.haste is 0.5; for two each it must be 0"),
        (GuidedSettings(share=True), "net.share is on; it needs keys, and two each has no keys"),
    ]:
        with pytest.raises(tengen.SpecError, match=message):
            ReferenceSearch(TWO_EACH, settings, seed=1)


def test_the_tree_keeps_within_its_memory() -> None:
    game = tengen.game("mnk:9x9x5")
    judge = EvaluatorJudge(game, UniformEvaluator(81))
    search = ReferenceGuided(game, judge, GuidedSettings(memory=1))
    search.place(game.position())
    assert 0 < search.run(10_000, math.inf) < 200
    assert search.run(10_000, math.inf) == 0
    assert search.report().pv


def test_a_judge_remembers_and_refuses_what_is_no_number() -> None:
    game = grid("connect4")
    evaluator = TableEvaluator(7)
    states = [game.position(moves).state for moves in ("1", "2", "1")]
    plain = EvaluatorJudge(game, evaluator)(states)
    judge = EvaluatorJudge(game, evaluator, cache_mb=1)
    for _ in range(2):
        for given, expected in zip(judge(states), plain, strict=True):
            np.testing.assert_array_equal(given, expected)
    assert (judge.evaluations, judge.cache_asked, judge.cache_hits) == (2, 6, 4)

    class Broken(TableEvaluator):
        def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            logits, values = super().evaluate(planes)
            return logits * np.nan, values

    with pytest.raises(tengen.TengenError, match="answer is not a number"):
        EvaluatorJudge(game, Broken(7))(states)
    with pytest.raises(tengen.TengenError, match="another shape"):
        EvaluatorJudge(game, TableEvaluator(8))(states)
