"""Search guided by an evaluator: against the reference, against known counts, against bandits."""

import math
from typing import Any

import numpy as np
import pytest

import tengen
from tengen import _core
from tengen.rules import AnyPosition, GridGame
from tengen.search import (
    EvaluatorJudge,
    GuidedSearch,
    GuidedSettings,
    HybridSettings,
    ReferenceGuided,
    Report,
)
from tengen.search.formulas import halving_schedule
from tests.evaluators import TableEvaluator, UniformEvaluator, moves_of

GAMES = [
    "tictactoe",
    "connect4",
    "mnk:5x5x4",
    "connect:4x4x3:blocked=b2",
    "mnk:9x9x5",
    "mnk:3x4x3:line=exact",
]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"c": 0.6, "fpu": 0.3, "drop": True},
    {"offset": 1e-8, "proof": False, "draw": 1e-4, "share": True},
    {"share": True},
    {"search": "gumbel", "m": 4},
    {"search": "gumbel", "cscale": 0.1, "proof": False},
    {"draw": 0.5},
    {"haste": 0.5, "share": True},
    {"search": "gumbel", "haste": 0.9},
]


def grid(spec: str) -> GridGame:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    return game


def searched(
    position: AnyPosition, sims: int, evaluator: TableEvaluator | None = None, **settings: Any
) -> Report:
    game = position.game
    assert isinstance(game, GridGame)
    evaluator = evaluator or TableEvaluator(moves_of(game))
    chosen = GuidedSettings(**{"batch": 1, **settings})
    search = GuidedSearch(game, evaluator, chosen, seed=1)
    search.place(position)
    search.run(sims, math.inf)
    return search.report()


@pytest.mark.parametrize("spec", GAMES)
def test_the_native_search_shows_the_evaluator_the_planes_of_the_position(spec: str) -> None:
    game = grid(spec)
    names = ("mover", "opponent", "empty", "playable", "last1", "colour", "odd", "wins", "threats")
    evaluator = TableEvaluator(moves_of(game), names)
    reference = ReferenceGuided(game, EvaluatorJudge(game, evaluator), GuidedSettings(batch=1))
    reference.place(game.position())
    reference.run(300, math.inf)
    found = searched(game.position(), 300, evaluator)
    assert found.visits == reference.report().visits


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("settings", SETTINGS)
def test_the_native_search_equals_the_reference(spec: str, settings: dict[str, Any]) -> None:
    game = grid(spec)
    evaluator = TableEvaluator(moves_of(game))

    judge = EvaluatorJudge(game, evaluator)
    for sims in (1, 7, 60, 200):
        reference = ReferenceGuided(game, judge, GuidedSettings(batch=1, **settings))
        reference.place(game.position())
        done = reference.run(sims, math.inf)
        expected, found = reference.report(), searched(game.position(), sims, **settings)
        assert found.visits == expected.visits
        assert found.pv == expected.pv
        assert found.value == pytest.approx(expected.value, abs=1e-12)
        assert found.is_proven == expected.is_proven
        assert found.policy == pytest.approx(expected.policy, abs=1e-12)
        assert sum(found.visits.values()) == done


@pytest.mark.parametrize("top", [1, 3, 5])
def test_the_hybrids_formula_is_the_references(top: int) -> None:
    """On a board where nobody can win every playout is a draw, however it is drawn."""
    game = grid("mnk:4x4x4:blocked=a4/b2/c1/d3")
    evaluator = TableEvaluator(16)
    settings = HybridSettings(top=top, batch=1)
    reference = ReferenceGuided(game, EvaluatorJudge(game, evaluator), settings)
    native = GuidedSearch(game, evaluator, settings, seed=1)
    for sims in (1, 20, 150):
        for search in (reference, native):
            search.place(game.position())
            search.run(sims, math.inf)
        assert native.report().visits == reference.report().visits
        assert native.report().value == reference.report().value == 0


def test_both_searches_go_on_from_a_later_position_alike() -> None:
    game = grid("connect4")
    evaluator = TableEvaluator(moves_of(game))

    judge = EvaluatorJudge(game, evaluator)
    reference = ReferenceGuided(game, judge, GuidedSettings(batch=1))
    native = GuidedSearch(game, evaluator, GuidedSettings(batch=1), seed=1)
    position = game.position()
    for _ in range(6):
        for search in (reference, native):
            search.place(position)
            search.run(80, math.inf)
        assert native.report().visits == reference.report().visits
        assert native.report().pv == reference.report().pv
        position = position.play(native.report().pv[0])


