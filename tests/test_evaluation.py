"""Labelled positions and the evaluation of players on them."""

import itertools
import json
import math
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import tengen
from tengen.arena import SHIPPED, Rate, evaluate, read_positions
from tengen.arena.generation import Request, canonical_key, draw_positions, wins_at_once
from tengen.arena.labelled import LabelledPosition, parse_position
from tengen.arena.workers import gathered
from tengen.rules import GridGame
from tengen.solve import Solver

GAME = tengen.game("connect:4x5x4")
REQUEST = Request("connect:4x5x4", 30, 4, 10, 3)


def labelled(count: int = 30) -> list[LabelledPosition]:
    solver = Solver(GAME)
    positions = list(draw_positions(REQUEST))[:count]
    return [LabelledPosition(p, solver.solve(p).scores) for p in positions]


def test_drawn_positions_differ_up_to_symmetry_and_have_no_win_at_once() -> None:
    positions = list(draw_positions(REQUEST))
    assert len(positions) == 30
    assert isinstance(GAME, GridGame)
    assert len({canonical_key(GAME, position) for position in positions}) == 30
    assert all(4 <= len(position.moves) <= 10 for position in positions)
    assert not any(position.is_over or wins_at_once(position) for position in positions)
    assert [p.moves for p in draw_positions(REQUEST)] == [p.moves for p in positions]


def test_a_board_with_too_few_positions_says_how_many_it_has() -> None:
    with pytest.raises(tengen.SpecError, match="has only 1 such positions"):
        list(draw_positions(Request("tictactoe", 50, 0, 0, 1)))


def test_positions_survive_a_file(tmp_path: Path) -> None:
    positions = labelled(5)
    file = tmp_path / "set.jsonl"
    file.write_text("".join(position.to_json() + "\n" for position in positions))
    again = read_positions(GAME, file)
    assert [p.scores for p in again] == [p.scores for p in positions]
    assert [p.position.moves for p in again] == [p.position.moves for p in positions]


def test_a_line_without_moves_is_read_by_its_board() -> None:
    line = json.loads(labelled(1)[0].to_json())
    del line["moves"], line["score"]
    assert parse_position(GAME, json.dumps(line)).position.moves == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("nonsense", "it is not JSON"),
        ("[1, 2]", "it is not a JSON object"),
        ({"board": [0] * 3}, "'board' must be a list of 20 whole numbers"),
        ({"board": [True] * 20}, "'board' must be a list of 20 whole numbers"),
        ({"board": [1] * 20}, "20 stones of the first player"),
        ({"move score": [0] * 5 + [1]}, "'move score' must be a list of 5"),
        ({"move score": [-99] * 5}, "has scores for moves []"),
        ({"score": 99}, "'score' is 99"),
        ({"moves": "1"}, "'moves' do not lead to 'board'"),
        ({"moves": "9"}, "column 9 is not on the board"),
        ({"board": None, "moves": None}, "'board' must be a list"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, change: object, message: str) -> None:
    lines = [position.to_json() for position in labelled(5)]
    if isinstance(change, dict):
        lines[3] = json.dumps({**json.loads(lines[3]), **change})
    else:
        lines[3] = str(change)
    file = tmp_path / "set.jsonl"
    file.write_text("\n".join(lines))
    with pytest.raises(tengen.SpecError) as error:
        read_positions(GAME, file)
    assert f"{file}, line 4: " in str(error.value)
    assert message in str(error.value)


def test_a_missing_or_empty_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(tengen.SpecError, match="No such file"):
        read_positions(GAME, tmp_path / "nothing")
    with pytest.raises(tengen.SpecError, match="Is a directory"):
        read_positions(GAME, tmp_path)
    (tmp_path / "empty").write_text("\n\n")
    with pytest.raises(tengen.SpecError, match="there are none"):
        read_positions(GAME, tmp_path / "empty")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(tengen.SpecError, match="it is not text"):
        read_positions(GAME, tmp_path / "binary")


def test_perfect_good_and_decisive_are_what_they_should_be() -> None:
    position = GAME.position("3")
    moves = position.legal_moves
    mixed = LabelledPosition(position, dict(zip(moves, [3, 1, 0, -2, 3], strict=True)))
    assert mixed.score == 3
    assert mixed.perfect_moves == {0, 4}
    assert mixed.good_moves == {0, 1, 4}
    assert mixed.is_decisive
    lost = LabelledPosition(position, dict(zip(moves, [-3, -1, -2, -2, -3], strict=True)))
    assert lost.perfect_moves == {1}
    assert lost.good_moves == set(moves)
    assert not lost.is_decisive


