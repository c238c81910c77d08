"""The exact solver with several threads: the same answers, the same limits."""

import _thread
import threading

import pytest

import tengen
from tengen import _core
from tengen.rules import GridGame
from tengen.solve import Solver
from tests.test_solver import FACTS, random_positions

#: Boards of every kind of solver. Random positions of them have at least eight stones.
BOARDS = [
    "connect4",
    "connect:4x5x4",
    "connect:5x5x4",
    "connect:5x6x4:blocked=c3",
    "connect:6x4x3:blocked=a1/d6",
    "connect:5x5x3:line=exact",
    "mnk:4x4x3",
    "mnk:4x4x4:blocked=b2",
    "mnk:4x5x4:line=blocked",
]


def grid_game(spec: str) -> GridGame:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    return game


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("spec", BOARDS)
def test_threads_answer_as_one_thread_does(spec: str, threads: int) -> None:
    game = grid_game(spec)
    one, several = Solver(game, book=False), Solver(game, book=False, threads=threads)
    for number, position in enumerate(random_positions(game, count=24)):
        if number % 2 == 0:
            several.clear()
        expected = one.solve(position)
        assert several.solve(position).scores == expected.scores
        assert several.score(position) == expected.score


@pytest.mark.parametrize("spec", ["tictactoe", "mnk:4x4x3", "mnk:4x4x4", "connect:5x5x4"])
def test_threads_solve_small_boards_from_the_start(spec: str) -> None:
    start = grid_game(spec).position()
    expected = tengen.solve(start)
    solver = Solver(start.game, threads=3)
    assert solver.solve(start).scores == expected.scores
    solver.clear()
    assert solver.score(start) == expected.score


@pytest.mark.parametrize("moves", FACTS)
def test_threads_find_the_known_facts(moves: str) -> None:
    """These are long enough for all threads to come in and for the table to grow."""
    game = tengen.game("connect4")
    position = game.position(moves)
    solver = Solver(game, book=False, threads=4)
    scores = solver.solve(position).scores
    assert [scores[move] for move in range(7)] == FACTS[moves]
    solver.clear()
    assert solver.score(position) == max(FACTS[moves])


def test_a_table_that_overflows_costs_no_exactness() -> None:
    game = tengen.game("connect4")
    solver = Solver(game, table_mb=1, book=False, threads=4)
    for moves, scores in FACTS.items():
        assert list(solver.solve(game.position(moves)).scores.values()) == scores


@pytest.mark.parametrize("spec", ["connect:5x6x4", "connect:5x6x4:blocked=c3"])
def test_threads_agree_on_two_words(spec: str) -> None:
    game = grid_game(spec)
    best = Solver(game, book=False)
    wide = _core.Solver(game.geometry, 1 << 22, threads=3, method=_core.SolveMethod.two_words)
    for position in [game.position("3 4 3"), *random_positions(game, count=30)]:
        found = wide.move_scores(position.state, float("inf"), 2**62)
        assert {move: low for move, low, _ in found} == best.solve(position).scores
        assert wide.score(position.state) == best.score(position)


def test_a_board_of_two_words_is_solved_by_threads() -> None:
    game = grid_game("connect:8x8x4")
    one, several = Solver(game), Solver(game, threads=2)
    late = [p for p in random_positions(game, count=60) if len(p.moves) >= 40]
    assert late
    for position in late:
        assert several.solve(position).scores == one.solve(position).scores


def test_threads_forget_as_often_as_they_are_told_to() -> None:
    """The table numbers its lives in a byte: it must not find those of a former round."""
    game = grid_game("connect:4x4x4")
    solver, start = Solver(game, table_mb=1, threads=2), game.position()
    score = solver.score(start)
    before = solver.nodes
    solver.clear()
    solver.score(start)
    fresh = solver.nodes - before
    for _ in range(600):
        solver.clear()
    before = solver.nodes
    assert solver.score(start) == score
    assert solver.nodes - before == fresh == before / 2 > 0
    assert solver.score(start) == score
    assert solver.nodes - before < 2 * fresh


def test_the_opening_book_is_for_all_threads() -> None:
    game = tengen.game("connect4")
    solver = Solver(game, threads=2)
    if solver.book is None:
        pytest.skip("needs the opening book: pip install 'tengen[web]'")
    scores = solver.solve(game.position()).scores
    assert [scores[move] for move in range(7)] == [-2, -1, 0, 1, 0, -1, -2]


@pytest.mark.parametrize("spec", ["connect:5x5x4", "mnk:4x4x4", "connect:6x6x4:blocked=a1"])
@pytest.mark.parametrize("threads", [2, 4])
def test_bounds_under_a_limit_enclose_the_truth(spec: str, threads: int) -> None:
    game = grid_game(spec)
    position = random_positions(game, count=1)[0]
    truth = Solver(game).solve(position)
    assert truth.score is not None
    for nodes in (1, 10, 100, 1000, 20_000, 50_000):
        found = Solver(game, threads=threads).solve(position, nodes=nodes)
        assert found.bounds.keys() == truth.scores.keys()
        for move, score in truth.scores.items():
            assert found.bounds[move].low <= score <= found.bounds[move].high
        bounds = Solver(game, threads=threads).bounds(position, nodes=nodes)
        assert bounds.low <= truth.score <= bounds.high


@pytest.mark.parametrize("nodes", [100, 5000, 200_000])
def test_a_limit_is_for_all_threads_together(nodes: int) -> None:
    game = tengen.game("connect4")
    solver = Solver(game, book=False, threads=4)
    solution = solver.solve(game.position("44"), nodes=nodes)
    assert not solution.is_complete
    assert nodes <= solution.nodes == solver.nodes < 1.5 * nodes


def test_a_limit_in_time_ends_all_threads() -> None:
    game = tengen.game("connect:9x7x4")
    solver = Solver(game, threads=3)
    assert not solver.solve(game.position(), seconds=0.05).is_complete
    assert not solver.bounds(game.position(), seconds=0.05).is_exact


def test_any_thread_may_stop_the_threads() -> None:
    game = tengen.game("connect:9x7x4")
    solver = Solver(game, threads=2)
    found = []
    search = threading.Thread(target=lambda: found.append(solver.solve(game.position())))
    search.start()
    while solver.nodes < 100_000:
        assert search.is_alive()
    solver.stop()
    search.join(timeout=60)
    assert not search.is_alive()
    assert not found[0].is_complete
    assert solver.score(game.position("1" * 9 + "2" * 9 + "3" * 9 + "5" * 9 + "6" * 9)) is not None


def test_an_interrupt_ends_all_threads() -> None:
    game = tengen.game("connect:9x7x4")
    solver = Solver(game, threads=2)
    done = threading.Event()

    def interrupt() -> None:
        while solver.nodes < 100_000 and not done.is_set():
            pass
        _thread.interrupt_main()

    other = threading.Thread(target=interrupt)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            solver.solve(game.position())
    finally:
        done.set()
        other.join()
    assert not solver.bounds(game.position(), nodes=1000).is_exact


@pytest.mark.parametrize("threads", [-1, 0, 257])
def test_a_number_of_threads_that_cannot_be_is_refused(threads: int) -> None:
    message = f"^threads is {threads}; it must be from 1 to 256$"
    with pytest.raises(tengen.SpecError, match=message):
        Solver(tengen.game("connect4"), threads=threads)
