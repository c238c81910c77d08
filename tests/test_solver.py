"""The exact solver: against brute force, against itself, and against known facts."""

import random
from functools import cache

import pytest

import tengen
from tengen import _core
from tengen.rules import AnyPosition, GridGame, Outcome, Position, Rules
from tengen.solve import Bounds, Result, Solver, plies_to_end

#: Boards of every kind. Brute force takes them on where few cells are left.
SMALL = [
    "tictactoe",
    "mnk:3x4x3",
    "mnk:2x5x3",
    "mnk:1x7x4",
    "mnk:5x5x4",
    "mnk:3x3x3:blocked=b2",
    "mnk:3x4x3:line=exact",
    "mnk:3x4x3:line=blocked:blocked=a1",
    "mnk:2x6x3:line=blocked-free",
    "connect:3x3x3",
    "connect:4x3x3",
    "connect:3x5x4",
    "connect:4x4x3",
    "connect:4x4x4:blocked=b2",
    "connect:3x5x3:blocked=c1/d3",
    "connect:2x7x5",
    "connect:5x3x5",
    "connect:3x4x3:line=exact",
    "connect:1x9x3",
    "connect:6x7x4",
    "connect:8x8x4",
    "connect:9x9x5:blocked=e5",
]
FEW = 8


class BruteForce:
    """Plain minimax with the definition of the score."""

    def __init__(self, game: GridGame) -> None:
        self._game = game
        self._playable = game.rows * game.cols - len(game.rules.blocked)
        self.score = cache(self._score)

    def _score(self, key: int) -> int:
        position = Position(self._game, self._game.from_key(key))
        return max(self.move_scores(position).values())

    def move_scores(self, position: AnyPosition) -> dict[int, int]:
        scores = {}
        for move in position.legal_moves:
            child = position.play(move)
            if child.outcome is Outcome.draw:
                scores[move] = 0
            elif child.is_over:
                scores[move] = (self._playable + 1 - position.state.stones) // 2
            else:
                scores[move] = -self.score(child.key)
        return scores


@pytest.mark.parametrize("spec", SMALL)
def test_the_solver_agrees_with_brute_force(spec: str) -> None:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    brute, solver, checked = BruteForce(game), Solver(game, book=False), 0
    for seed in range(30):
        position = random_ending(game, seed)
        if position is None:
            continue
        checked += 1
        expected = brute.move_scores(position)
        solution = solver.solve(position)
        assert solution.scores == expected
        assert solution.score == max(expected.values()) == solver.score(position)
        assert solution.is_complete
    assert checked > 0


def random_ending(game: GridGame, seed: int) -> AnyPosition | None:
    """A position of random play with few cells left, if it comes to that."""
    chance = random.Random(seed)
    position: AnyPosition = game.position()
    playable = game.rows * game.cols - len(game.rules.blocked)
    while playable - len(position.moves) > FEW and not position.is_over:
        moves = [m for m in position.legal_moves if not position.play(m).is_over]
        position = position.play(chance.choice(moves or position.legal_moves))
    return None if position.is_over else position


@pytest.mark.parametrize("spec", ["tictactoe", "connect:3x3x3", "mnk:3x3x3:blocked=b2"])
def test_small_boards_are_solved_from_the_start_as_by_brute_force(spec: str) -> None:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    start = game.position()
    assert Solver(game).solve(start).scores == BruteForce(game).move_scores(start)


@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        ("connect4", "77373141"),
        ("connect:5x5x4", "3 2"),
        ("connect:5x5x4:blocked=c1", "2 2 3"),
        ("connect:4x6x3", "2"),
        ("mnk:4x4x4", "b2 c3 b3"),
    ],
)
def test_symmetric_positions_have_equal_scores(spec: str, moves: str) -> None:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    position = game.position(moves)
    scores = Solver(game).solve(position).scores
    for symmetry in game.symmetries:
        image = game.position([symmetry[move] for move in position.moves])
        found = Solver(game).solve(image).scores
        assert found == {symmetry[move]: score for move, score in scores.items()}