def test_a_uniform_evaluator_spreads_the_visits_evenly() -> None:
    """Without a winner in sight all moves are alike, and PUCT gives each the same."""
    game = grid("mnk:5x5x5")
    report = searched(game.position(), 250, UniformEvaluator(25))
    assert set(report.visits.values()) == {10}
    assert report.value == 0
    gumbel = searched(game.position(), 64, UniformEvaluator(25), search="gumbel", m=16)
    # 16 moves, then 8, 4 and 2 of them: sequential halving with 16 simulations a phase.
    assert (
        sorted(gumbel.visits.values(), reverse=True) == [15, 15, 7, 7] + [3] * 4 + [1] * 8 + [0] * 9
    )


def test_the_halving_schedule_spends_exactly_what_there_is() -> None:
    for considered in range(1, 20):
        for sims in range(1, 100):
            schedule = halving_schedule(considered, sims)
            assert len(schedule) == sims
            # As many moves have n visits as there are simulations that want n - 1.
            for n in range(1, max(schedule) + 1):
                assert schedule.count(n) <= schedule.count(n - 1)


def test_gumbels_target_improves_the_expected_value() -> None:
    """On bandits: each move leads to positions of a known value, the prior is arbitrary."""
    game = grid("mnk:3x4x4")
    chance = np.random.default_rng(5)
    for _ in range(30):
        true_values = chance.uniform(-0.8, 0.8, 12)
        logits = chance.normal(0, 1.5, 12)
        bandit = Bandit(logits, true_values)
        report = searched(game.position(), 24, bandit, search="gumbel", m=8, proof=False)
        assert report.policy is not None
        prior = np.exp(logits) / np.exp(logits).sum()
        before = float(prior @ true_values)
        after = sum(report.policy[move] * true_values[move] for move in range(12))
        assert after > before


class Bandit(TableEvaluator):
    """After one's first stone the value is known, and it stays so."""

    def __init__(self, logits: np.ndarray, values: np.ndarray) -> None:
        super().__init__(len(values))
        self._logits, self._values = logits, values

    def _judge(self, planes: np.ndarray) -> np.ndarray:
        stones = planes[0] + planes[1]
        if stones.sum() == 0:
            return np.append(self._logits, self._values.mean()).astype(np.float32)
        # Every position is worth what the first player's stone with the lowest number says.
        first = planes[int(stones.sum()) % 2].ravel()
        value = self._values[int(np.argmax(first))]
        mover_is_first = stones.sum() % 2 == 0
        return np.append(np.zeros(12), value if mover_is_first else -value).astype(np.float32)


@pytest.mark.parametrize("settings", [{}, {"search": "gumbel"}, {"share": True}])
def test_a_win_and_a_forced_block_are_found_against_the_policy(settings: dict[str, Any]) -> None:
    game = grid("connect4")
    # Three in column 1: one to win with, one to stop.
    for moves in ("121314", "12131"):
        report = searched(game.position(moves), 60, **settings)
        assert report.pv[0] == 0


@pytest.mark.parametrize("settings", [{}, {"share": True}])
def test_tic_tac_toe_with_centre_and_corner_is_proven_a_draw(settings: dict[str, Any]) -> None:
    game = grid("tictactoe")
    position = game.position("b2 a1")
    report = searched(position, 60_000, UniformEvaluator(9), c=100, batch=64, **settings)
    assert report.is_proven
    assert report.value == 0


@pytest.mark.parametrize("settings", [{}, {"search": "gumbel"}])
def test_a_known_win_is_what_the_network_should_learn(settings: dict[str, Any]) -> None:
    """Also when it was known before anything was visited."""
    report = searched(grid("connect4").position("121314"), 20, **settings)
    assert report.is_proven
    assert report.policy is not None
    assert report.policy[0] > 0.99


@pytest.mark.parametrize("settings", [{}, {"search": "gumbel"}, {"share": True}])
def test_a_lost_position_is_known_and_still_has_a_move(settings: dict[str, Any]) -> None:
    position = grid("connect4").position("44556")  # three in a row, open at both ends
    report = searched(position, 400, c=20, **settings)
    assert report.is_proven
    assert report.value == -1
    assert report.visits[report.pv[0]] == max(report.visits.values())


@pytest.mark.parametrize("settings", [{"proof": True}, {"proof": False}])
def test_a_draw_has_one_value_whether_it_is_proven_or_not(settings: dict[str, Any]) -> None:
    """One cell left: who fills it is not to move afterwards."""
    game = grid("tictactoe")
    position = game.position("b2 a1 c1 a3 a2 c2 b3 b1")
    assert len(position.legal_moves) == 1
    assert searched(position, 5, draw=0.5, **settings).value == -0.5


