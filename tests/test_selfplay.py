"""Self-play: the same games whatever the number of threads, and records that round-trip."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tengen
from tengen.rules import GridGame, Outcome
from tengen.search import GuidedSettings
from tengen.selfplay import GameRecord, SelfPlay, SelfPlaySettings
from tests.evaluators import TableEvaluator, moves_of

PUCT: dict[str, Any] = {"sims": 12, "games": 8}
GUMBEL: dict[str, Any] = {**PUCT, "search": GuidedSettings(search="gumbel", m=4)}


def played(
    spec: str = "connect4", count: int = 12, threads: int = 1, seed: int = 1, **settings: Any
) -> list[GameRecord]:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    self_play = SelfPlay(
        game,
        TableEvaluator(moves_of(game)),
        SelfPlaySettings(**{**PUCT, **settings}),
        seed=seed,
        threads=threads,
    )
    records = sorted(self_play.play(range(count)), key=lambda record: record.index)
    assert self_play.counts.games == count == len(records)
    unseen = sum(record.is_resigned for record in records)  # whose last search has no ply
    if self_play.settings.known_share < 1:
        unseen += 20 * count  # nor have openings that were drawn anew
    searched = sum(ply.sims for record in records for ply in record.plies)
    assert 0 <= self_play.counts.sims - searched <= unseen * self_play.settings.sims
    return records


@pytest.mark.parametrize("settings", [PUCT, GUMBEL, {**PUCT, "reuse": True}])
def test_games_depend_on_nothing_but_seed_and_number(settings: dict[str, Any]) -> None:
    expected = played(**settings)
    assert played(threads=2, **settings) == expected
    assert played(threads=3, **{**settings, "games": 5, "cache": 0}) == expected
    assert played(count=20, **settings)[:12] == expected
    assert played(seed=2, **settings) != expected
    assert len({record.moves for record in expected}) > len(expected) / 2


@pytest.mark.parametrize("spec", ["connect4", "mnk:9x9x5"])
def test_without_a_network_searches_roll_out(spec: str) -> None:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)

    def played_alone(threads: int, games: int) -> list[GameRecord]:
        settings = SelfPlaySettings(sims=60, games=games, epsilon=0.0, tau=((0, 0.0),))
        self_play = SelfPlay(game, None, settings, seed=1, threads=threads)
        records = sorted(self_play.play(range(8)), key=lambda record: record.index)
        assert self_play.counts.evaluations == 0
        return records

    expected = played_alone(1, 8)
    assert played_alone(3, 5) == expected
    for record in expected:
        assert game.position(record.moves).outcome is record.outcome
        assert all(ply.sims <= 60 for ply in record.plies)
    values = {ply.value for record in expected for ply in record.plies}
    assert len(values) > len(expected), "rollouts say who is ahead"


def test_games_can_be_played_out_of_turn() -> None:
    game = tengen.game("connect4")
    assert isinstance(game, GridGame)
    self_play = SelfPlay(game, TableEvaluator(7), SelfPlaySettings(**PUCT), seed=1)
    chosen = sorted(self_play.play([7, 3, 11]), key=lambda record: record.index)
    assert chosen == [record for record in played() if record.index in (3, 7, 11)]


@pytest.mark.parametrize("spec", ["tictactoe", "connect4", "mnk:9x9x5", "connect:4x5x3:blocked=b2"])
@pytest.mark.parametrize("settings", [PUCT, GUMBEL])
def test_records_are_games_by_the_rules(spec: str, settings: dict[str, Any]) -> None:
    game = tengen.game(spec)
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


def test_records_survive_being_written() -> None:
    for record in played("mnk:5x5x4", stray_share=0.3, **GUMBEL):
        assert GameRecord.from_bytes(record.to_bytes()) == record


def test_what_is_no_record_is_refused() -> None:
    whole = played(count=1)[0].to_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    for broken in (
        b"",
        bytes(flipped),
        b"nonsense" * 9,
        whole[:-1],
        whole + b"x",
        whole[:40],
        b"XXXX" + whole[4:],
    ):
        with pytest.raises(tengen.TengenError, match="no game record"):
            GameRecord.from_bytes(broken)


def test_openings_are_drawn_and_not_searched() -> None:
    records = played(count=40, opening_share=0.5, opening_plies=6)
    drawn = [record.opening for record in records]
    assert 0 < sum(opening > 0 for opening in drawn) < 40
    assert max(drawn) <= 6
    assert all(record.opening == 0 for record in played(opening_share=0))


def test_openings_that_are_decided_can_be_drawn_anew() -> None:
    known = {
        share: sum(
            record.plies[0].proof != "open"
            for record in played(count=60, opening_share=1, opening_plies=30, known_share=share)
        )
        for share in (1.0, 0.5, 0.0)
    }
    assert known[1.0] > known[0.5] > known[0.0] == 0
    # Where every opening is decided, one of them is taken in the end.
    tiny = {"opening_share": 1, "opening_plies": 4, "known_share": 0, "sims": 300}
    for record in played("mnk:3x2x3", count=3, **tiny):
        assert record.outcome is not Outcome.ongoing


def test_strays_are_marked_and_what_follows_counts() -> None:
    records = played(count=40, stray_share=0.2)
    plies = [ply for record in records for ply in record.plies]
    assert 0.1 < sum(ply.is_stray for ply in plies) / len(plies) < 0.3
    for record in records:
        later = record.plies[record.played_out - record.opening :]
        assert not any(ply.is_stray for ply in later)
        assert record.played_out in (record.opening, len(record.moves) - len(later))
    assert all(record.played_out == record.opening for record in played())


def test_quick_searches_are_marked_and_cheaper() -> None:
    plies = [
        ply
        for record in played(count=20, sims=24, fast_sims=4, full_share=0.3)
        for ply in record.plies
    ]
    full = [ply for ply in plies if ply.is_full]
    assert 0.15 < len(full) / len(plies) < 0.45
    assert all(ply.sims <= 4 for ply in plies if not ply.is_full)
    assert any(ply.sims == 24 for ply in full)


def test_resigning_ends_games_and_is_checked() -> None:
    records = played(count=60, resign=-0.1, resign_check=0.5)
    given_up = [record for record in records if record.is_resigned]
    played_on = [record for record in records if record.was_resigned_wrongly is not None]
    assert given_up
    assert played_on
    for record in given_up:
        loser_is_first = len(record.moves) % 2 == 0
        assert record.outcome is (Outcome.second_wins if loser_is_first else Outcome.first_wins)
        assert record.resigned_at == len(record.moves)
    wrong = [record for record in played_on if record.was_resigned_wrongly]
    assert wrong, "values that mean nothing make for wrong resignations"
    assert all(record.resigned_at == -1 for record in played(resign=None))


def test_forced_visits_leave_the_target_where_nothing_warrants_them() -> None:
    plain = played(count=8, epsilon=0.5, sims=40)
    pruned = played(count=8, epsilon=0.5, sims=40, forced=2.0)
    moves = [
        np.mean([len(p.target) for r in records for p in r.plies]) for records in (plain, pruned)
    ]
    assert moves[0] != moves[1]


def test_noise_is_there_only_when_asked_for() -> None:
    quiet: dict[str, Any] = {"opening_share": 0, "tau": ((0, 0.0),), "epsilon": 0}
    assert len({record.moves for record in played(**quiet)}) == 1
    assert len({record.moves for record in played(**{**quiet, "epsilon": 0.5})}) > 1
    silent = {**GUMBEL, **quiet, "gumbel": False}
    assert len({record.moves for record in played(**silent)}) == 1


def test_an_error_of_the_evaluator_ends_self_play() -> None:
    class Broken(TableEvaluator):
        def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            raise RuntimeError("out of order")

    game = tengen.game("connect4")
    assert isinstance(game, GridGame)
    self_play = SelfPlay(game, Broken(7), SelfPlaySettings(**PUCT), seed=1, threads=2)
    with pytest.raises(RuntimeError, match="out of order"):
        list(self_play.play(range(5)))


def test_self_play_can_be_left_early() -> None:
    game = tengen.game("connect4")
    assert isinstance(game, GridGame)
    self_play = SelfPlay(game, TableEvaluator(7), SelfPlaySettings(**PUCT), seed=1, threads=2)
    for record in self_play.play(range(10**6)):
        assert record.moves
        break


def test_a_program_may_end_in_the_middle_of_self_play() -> None:
    program = """
