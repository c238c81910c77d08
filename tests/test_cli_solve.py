"""``tengen solve``, ``positions`` and ``evaluate`` as a program sees them."""

import json
from pathlib import Path

import pytest

from tests.commands import run

SMALL = ["connect:4x5x4", "--count", "12", "--plies", "4-10", "--seed", "3", "--workers", "1"]


def test_solve_shows_scores_best_moves_and_result() -> None:
    text = run("solve", "connect4", "44663433").stdout
    assert "score 16 16 -7 -8 17 -8 -9" in " ".join(text.split())
    assert "X to move: win at once, best 5" in text
    assert "nodes in" in text


def test_solve_as_json_has_the_documented_fields() -> None:
    document = json.loads(run("solve", "tictactoe", "a1 a2", "--json").stdout)
    assert list(document) == [
        "game",
        "moves",
        "scores",
        "bounds",
        "score",
        "best",
        "result",
        "plies",
        "complete",
        "nodes",
        "seconds",
    ]
    assert document["moves"] == ["a1", "a2"]
    assert document["result"] == "win"
    assert document["plies"] == 5


def test_solve_with_threads_answers_the_same() -> None:
    one = json.loads(run("solve", "connect:4x5x4", "33", "--json").stdout)
    two = json.loads(run("solve", "connect:4x5x4", "33", "--threads", "2", "--json").stdout)
    assert list(two) == list(one)
    for field in set(one) - {"nodes", "seconds"}:
        assert two[field] == one[field]


def test_solve_reads_positions_line_by_line() -> None:
    result = run("solve", "connect:4x4x4", "-", "--json", stdin="1\n11\n\n")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["moves"] for answer in answers] == [["1"], ["1", "1"], []]


def test_a_broken_line_keeps_the_answers_before_it() -> None:
    result = run("solve", "connect:4x4x4", "-", "--json", stdin="1\n19\n2\n")
    assert result.returncode == 2
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr.startswith("tengen: line 2: position '19': move 2: column 9")


def test_a_limit_is_told() -> None:
    result = run("solve", "connect4", "--no-book", "--nodes", "5000")
    assert "limit reached" in result.stdout
    assert "X to move scores from" in result.stdout
    document = json.loads(run("solve", "connect:9x7x4", "--time", "50ms", "--json").stdout)
    assert document["complete"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "gomoku"], "without gravity"),
        (["solve", "connect:12x12x4"], "can be solved"),
        (["solve", "connect4", "12121212"], "the game is over"),
        (["solve", "connect4", "1212121"], "the game is over; there is nothing to solve"),
        (["solve", "connect4", "--time", "soon"], "--time is soon; it must be a duration"),
        (["solve", "connect4", "--time", "0s"], "--time is 0s; it must be more than 0"),
        (["solve", "connect4", "--table-mb", "0"], "table_mb is 0"),
        (["solve", "connect4", "--threads", "0"], "threads is 0; it must be from 1 to 256"),
        (["solve", "examples/othello.py:Othello6"], "k-in-a-row games, not othello6"),
        (["evaluate", "gomoku", "random"], "no labelled positions of gomoku are shipped"),
        (["evaluate", "connect4", "wizard"], "'wizard' is not known"),
        (["evaluate", "connect4", "random", "--positions", "nothing"], "No such file"),
        (["positions", "gomoku", "--out", "x.jsonl"], "can be solved"),
        (["positions", "connect4", "--plies", "9-3", "--out", "x.jsonl"], "write them as in 8-20"),
        (["positions", "connect4", "--plies", "x", "--out", "x.jsonl"], "write it as in 8-20"),
        (["positions", "connect4", "--count", "0", "--out", "x.jsonl"], "count is 0"),
        (["positions", "connect4", "--out", "/nowhere/x"], "folder /nowhere does not exist"),
        (["positions", "connect4", "--out", "README.md"], "README.md exists already"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not Path("x.jsonl").exists()
    assert not Path("x.jsonl.part").exists()


def test_a_set_is_the_same_however_often_it_was_interrupted(tmp_path: Path) -> None:
    whole, resumed = tmp_path / "whole.jsonl", tmp_path / "resumed.jsonl"
    assert run("positions", *SMALL, "--out", str(whole)).returncode == 0
    text = whole.read_text()
    assert len(text.splitlines()) == 12
    part = tmp_path / "resumed.jsonl.part"
    part.write_text(text[: len(text) // 2])  # ends in the middle of a line
    assert run("positions", *SMALL, "--out", str(resumed)).returncode == 0
    assert resumed.read_text() == text
    assert not part.exists()


def test_an_unfinished_set_of_something_else_is_not_touched(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    run("positions", *SMALL, "--out", str(whole))
    part = tmp_path / "other.jsonl.part"
    part.write_text(whole.read_text())
    other = [*SMALL[:-3], "4", *SMALL[-2:]]  # another seed
    result = run("positions", *other, "--out", str(tmp_path / "other.jsonl"))
    assert result.returncode == 2
    assert "is of another set" in result.stderr
    assert part.read_text() == whole.read_text()


def test_avoided_positions_do_not_come_again(tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    run("positions", *SMALL, "--out", str(first))
    run("positions", *SMALL, "--avoid", str(first), "--out", str(second))
    boards = [
        {str(json.loads(line)["board"]) for line in file.read_text().splitlines()}
        for file in (first, second)
    ]
    assert len(boards[1]) == 12
    assert not boards[0] & boards[1]


def test_evaluate_prints_a_table_or_json() -> None:
    table = run("evaluate", "connect4", "reflex", "--first", "50").stdout
    assert "reflex on 50 positions of connect4, connect4-judge" in table
    assert "decisive" in table
    assert "ms a move" in table
    arguments = ["evaluate", "connect4", "uct,sims=50", "--first", "20", "--json"]
    document = json.loads(run(*arguments).stdout)
    assert list(document)[:3] == ["game", "player", "positions"]
    assert list(document["perfect"]) == ["rate", "low", "high"]
    assert list(document["decisive"]) == ["count", "perfect", "good"]
    repeated = json.loads(run(*arguments).stdout)
    assert repeated["perfect"] == document["perfect"]


def test_a_file_with_a_broken_line_says_which(tmp_path: Path) -> None:
    source = Path("src/tengen/data/connect4-select.jsonl").read_text().splitlines()[:60]
    source[36] = source[36][:40]
    file = tmp_path / "broken.jsonl"
    file.write_text("\n".join(source))
    result = run("evaluate", "connect4", "random", "--positions", str(file))
    assert result.returncode == 2
    assert "line 37: it is not JSON" in result.stderr
    assert result.stdout == ""