def test_a_score_is_the_best_of_the_moves_negated() -> None:
    game = tengen.game("connect:5x6x4")
    position = game.position("3 4 3")
    solver = Solver(game)
    solution = solver.solve(position)
    assert solver.score(position) == max(solution.scores.values()) == solution.score
    for move, score in solution.scores.items():
        assert score == -Solver(game).score(position.play(move))


#: Computed by this solver; another one agreed when they were stored.
FACTS: dict[str, list[int]] = {
    "51521624": [-17, -17, 2, -17, -17, -17, -17],
    "35374156": [4, 4, 13, 13, 8, 9, 4],
    "77373141": [4, 4, 15, 10, 16, 8, 8],
    "65136332": [-17, -17, -17, 2, -17, -17, -17],
    "26537346": [-11, -10, -4, -5, -9, -4, -11],
    "44663433": [16, 16, -7, -8, 17, -8, -9],
}


@pytest.mark.parametrize("moves", FACTS)
def test_known_facts_of_connect_four_after_eight_plies(moves: str) -> None:
    game = tengen.game("connect4")
    scores = Solver(game, book=False).solve(game.position(moves)).scores
    assert [scores[move] for move in range(7)] == FACTS[moves]


def test_the_empty_board_of_connect_four() -> None:
    game = tengen.game("connect4")
    solver = Solver(game)
    if solver.book is None:
        pytest.skip("needs the opening book: pip install 'tengen[web]'")
    solution = solver.solve(game.position())
    assert [solution.scores[move] for move in range(7)] == [-2, -1, 0, 1, 0, -1, -2]
    assert (solution.result, solution.plies, solution.best_moves) == (Result.win, 41, (3,))


def test_tic_tac_toe_is_a_draw_and_mnk_4_4_3_is_not() -> None:
    draw = tengen.solve(tengen.game("tictactoe").position())
    assert (draw.score, draw.result, draw.plies) == (0, Result.draw, 9)
    assert set(draw.scores.values()) == {0}
    won = tengen.solve(tengen.game("mnk:4x4x3").position())
    assert won.result is Result.win
    assert won.plies == 5


@pytest.mark.parametrize(
    ("score", "stones", "plies"),
    [(18, 6, 1), (18, 5, 3), (-18, 6, 2), (1, 40, 1), (1, 0, 41), (-1, 0, 42), (0, 10, 32)],
)
def test_a_score_tells_the_plies_to_the_end(score: int, stones: int, plies: int) -> None:
    assert plies_to_end(score, stones, 42) == plies


def test_a_win_at_once_is_scored_by_the_stones_on_the_board() -> None:
    game = tengen.game("connect4")
    solution = tengen.solve(game.position("414141"))
    assert solution.scores[3] == 18 == solution.score
    assert solution.best_moves == (3,)
    assert (solution.result, solution.plies) == (Result.win, 1)


def test_a_limit_gives_proven_bounds_and_says_so() -> None:
    game = tengen.game("connect4")
    solver = Solver(game, book=False)
    solution = solver.solve(game.position("44"), nodes=5000)
    assert not solution.is_complete
    assert solution.nodes <= 6000
    bounds = solver.bounds(game.position("44"), nodes=1000)
    assert not bounds.is_exact
    assert all(b.low <= b.high for b in solution.bounds.values())
    assert solution.score_bounds.low <= solution.score_bounds.high


def test_bounds_under_a_limit_enclose_the_truth() -> None:
    game = tengen.game("connect:5x5x4")
    truth = Solver(game).solve(game.position("3")).scores
    for nodes in (1, 10, 100, 1000, 10_000):
        found = Solver(game).solve(game.position("3"), nodes=nodes).bounds
        assert all(found[move].low <= score <= found[move].high for move, score in truth.items())


def test_a_limit_in_time_ends_the_search() -> None:
    game = tengen.game("connect:9x7x4")
    solution = Solver(game).solve(game.position(), seconds=0.05)
    assert not solution.is_complete