import tengen
from tengen.selfplay import SelfPlay, SelfPlaySettings

settings = SelfPlaySettings(sims=50, games=64)
games = SelfPlay(tengen.game("connect4"), None, settings, seed=1, threads=2).play(range(10**6))
next(games)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_two_interruptions_do_not_leave_threads_behind() -> None:
    """Python waits at its end for those that it takes to be alive."""
    program = '''
import os, signal, threading
import numpy as np
import tengen
from tengen.selfplay import SelfPlay, SelfPlaySettings

class Patient:
    has_value, planes = True, ("mover", "opponent")
    is_free = threading.Event()
    def evaluate(self, planes):
        # Again and again: a signal that comes just before a thread begins to wait does not wake it.
        while not self.is_free.wait(0.01):
            os.kill(os.getpid(), signal.SIGINT)
        return np.zeros((len(planes), 7), np.float32), np.zeros(len(planes), np.float32)

interruptions = []
def interrupt(*_):
    """Once in the middle of play, and once when the end of the thread is waited for."""
    if len(interruptions) == self_play._workers[0].stopped:
        interruptions.append(1)
        raise KeyboardInterrupt

signal.signal(signal.SIGINT, interrupt)
settings = SelfPlaySettings(sims=2, games=2)
self_play = SelfPlay(tengen.game("connect4"), Patient(), settings, seed=1)
try:
    next(self_play.play(range(2)))
except KeyboardInterrupt:
    print(len(interruptions), self_play._workers[0].thread.is_alive())
Patient.is_free.set()
'''
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "2 True\n", "")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sims": 0}, "at least 1"),
        ({"full_share": 0.5}, "needs fast_sims"),
        ({"tau": "30:0/0:1"}, "ascending"),
        ({"nonsense": 1}, "no key"),
        ({"search": {"sims": 900}}, "search.sims has no meaning in self-play"),
    ],
)
def test_bad_settings_are_one_sentence(values: dict[str, Any], message: str) -> None:
    with pytest.raises(tengen.SpecError, match=message):
        SelfPlaySettings.read(values, where="selfplay")