@pytest.mark.parametrize("settings", [{}, {"search": "gumbel"}, {"share": True}])
def test_with_haste_a_proof_is_of_the_soonest_win_and_the_latest_loss(
    settings: dict[str, Any],
) -> None:
    game = grid("connect:5x5x4")
    random = np.random.default_rng(5)
    seen = set()
    for _ in range(200):
        position = game.position()
        while not position.is_over and len(position.moves) < 16:
            position = position.play(int(random.choice(position.legal_moves)))
        if position.is_over:
            continue
        solution = tengen.solve(position)
        report = searched(position, 5_000, haste=0.5, **settings)
        if not report.is_proven:
            continue
        assert report.pv[0] in solution.best_moves
        assert solution.score is not None
        worth = np.float32(1 - 0.5 * (16 + (solution.plies or 0)) / 25)
        assert report.value == np.sign(solution.score) * worth
        seen.add((np.sign(solution.score), solution.plies))
    assert len(seen) >= 3


def test_batches_of_leaves_spend_the_same_and_agree_on_what_is_clear() -> None:
    game = grid("connect4")
    for batch in (1, 4, 16, 64):
        report = searched(game.position("44444"), 400, batch=batch)
        assert sum(report.visits.values()) == 400


@pytest.mark.parametrize("spec", ["connect4", "mnk:7x7x5"])
@pytest.mark.parametrize("settings", [{}, {"search": "gumbel"}])
def test_the_cache_changes_nothing_but_the_work(spec: str, settings: dict[str, Any]) -> None:
    game = grid(spec)
    evaluator = TableEvaluator(moves_of(game))
    plain = searched(game.position(), 300, evaluator, **settings)
    without = evaluator.positions
    chosen = GuidedSettings(batch=1, reuse=False, **settings)
    search = GuidedSearch(game, evaluator, chosen, seed=1, cache_mb=16)
    for _ in range(2):
        search.place(game.position())
        search.run(300, math.inf)
        assert search.report() == plain
    hits, asked = search.cache_hits
    assert hits >= asked / 2
    assert evaluator.positions <= 2 * without


def test_the_cache_tells_histories_apart_where_the_network_sees_them() -> None:
    game = grid("connect4")
    evaluator = TableEvaluator(moves_of(game), planes=("mover", "opponent", "last1", "last2"))
    plain = searched(game.position(), 300, evaluator)
    search = GuidedSearch(game, evaluator, GuidedSettings(batch=1), seed=1, cache_mb=16)
    search.place(game.position())
    search.run(300, math.inf)
    assert search.report() == plain


def test_a_search_can_be_stopped_and_limited_in_time() -> None:
    game = grid("connect4")
    search = GuidedSearch(game, TableEvaluator(7), GuidedSettings(), seed=1)
    search.place(game.position())
    search.stop()
    assert search.run(1000, math.inf) == 0
    search.resume()
    while not search.report().pv:
        search.run(2**62, 0.05)


def test_the_hybrid_looks_at_the_policys_best_moves_only() -> None:
    game = grid("mnk:7x7x5")
    evaluator = TableEvaluator(49)
    search = GuidedSearch(game, evaluator, HybridSettings(top=5, batch=1), seed=3)
    search.place(game.position())
    search.run(200, math.inf)
    report = search.report()
    logits, _ = evaluator.evaluate(game.planes(game.position().state, evaluator.planes)[np.newaxis])
    assert set(report.visits) == set(np.argsort(-logits[0])[:5].tolist())
    assert sum(report.visits.values()) == 200
    # The final choice goes by the mean reward.
    assert report.pv[0] in report.visits


def test_answers_that_are_no_numbers_are_refused() -> None:
    game = grid("connect4")
    search = _core.NeuralSearch(
        game.position().state,
        GuidedSettings().native(),
        planes=[(_core.PlaneKind.mover, 0)],
        cache_bytes=0,
        seed=1,
    )
    search.begin(10, _core.RootNoise())
    assert search.gather(np.zeros((4, 1, 6, 7), np.float32)) == 1
    with pytest.raises(tengen.TengenError, match="not a number"):
        search.expand(np.full((1, 7), np.nan, np.float32), np.zeros(1, np.float32))
    with pytest.raises(tengen.TengenError, match="shape"):
        search.expand(np.zeros((2, 7), np.float32), np.zeros(2, np.float32))
    with pytest.raises(tengen.TengenError, match="shape"):
        search.gather(np.zeros((4, 2, 6, 7), np.float32))
    search.expand(np.zeros((1, 7), np.float32), np.zeros(1, np.float32))
