"""UCT: the native search against the reference, what it must find, and how it behaves."""

import threading
from functools import cache
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tengen
from tengen import _core
from tengen.rules import AnyPosition, GridGame, Outcome, Position, ReferenceGame, Rules
from tengen.search import NativeUct, ReferenceUct, UctSettings
from tests.strategies import random_position, rules

uct_settings = st.builds(
    UctSettings,
    sims=st.integers(1, 150),
    c=st.sampled_from([0.0, 0.3, 1.0, 2.5]),
    total=st.sampled_from(["parent", "tree"]),
    rollout=st.sampled_from(["random", "tactical"]),
    weights=st.sampled_from(["uniform", "linear", "odd"]),
    reward=st.sampled_from([(1, 0, -1), (1, -1, -1), (2, 1, 0)]),
    decay=st.sampled_from([(1, 1), (0.9, 15), (0.5, 2)]),
    choose=st.sampled_from(["visits", "winrate", "ucb"]),
    proof=st.booleans(),
    reuse=st.booleans(),
)


@given(rules(largest=8, longest=5), uct_settings, st.integers(0, 2**64 - 1), st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_native_and_reference_search_build_the_same_tree(
    rule: Rules, config: UctSettings, seed: int, data: st.DataObject
) -> None:
    native, reference = NativeUct(config, seed=seed), None
    position = random_position(GridGame(rule), data, most=8)
    if position.is_over:
        return
    game = ReferenceGame(rule)
    mirror: AnyPosition = game.position(position.moves)
    reference = ReferenceUct(game, config, seed=seed)
    for _ in range(2):  # a second search tells whether both kept the same subtree
        native.place(position)
        reference.place(mirror)
        sims, seconds = config.sims or 0, float("inf")
        assert native.run(sims, seconds) == reference.run(sims, seconds)
        assert native.report() == reference.report()
        for move in native.report().pv[:2]:
            position, mirror = position.play(move), mirror.play(move)
        if position.is_over or not native.report().pv[1:]:
            break


def _wins_at_once(position: AnyPosition) -> set[int]:
    wins = (Outcome.first_wins, Outcome.second_wins)[position.mover]
    return {move for move in position.legal_moves if position.play(move).outcome is wins}


@given(rules(largest=10, longest=5), st.data())
@settings(max_examples=120, deadline=None)
def test_search_finds_every_win_in_one_and_block_in_one(rule: Rules, data: st.DataObject) -> None:
    game = GridGame(rule)
    position = random_position(game, data, most=40)
    if position.is_over:
        return
    decision = tengen.player("uct,sims=1500", game, seed=1).decide(position)
    wins = _wins_at_once(position)
    safe = {move for move in position.legal_moves if not _wins_at_once(position.play(move))}
    if wins:
        assert decision.move in wins
        assert (decision.value, decision.proven) == (1.0, True)
    elif safe:
        assert decision.move in safe
    else:
        assert (decision.value, decision.proven) == (-1.0, True)


def test_the_search_blocks_a_four_on_the_large_board() -> None:
    """An open three that has become four must be stopped at its one open end."""
    game = tengen.game("gomoku")
    position = game.position("h8 g8 i8 a1 j8 a2 k8")
    decision = tengen.player("uct,sims=20000", game, seed=5).decide(position)
    assert game.move_text(decision.move) == "l8"


def test_tic_tac_toe_is_proven_a_draw() -> None:
    game = tengen.game("tictactoe")
    decision = tengen.player("uct,sims=100000", game, seed=1).decide(game.position())
    assert decision.proven
    assert decision.value == 0.0
    assert decision.sims < 100_000


@pytest.mark.parametrize("spec", ["connect:3x3x3", "connect:3x4x3", "connect:4x3x3", "mnk:2x4x3"])
def test_small_boards_are_proven_as_brute_force_says(spec: str) -> None:
    game = tengen.game(spec)

    @cache
    def value(key: int) -> int:
        """For the mover."""
        assert isinstance(game, GridGame)
        position = Position(game, game.from_key(key))
        if position.outcome is Outcome.draw:
            return 0
        if position.is_over:
            return -1
        return max(-value(position.play(move).key) for move in position.legal_moves)

    decision = tengen.player("uct,sims=500000", game, seed=1).decide(game.position())
    assert decision.proven
    assert decision.value == value(game.position().key)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_same_seed_gives_the_same_decision(threads: int) -> None:
    game = tengen.game("connect4")
    spec = f"uct,sims=20001,threads={threads}"

    def visits(seed: int) -> dict[int, int]:
        player = tengen.player(spec, game, seed=seed)
        first = player.decide(game.position())
        assert first.sims == 20_001
        again = player.decide(game.position([first.move, first.pv[1]]))
        return {**first.visits, **{100 + m: n for m, n in again.visits.items()}}

    assert visits(1) == visits(1)
    assert visits(1) != visits(2)


def test_visits_policy_and_line_fit_together() -> None:
    game = tengen.game("connect4")
    decision = tengen.player("uct,sims=5000,proof=off", game, seed=1).decide(game.position("44"))
    assert sum(decision.visits.values()) == 5000 == decision.sims
    assert sum(decision.policy.values()) == pytest.approx(1)
    assert decision.move == max(decision.visits, key=lambda move: decision.visits[move])
    assert decision.pv[0] == decision.move
    game.position([3, 3, *decision.pv])  # the line can be played
    assert decision.value is not None
    assert -1 < decision.value < 1
    assert decision.win_rate == (decision.value + 1) / 2
    assert not decision.proven


@pytest.mark.parametrize("reward", ["1/0/-1", "2/1/0", "1/-1/-1", "10/5/0"])
def test_values_lie_between_minus_one_and_one_whatever_the_rewards(reward: str) -> None:
    game = tengen.game("connect4")
    spec = f"uct,sims=3000,reward={reward},decay=0.9/5,proof=off"
    value = tengen.player(spec, game, seed=1).decide(game.position()).value
    assert value is not None
    assert -1 <= value <= 1


def test_a_won_position_has_a_high_value_for_the_mover_and_a_low_one_for_the_other() -> None:
    game = tengen.game("connect4")
    spec = "uct,sims=3000,proof=off"
    to_win = tengen.player(spec, game, seed=1).decide(game.position("414141"))
    assert to_win.move == 3
    assert to_win.value is not None
    assert to_win.value > 0.9
    lost = tengen.player(spec, game, seed=1).decide(game.position("3 7 4 7 5"))
    assert lost.value is not None
    assert lost.value < -0.3


def test_decay_shrinks_what_long_playouts_are_worth() -> None:
    game = tengen.game("connect4")
    start = game.position("4")

    def size(decay: str) -> float:
        spec = f"uct,sims=4000,proof=off,decay={decay}"
        value = tengen.player(spec, game, seed=1).decide(start).value
        assert value is not None
        return abs(value)

    assert size("0.1/1") < size("0.9/5") < size("1/1")


def test_weights_take_part_where_no_rollout_is_named() -> None:
    game = tengen.game("gomoku")

    def visits(spec: str) -> object:
        return tengen.player(spec, game, seed=1).decide(game.position("h8")).visits

    assert visits("uct,sims=500,weights=odd") != visits("uct,sims=500,weights=linear")


def test_a_kept_subtree_makes_the_next_search_start_ahead() -> None:
    game = tengen.game("connect4")
    settings_ = UctSettings(sims=5000, proof=False)
    search = NativeUct(settings_, seed=1)
    search.place(game.position())
    search.run(5000, float("inf"))
    line = search.report().pv[:2]
    search.place(game.position(line))
    kept = sum(search.report().visits.values())
    assert kept > 100
    search.place(game.position([0, 0, 0]))  # not on from there: nothing to keep
    assert search.report().visits == {}


def test_the_tree_is_not_kept_for_the_other_side_when_rewards_differ() -> None:
    game = tengen.game("connect4")
    for reward, keeps in (((1, 0, -1), True), ((1, -1, -1), False)):
        search = NativeUct(UctSettings(sims=2000, proof=False, reward=reward), seed=1)
        search.place(game.position())
        search.run(2000, float("inf"))
        search.place(game.position([search.report().pv[0]]))
        assert bool(search.report().visits) == keeps


@pytest.mark.parametrize("threads", [1, 2])
def test_memory_stays_below_its_cap_and_the_search_goes_on(threads: int) -> None:
    start = GridGame(Rules(rows=15, cols=15, k=5)).start()
    config = UctSettings(memory=threads, proof=False, c=1, rollout="random").native()
    search = _core.Uct(start, config, threads=threads, seed=1)
    assert search.run(100_000, float("inf")) == 100_000
    report = search.report()
    assert report.bytes <= threads << 20
    assert report.visits == 100_000 == sum(stats.visits for stats in report.moves)
    assert report.nodes < 100_000


def test_a_search_without_memory_still_finds_what_matters() -> None:
    game = tengen.game("mnk:25x25x5")
    player = tengen.player("uct,sims=30000,memory=1,threads=4", game, seed=1)
    decision = player.decide(game.position("g8 h8 a1 i8 y25 j8 a25 k8"))
    assert game.move_text(decision.move) == "l8"
    assert sum(decision.visits.values()) == decision.sims


def test_memory_of_moves_not_played_is_used_again() -> None:
    game = tengen.game("connect4")
    player = tengen.player("uct,sims=20000,memory=1", game, seed=1)
    position: AnyPosition = game.position()
    while not position.is_over:
        decision = player.decide(position)
        assert decision.sims == 20_000 or decision.proven
        position = position.play(decision.move)


def test_another_thread_can_stop_a_search() -> None:
    game = tengen.game("gomoku")
    player = tengen.player("uct,time=1h", game, seed=1)
    threading.Timer(0.2, player.stop).start()
    decision = player.decide(game.position())
    assert decision.move in game.position().legal_moves
    assert decision.sims >= 1


def test_analysis_grows_until_it_is_stopped() -> None:
    game = tengen.game("connect4")
    player = tengen.player("uct,sims=10", game, seed=1)
    snapshots = list(islice(player.analyse(game.position()), 4))
    sims = [snapshot.sims for snapshot in snapshots]
    assert sims == sorted(sims)
    assert sims[0] < sims[-1]
    seen = 0
    for _ in player.analyse(game.position("4")):
        seen += 1
        player.stop()
    assert seen == 1


def test_a_stop_before_the_first_snapshot_counts() -> None:
    game = tengen.game("gomoku")
    player = tengen.player("uct", game, seed=1)
    snapshots = player.analyse(game.position())
    player.stop()
    assert len(list(snapshots)) == 1


def test_two_threads_cannot_use_one_search_at_once() -> None:
    config = UctSettings(c=1, rollout="random").native()
    search = _core.Uct(GridGame(Rules(rows=15, cols=15, k=5)).start(), config, threads=1, seed=1)
    thread = threading.Thread(target=search.run, args=(2**62, float("inf")))
    thread.start()
    with pytest.raises(tengen.TengenError, match="in use by another thread"):
        _ask_until_refused(search, thread)
    search.stop()
    thread.join()


def _ask_until_refused(search: _core.Uct, thread: threading.Thread) -> None:
    """The thread may not have come to its search yet."""
    while thread.is_alive():
        search.report()


def test_analysis_ends_when_the_result_is_certain() -> None:
    game = tengen.game("tictactoe")
    last = list(tengen.player("uct", game, seed=1).analyse(game.position()))[-1]
    assert (last.proven, last.value) == (True, 0.0)


def test_a_finished_game_has_no_move_to_decide() -> None:
    game = tengen.game("tictactoe")
    over = game.position("a1 a2 b1 b2 c1")
    for spec in ("uct", "random", "reflex"):
        with pytest.raises(tengen.IllegalMove, match="the game is over"):
            tengen.player(spec, game, seed=1).decide(over)


def test_time_ends_a_search_that_has_no_other_budget() -> None:
    game = tengen.game("gomoku")
    decision = tengen.player("uct,time=50ms", game, seed=1).decide(game.position())
    assert decision.sims >= 1


@pytest.mark.parametrize(
    "spec",
    ["mnk:25x25x7", "connect:25x25x4", "mnk:1x3x3", "connect:25x1x3", "mnk:3x25x3:blocked=a1"],
)
@pytest.mark.parametrize("rollout", ["random", "tactical", "reflex"])
def test_search_plays_on_extreme_boards(spec: str, rollout: str) -> None:
    game = tengen.game(spec)
    player = tengen.player(f"uct,sims=8,rollout={rollout}", game, seed=1)
    position: AnyPosition = game.position()
    while not position.is_over and len(position.moves) < 60:
        position = position.play(player.decide(position).move)
    assert position.is_over or len(position.moves) == 60
