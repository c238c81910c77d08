"""Self-play in plain Python: one contract for every game, and the core's games draw for draw."""

from typing import Any

import numpy as np
import pytest

import tengen
from tengen.rules import AnyGame, GridGame, Outcome
from tengen.search import GuidedSettings
from tengen.selfplay import GameRecord, PythonSelfPlay, SelfPlay, SelfPlaySettings, self_play_of
from tests.evaluators import TableEvaluator
from tests.test_python_games import OTHELLO
from tests.test_reference_search import TWO_EACH
from tests.test_selfplay import GUMBEL, PUCT

#: A game in Python, one whose players do not move in turn, and k-in-a-row the same way.
GAMES = [OTHELLO, "two each", "connect4", "mnk:5x5x4"]


def game_of(spec: str) -> AnyGame:
    return TWO_EACH if spec == TWO_EACH.name else tengen.game(spec)


def played(
    spec: str = OTHELLO, count: int = 4, threads: int = 1, seed: int = 1, **settings: Any
) -> list[GameRecord]:
    game = game_of(spec)
    self_play = PythonSelfPlay(
        game,
        TableEvaluator(game.move_count),
        SelfPlaySettings(**{**PUCT, **settings}),
        seed=seed,
        threads=threads,
    )
    records = sorted(self_play.play(range(count)), key=lambda record: record.index)
    assert [record.index for record in records] == list(range(count))
    counts = self_play.counts
    assert counts.games == count
    unseen = sum(record.is_resigned for record in records)  # whose last search has no ply
    if self_play.settings.known_share < 1:
        unseen += 20 * count  # nor have openings that were drawn anew
    searched = sum(ply.sims for record in records for ply in record.plies)
    assert 0 <= counts.sims - searched <= unseen * self_play.settings.sims
    assert counts.evaluations == counts.cache_asked - counts.cache_hits or counts.cache_asked == 0
    return records


@pytest.mark.parametrize("spec", ["connect4", "mnk:5x5x4", "connect:4x5x3:blocked=b2"])
@pytest.mark.parametrize(
    "settings",
    [
        PUCT,
        GUMBEL,
        {**PUCT, "reuse": True, "forced": 2.0, "epsilon": 0.4, "alpha": 3.0},
        {**GUMBEL, "reuse": True, "fast_sims": 3, "full_share": 0.4},
        {**PUCT, "resign": -0.2, "resign_check": 0.5, "tau": ((0, 1.0), (4, 0.3), (20, 0.0))},
        {**PUCT, "search": GuidedSettings(haste=0.5, draw=0.1, share=True)},
        {**PUCT, "stray_share": 0.3, "known_share": 0.2, "opening_share": 1, "opening_plies": 9},
    ],
)
def test_the_games_are_those_of_the_core(spec: str, settings: dict[str, Any]) -> None:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    native = SelfPlay(
        game, TableEvaluator(game.move_count), SelfPlaySettings(**settings), seed=5
    ).play(range(6))
    expected = sorted(native, key=lambda record: record.index)
    for given, wanted in zip(played(spec, 6, seed=5, **settings), expected, strict=True):
        assert given.moves == wanted.moves
        for name in ("game", "index", "opening", "outcome", "resigned_at", "is_resigned"):
            assert getattr(given, name) == getattr(wanted, name)
        assert given.resigner == wanted.resigner
        for ply, other in zip(given.plies, wanted.plies, strict=True):
            for name in ("proof", "is_full", "is_stray", "sims"):
                assert getattr(ply, name) == getattr(other, name)
            assert ply.value == pytest.approx(other.value, abs=1e-6)
            assert ply.surprise == pytest.approx(other.surprise, abs=1e-5)
            assert dict(ply.target) == pytest.approx(dict(other.target), abs=1e-6)


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("settings", [PUCT, GUMBEL])
def test_records_are_games_by_the_rules(spec: str, settings: dict[str, Any]) -> None:
    game = game_of(spec)
    for record in played(spec, **settings):
        assert record.game == game.name
        position = game.position()
        for ply, move in enumerate(record.moves):
            if ply >= record.opening:
                thought = record.plies[ply - record.opening]
                assert {move for move, _ in thought.target} <= set(position.legal_moves)
                assert sum(share for _, share in thought.target) == pytest.approx(1, abs=0.01)
                assert -1 <= thought.value <= 1
            position = position.play(move)
        assert position.outcome is record.outcome is not Outcome.ongoing
        assert len(record.plies) == len(record.moves) - record.opening
        assert GameRecord.from_bytes(record.to_bytes()) == record


