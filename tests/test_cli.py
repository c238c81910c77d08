"""The command line as a program sees it: exit codes, one line of error, JSON."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tengen.cli.app import app
from tengen.rules import NAMED
from tests.commands import TENGEN, run, run_program


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["play", "chess"], "it is not known"),
        (["play", "connect:0x7x4"], "rows is 0"),
        (["play", "mnk:3x3x9"], "k is 9"),
        (["play", "mnk:26x26x5"], "rows is 26"),
        (["play", "connect4", "--moves", "4444444"], "move 7: column 4 is full"),
        (["play", "gomoku", "--moves", "h8 h8"], "move 2: h8 is taken"),
        (["play", "connect4", "--moves", "12121212"], "move 8: the game is over"),
        (["play", "connect4", "--moves", "hello"], "is not a column"),
        (["play", "connect4", "--second", "uct,sims=-1"], "uct.sims is -1"),
        (["play", "connect4", "--second", "uct,frob=1"], "uct has no key 'frob'"),
        (["play", "connect4", "--second", "wizard"], "'wizard' is not known"),
        (["play", "connect4", "--first", "human,x=1"], "human has no keys and no target"),
        (["play", "connect4", "--json"], "--json is for games without a human"),
        (["play", "connect4", "--seed", "x"], "--seed"),
        (["play", "connect4", "--seed", "-1"], "--seed"),
        (["play", "connect4", "--seed", "18446744073709551616"], "--seed"),
        (["play", "connect4", "--first", ""], "cannot be read"),
        (["play", "connect4", "--first", "human:x"], "human has no keys and no target"),
        (["play"], "Missing argument"),
        (["frob"], "No such command 'frob'"),
        (["play", "connect4", "--frob"], "No such option"),
        (["bench", "--only", "frob"], "no row contains 'frob'"),
        (["bench", "--rounds", "0"], "--rounds"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("tengen: ")


def test_an_unknown_instruction_set_is_refused() -> None:
    result = run_program("bench", "--rounds", "1", "--scale", "0.001", TENGEN_ISA="sse9")
    assert result.returncode == 2
    assert "TENGEN_ISA is sse9; this machine runs:" in result.stderr


def test_every_command_has_help_with_an_example() -> None:
    callbacks = [command.callback for command in app.registered_commands]
    names = [callback.__name__ for callback in callbacks if callback is not None]
    assert len(names) >= 4
    for name in names:
        result = run(name, "--help")
        assert result.returncode == 0
        assert re.search(rf"Example: tengen {name}", result.stdout), name


def test_games_lists_every_name() -> None:
    text = run("games").stdout
    assert all(name in text for name in NAMED)
    document = json.loads(run("games", "--json").stdout)
    assert [game["name"] for game in document["games"]] == list(NAMED)
    fields = ["name", "spec", "rows", "cols", "k", "gravity", "line"]
    assert all(list(game) == fields for game in document["games"])
    assert document["registered"] == []


def test_players_lists_keys_and_defaults() -> None:
    text = run("players").stdout
    assert "rollout" in text
    document = json.loads(run("players", "--json").stdout)["players"]
    assert list(document) == ["random", "reflex", "uct", "net", "hybrid", "solver", "human"]
    assert document["uct"]["keys"]["reward"]["default"] == "1/0/-1"
    assert document["uct"]["keys"]["proof"]["default"] == "on"


def test_a_game_of_two_engines_as_json_repeats_with_its_seed() -> None:
    arguments = ["play", "connect4", "--first", "uct,sims=200", "--second", "reflex"]
    first = run(*arguments, "--json", "--seed", "5").stdout
    result = json.loads(first)
    assert list(result) == ["game", "first", "second", "moves", "outcome"]
    assert result["outcome"] in ("first_wins", "second_wins", "draw")
    assert run(*arguments, "--json", "--seed", "5").stdout == first


def test_a_piped_game_reads_moves_line_by_line() -> None:
    moves = "a1\nb1\n"
    result = run("play", "tictactoe", "--second", "human", stdin=moves + "a2\nb2\nz9\nb2\na3\n")
    assert result.returncode == 0
    assert "z9 is not on the board" in result.stdout
    assert "b2 is taken" in result.stdout
    assert "X (human) wins." in result.stdout


def test_a_piped_game_can_undo_hint_resign_and_quit() -> None:
    undone = run("play", "tictactoe", "--second", "human", stdin="undo\na1\nundo\nhint\nquit\n")
    assert "there is nothing to take back" in undone.stdout
    assert "taken back" in undone.stdout
    assert re.search(r"hint: \w\d · win rate \d+ %", undone.stdout)
    resigned = run("play", "connect4", "--second", "random", "--seed", "1", stdin="4\nresign\n")
    assert "X resigns." in resigned.stdout
    assert "O (random) wins." in resigned.stdout


def test_leaving_a_game_says_how_to_go_on() -> None:
    result = run("play", "connect4", "--second", "human", stdin="4\n4\n")
    assert result.returncode == 0
    assert result.stdout.endswith("To go on later: tengen play connect4 --moves '4 4'\n")


def test_advice_names_the_program_as_it_was_called_where_no_shell_would_find_it(
    tmp_path: Path,
) -> None:
    result = run_program("runs", "--runs", str(tmp_path), PATH=os.defpath)
    assert result.stdout == f"no runs in {tmp_path}; begin one with: {TENGEN} train connect4\n"


def test_undo_goes_back_to_the_humans_own_move() -> None:
    result = run("play", "connect4", "--second", "random", "--seed", "1", stdin="4\nundo\n")
    assert result.stdout.endswith("The game has not begun.\n")


def test_a_random_blocked_cell_is_named_when_leaving() -> None:
    spec = "connect:10x12x4:blocked=random"
    result = run("play", spec, "--second", "human", "--seed", "3", stdin="4\n")
    assert re.search(r"tengen play connect:10x12x4:blocked=[a-l]\d+ --moves", result.stdout)


def test_undo_leaves_the_engines_opening_alone() -> None:
    arguments = ["play", "connect4", "--first", "random", "--second", "human", "--seed", "1"]
    opened = run(*arguments, stdin="quit\n").stdout.splitlines()[-1]
    undone = run(*arguments, stdin="undo\nquit\n")
    assert "there is nothing to take back" in undone.stdout
    assert undone.stdout.splitlines()[-1] == opened


def test_the_bare_command_shows_its_help() -> None:
    result = run()
    assert result.returncode == 0
    assert result.stdout.count("\n") > 5
    assert "tengen play connect4" in result.stdout


@pytest.mark.parametrize("redirection", ["<&-", "2>&-", "> /dev/full"])
def test_closed_or_full_streams_give_no_traceback(redirection: str) -> None:
    script = f"{TENGEN} play tictactoe --second human {redirection}"
    result = subprocess.run(
        ["bash", "-c", script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in result.stderr
    assert result.returncode == (2 if "full" in redirection else 0)


def test_a_terminal_without_unicode_shows_a_board_all_the_same() -> None:
    result = run_program("play", "tictactoe", "--second", "human", PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert "X >" in result.stdout


def test_a_python_game_plays_in_the_terminal() -> None:
    result = run("play", "examples/othello.py:Othello6", "--second", "random", stdin="c5\n")
    assert result.returncode == 0
    assert "X human · O random" in result.stdout
    assert "tengen play examples/othello.py:Othello6 --moves 'c5 " in result.stdout


def test_a_second_ctrl_c_does_not_disturb_the_end() -> None:
    """It comes when the program is being left, while threads may still be ending."""
    program = (
        "import atexit, os, signal\n"
        "from tengen.cli import app\n"
        "app._run = lambda: app.INTERRUPTED\n"
        "atexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
        "app.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "")


def test_output_cut_off_by_a_pipe_is_no_error() -> None:
    script = f"{TENGEN} games | head -1"
    result = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in result.stderr
    assert result.stderr == ""


@pytest.mark.parametrize("isa", ["", "portable"])
def test_the_signature_is_the_same_for_every_instruction_set(isa: str) -> None:
    """It changes if and only if some search does: then it belongs in the commit's message."""
    result = run_program("bench", "--rounds", "1", "--scale", "0.001", "--json", TENGEN_ISA=isa)
    document = json.loads(result.stdout)
    assert document["signature"] == 1229433846751156478
    assert document["isa"] == "portable" or isa == ""
    fields = ["work", "unit", "target", "ours", "peer", "ratio"]
    assert all(list(row) == fields for row in document["rows"])