def test_the_solver_is_always_perfect_and_random_play_is_not() -> None:
    positions = labelled()
    best = evaluate(tengen.player("solver", GAME, seed=1), positions)
    assert best.total.perfect.rate == best.total.good.rate == 1.0
    assert best.decisive.good.rate == 1.0
    assert best.value_error == 0.0
    assert best.cross_entropy == pytest.approx(0)
    worse = evaluate(tengen.player("random", GAME, seed=1), positions)
    assert worse.total.perfect.rate is not None
    assert worse.total.perfect.rate < 0.9
    assert worse.value_error is None
    assert worse.cross_entropy is not None
    assert worse.cross_entropy > 0.1


def test_the_parts_of_an_evaluation_add_up() -> None:
    seen: list[int] = []
    result = evaluate(
        tengen.player("uct,sims=50", GAME, seed=1),
        labelled(),
        on_answer=lambda answer: seen.append(answer.decision.move),
    )
    assert len(seen) == 30
    assert sum(group.perfect.hits for group in result.by_ply.values()) == result.total.perfect.hits
    assert sum(group.good.count for group in result.by_result.values()) == 30
    document = result.as_dict()
    assert list(document) == [
        "count",
        "perfect",
        "good",
        "decisive",
        "by_ply",
        "by_result",
        "seconds_per_move",
        "cross_entropy",
        "value_error",
    ]
    json.dumps(document)


def test_answers_of_several_threads_come_to_the_callers_own() -> None:
    seen: list[tuple[int, int]] = []
    first, *twins = (tengen.player("uct,sims=50", GAME, seed=1) for _ in range(3))
    evaluate(
        first,
        labelled(),
        twins=twins,
        on_answer=lambda answer: seen.append((answer.decision.move, threading.get_ident())),
    )
    assert len(seen) == 30
    assert {thread for _, thread in seen} == {threading.get_ident()}


def test_work_on_threads_ends_when_one_of_them_fails() -> None:
    def work(number: int) -> Iterator[int]:
        if number == 1:
            raise tengen.TengenError("it failed")
        yield from itertools.count()

    with pytest.raises(tengen.TengenError, match="it failed"):
        deque(gathered(work, 3), maxlen=0)


def test_work_on_threads_ends_when_nobody_wants_more() -> None:
    ended: list[int] = []

    def work(number: int) -> Iterator[int]:
        try:
            yield from itertools.count()
        finally:
            ended.append(number)

    with closing(gathered(work, 2)) as found:
        next(found)
    assert sorted(ended) == [0, 1]


def test_the_interval_is_wilsons() -> None:
    low, high = Rate(8, 10).interval or (0, 0)
    assert low == pytest.approx(0.4902, abs=1e-4)
    assert high == pytest.approx(0.9433, abs=1e-4)
    assert Rate(0, 0).rate is None
    assert Rate(0, 0).interval is None
    low, high = Rate(5, 5).interval or (0, 0)
    assert 0.5 < low < 1
    assert math.isclose(high, 1.0)


def test_a_python_game_with_labels_can_be_evaluated(tmp_path: Path) -> None:
    game = tengen.game("examples/othello.py:Othello6")
    position = game.position("c5")
    scores = {move: number - 1 for number, move in enumerate(position.legal_moves)}
    file = tmp_path / "othello.jsonl"
    file.write_text(LabelledPosition(position, scores).to_json() + "\n")
    result = evaluate(tengen.player("uct,sims=5", game, seed=1), read_positions(game, file))
    assert result.total.perfect.count == 1


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_set_is_right_on_a_sample(name: str) -> None:
    game = tengen.game(SHIPPED[name])
    assert isinstance(game, GridGame)
    positions = read_positions(game, name)
    assert len({canonical_key(game, p.position) for p in positions}) == len(positions)
    assert not any(wins_at_once(p.position) for p in positions)
    solver = Solver(game, book=False)
    late = sorted(positions, key=lambda p: -p.stones)[:15]
    for labelled_position in late:
        assert solver.solve(labelled_position.position).scores == labelled_position.scores


def test_the_sets_for_choosing_and_judging_are_disjoint() -> None:
    game = tengen.game("connect4")
    assert isinstance(game, GridGame)
    keys = [
        {canonical_key(game, p.position) for p in read_positions(game, name)}
        for name in ("connect4-select", "connect4-judge")
    ]
    assert len(keys[0]) == len(keys[1]) == 1000
    assert not keys[0] & keys[1]