@pytest.mark.parametrize("spec", [OTHELLO, "connect4"])
@pytest.mark.parametrize("settings", [PUCT, GUMBEL, {**PUCT, "reuse": True}])
def test_games_depend_on_nothing_but_seed_and_number(spec: str, settings: dict[str, Any]) -> None:
    expected = played(spec, **settings)
    assert played(spec, threads=2, **{**settings, "games": 3, "cache": 0}) == expected
    assert played(spec, count=6, **{**settings, "games": 1})[:4] == expected
    assert played(spec, seed=2, **settings) != expected
    assert len({record.moves for record in expected}) == len(expected)


def test_games_can_be_played_out_of_turn_and_later() -> None:
    game = tengen.game(OTHELLO)
    settings = SelfPlaySettings(**PUCT)
    self_play = PythonSelfPlay(game, TableEvaluator(37), settings, seed=1)
    chosen = [record for numbers in ([3], [1, 2]) for record in self_play.play(numbers)]
    expected = played()
    assert sorted(chosen, key=lambda record: record.index) == expected[1:]
    assert self_play.counts.games == 3


def test_openings_and_quick_searches_are_there() -> None:
    records = played(
        "connect4", 30, opening_share=0.5, opening_plies=6, sims=12, fast_sims=3, full_share=0.3
    )
    drawn = [record.opening for record in records]
    assert 0 < sum(opening > 0 for opening in drawn) < 30
    assert max(drawn) <= 6
    plies = [ply for record in records for ply in record.plies]
    full = [ply for ply in plies if ply.is_full]
    assert 0.15 < len(full) / len(plies) < 0.45
    assert all(ply.sims <= 3 for ply in plies if not ply.is_full)


def test_who_resigned_is_known_whatever_the_order_of_movers() -> None:
    records = played("two each", 40, resign=-0.1, resign_check=0.5, opening_share=0)
    given_up = [record for record in records if record.is_resigned]
    played_on = [record for record in records if record.was_resigned_wrongly is not None]
    assert given_up
    assert played_on
    for record in given_up + played_on:
        position = TWO_EACH.position(record.moves[: record.resigned_at])
        assert record.resigner == position.mover
        assert GameRecord.from_bytes(record.to_bytes()) == record
        lost = record.outcome is (Outcome.second_wins, Outcome.first_wins)[position.mover]
        assert lost or record.was_resigned_wrongly
    assert any(record.resigner != record.resigned_at % 2 for record in given_up)


def test_self_play_can_be_stopped_and_left_early() -> None:
    game = tengen.game(OTHELLO)
    settings = SelfPlaySettings(**{**PUCT, "sims": 2})
    self_play = PythonSelfPlay(game, TableEvaluator(37), settings, seed=1)
    for record in self_play.play(range(10**6)):
        assert record.moves
        break
    seen = 0
    for _ in self_play.play(range(10**6)):
        seen += 1
        self_play.stop()
    assert 0 < seen <= settings.games
    assert list(self_play.play([])) == []


def test_an_error_of_the_evaluator_ends_self_play() -> None:
    class Broken(TableEvaluator):
        def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            raise RuntimeError("out of order")

    self_play = PythonSelfPlay(
        tengen.game(OTHELLO), Broken(37), SelfPlaySettings(**PUCT), seed=1, threads=2
    )
    with pytest.raises(RuntimeError, match="out of order"):
        list(self_play.play(range(5)))


def test_the_kind_of_self_play_follows_from_the_game() -> None:
    settings = SelfPlaySettings(**PUCT)
    for spec, kind in ((OTHELLO, PythonSelfPlay), ("connect4", SelfPlay)):
        game = tengen.game(spec)
        evaluator = TableEvaluator(game.move_count)
        self_play = self_play_of(game, evaluator, settings, seed=1, threads=2)
        assert type(self_play) is kind
        assert self_play.settings == settings
        [record] = self_play.play([7])
        assert record.index == 7


def test_what_has_no_meaning_is_refused() -> None:
    game = tengen.game(OTHELLO)
    for search, message in [
        (GuidedSettings(haste=0.3), "net.haste is 0.3; for othello6 it must be 0"),
        (GuidedSettings(share=True), "net.share is on; it needs keys, and othello6 has no keys"),
    ]:
        settings = SelfPlaySettings(**{**PUCT, "search": search})
        with pytest.raises(tengen.SpecError, match=message):
            self_play_of(game, TableEvaluator(37), settings, seed=1)
    with pytest.raises(tengen.SpecError, match="threads is 0; it must be at least 1"):
        self_play_of(game, TableEvaluator(37), SelfPlaySettings(**PUCT), seed=1, threads=0)