def test_clear_forgets_and_nodes_count() -> None:
    game = tengen.game("connect:4x5x4")
    solver = Solver(game, table_mb=1)
    solver.score(game.position())
    first = solver.nodes
    assert first > 0
    solver.score(game.position())
    again = solver.nodes - first
    solver.clear()
    before = solver.nodes
    solver.score(game.position())
    assert again < solver.nodes - before == first


@pytest.mark.parametrize(
    "spec",
    [
        "connect:4x4x3",
        "connect:4x5x4",
        "connect:5x5x4",
        "connect:5x6x4:blocked=c3",
        "connect:3x8x5",
        "connect:6x4x3:blocked=a1/d6",
        "connect:5x4x5",
    ],
)
@pytest.mark.parametrize("method", ["two_words", "general"])
def test_the_solvers_agree_where_more_than_one_fits(spec: str, method: str) -> None:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    best = Solver(game, book=False)
    other = _core.Solver(game.geometry, 1 << 20, method=getattr(_core.SolveMethod, method))
    for position in random_positions(game, count=60):
        assert other.score(position.state) == best.score(position)
        found = other.move_scores(position.state, float("inf"), 2**62)
        assert {move: low for move, low, _ in found} == best.solve(position).scores


def random_positions(game: GridGame, *, count: int) -> list[AnyPosition]:
    """Unfinished positions of random games with at least eight stones."""
    found: list[AnyPosition] = []
    chance = random.Random(1)
    while len(found) < count:
        position: AnyPosition = game.position()
        for _ in range(chance.randint(8, game.rows * game.cols)):
            if not position.is_over:
                position = position.play(chance.choice(position.legal_moves))
        if not position.is_over:
            found.append(position)
    return found


@pytest.mark.parametrize(
    "spec", ["gomoku", "mnk:6x6x4", "connect:12x12x4", "connect:6x7x4:line=exact"]
)
def test_a_board_that_is_too_large_is_refused(spec: str) -> None:
    with pytest.raises(tengen.TengenError, match="can be solved"):
        Solver(tengen.game(spec))


def test_what_cannot_be_solved_is_refused() -> None:
    game = tengen.game("connect4")
    solver = Solver(game, table_mb=1)
    with pytest.raises(tengen.IllegalMove, match="the game is over"):
        solver.solve(game.position("1212121"))
    with pytest.raises(tengen.SpecError, match="this solver is for connect4, not tictactoe"):
        solver.solve(tengen.game("tictactoe").position())
    with pytest.raises(tengen.SpecError, match="k-in-a-row games, not othello6"):
        Solver(tengen.game("examples/othello.py:Othello6"))
    with pytest.raises(tengen.SpecError, match="table_mb is 0"):
        Solver(game, table_mb=0)


def test_the_solver_as_a_player_plays_perfectly_and_varies_by_seed() -> None:
    game = tengen.game("mnk:3x3x3")
    moves = {tengen.player("solver", game, seed=s).decide(game.position()).move for s in range(40)}
    assert len(moves) > 3
    decision = tengen.player("solver", game, seed=1).decide(game.position("a1 b3 a2"))
    assert decision.proven
    assert game.move_text(decision.move) == "a3"
    first = tengen.player("solver", game, seed=1)
    second = tengen.player("uct,sims=200", game, seed=2)
    for seats in ((first, second), (second, first)):
        position: AnyPosition = game.position()
        while not position.is_over:
            position = position.play(seats[position.mover].decide(position).move)
        lost = Outcome.second_wins if seats[0] is first else Outcome.first_wins
        assert position.outcome is not lost


def test_bounds_know_when_they_are_exact() -> None:
    assert Bounds(1, 1).is_exact
    assert not Bounds(0, 1).is_exact


def test_rules_with_many_symmetries_and_blocked_cells_are_solved() -> None:
    game = GridGame(Rules(rows=4, cols=4, k=4, blocked=(5, 6, 9, 10)))
    assert tengen.solve(game.position()).score is not None
