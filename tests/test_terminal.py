"""``tengen play`` in a real pseudo-terminal, seen as a person would see it."""

import re
import termios
from pathlib import Path

import pexpect
import pyte
import pytest

from tests.commands import TENGEN

ROWS, COLS = 40, 100
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"


class Terminal:
    """A program in a terminal, and the screen it has drawn."""

    def __init__(self, *arguments: str) -> None:
        self.screen = pyte.Screen(COLS, ROWS)
        self._stream = pyte.Stream(self.screen)
        self._child = pexpect.spawn(
            TENGEN, list(arguments), dimensions=(ROWS, COLS), encoding="utf-8", timeout=30
        )
        self._modes = termios.tcgetattr(self._child.child_fd)

    def until(self, pattern: str) -> str:
        """The screen, once it matches."""
        while True:
            text = "\n".join(line.rstrip() for line in self.screen.display)
            if re.search(pattern, text):
                return text
            try:
                self._stream.feed(self._child.read_nonblocking(4096, timeout=30))
            except pexpect.EOF:
                text = "\n".join(line.rstrip() for line in self.screen.display)
                assert re.search(pattern, text), f"ended without {pattern!r}:\n{text}"
                return text

    def keys(self, *keys: str) -> None:
        for key in keys:
            self._child.send(key)

    def is_restored(self) -> bool:
        """Whether lines are edited and shown as before the program began."""
        local_modes = 3
        wanted = termios.ICANON | termios.ECHO
        now: int = termios.tcgetattr(self._child.child_fd)[local_modes]
        before: int = self._modes[local_modes]
        return now & wanted == before & wanted

    def exit_code(self) -> int | None:
        self._child.expect(pexpect.EOF)
        self._child.close()
        code: int | None = self._child.exitstatus
        return code

    def interrupt(self) -> None:
        self._child.sendintr()


@pytest.fixture
def connect4() -> Terminal:
    terminal = Terminal("play", "connect4", "--second", "human")
    terminal.until("X >")
    return terminal


def test_the_screen_shows_board_legend_and_players(connect4: Terminal) -> None:
    screen = connect4.until("X >")
    assert "connect4   X human · O human" in screen
    assert "1 2 3 4 5 6 7" in screen
    assert "arrows + Enter, or type a move · undo · hint · resign · quit" in screen


def test_arrows_and_enter_drop_a_stone(connect4: Terminal) -> None:
    connect4.keys(LEFT, LEFT, "\r")
    screen = connect4.until("O >")
    bottom = next(line for line in reversed(screen.split("\n")) if "·" in line and "X" in line)
    assert bottom.split() == ["·", "X", "·", "·", "·", "·", "·"]


def test_a_whole_game_by_typed_moves(connect4: Terminal) -> None:
    for number, move in enumerate("4343434"):
        connect4.until("XO"[number % 2] + " >")
        connect4.keys(move, "\r")
    assert "X (human) wins." in connect4.until("wins")
    assert connect4.exit_code() == 0


def test_typing_can_be_corrected_and_mistakes_are_explained(connect4: Terminal) -> None:
    connect4.keys("9", "\r")
    connect4.until("column 9 is not on the board; columns are 1 to 7")
    connect4.keys("5", "\x7f", "2", "\r")
    screen = connect4.until("O >")
    assert "· X · · · · ·" in screen


def test_undo_resign_and_quit(connect4: Terminal) -> None:
    connect4.keys("4", "\r")
    connect4.until("O >")
    connect4.keys(*"undo", "\r")
    connect4.until(r"taken back(.|\n)*X >")
    connect4.keys(*"resign", "\r")
    assert "X resigns." in connect4.until("wins")
    assert connect4.exit_code() == 0


def test_quit_says_how_to_go_on() -> None:
    terminal = Terminal("play", "gomoku", "--second", "human")
    terminal.until("X >")
    terminal.keys("\r")
    terminal.until("O >")
    terminal.keys(UP, RIGHT, "\r")
    terminal.until("X >")
    terminal.keys(*"quit", "\r")
    assert "tengen play gomoku --moves 'h8 i9'" in terminal.until("To go on later")
    assert terminal.exit_code() == 0


def test_the_engine_shows_its_line_and_win_rate() -> None:
    terminal = Terminal("play", "connect4", "--second", "uct,sims=2000", "--seed", "1")
    terminal.until("X >")
    terminal.keys("\r")
    pattern = r"uct,sims=2000: \d · win rate \d+ % · [\d,]+ sims in .* · line \d(.|\n)*X >"
    terminal.until(pattern)
    terminal.keys(*"hint", "\r")
    terminal.until(r"hint: \d · win rate \d+ %")


def test_ctrl_c_ends_the_game_at_once_and_restores_the_terminal() -> None:
    terminal = Terminal("play", "gomoku", "--first", "uct,time=1h")
    terminal.until("is thinking")
    terminal.interrupt()
    terminal.until("interrupted")
    assert terminal.is_restored()
    assert terminal.exit_code() == 130


def test_other_keys_are_ignored_and_wide_boards_do_not_wrap() -> None:
    terminal = Terminal("play", "connect:6x25x4", "--second", "human")
    terminal.until("X >")
    terminal.keys("\x1b[3~", "\x1b[1;5D", "\x1b", "\t", "7", "\r")
    screen = terminal.until("O >")
    assert next(line for line in screen.split("\n") if "X" in line and "·" in line)


def test_training_is_watched_in_a_live_table(tmp_path: Path) -> None:
    few = ("--set", "games=4", "--set", "selfplay.sims=4", "--set", "learn.batch=16")
    arguments = ("--runs", str(tmp_path), "--iterations", "100000", "--no-plan", *few)
    terminal = Terminal("train", "tictactoe", *arguments)
    screen = terminal.until(r"\n +3 ")
    assert re.search(r"iteration +policy +value +good +perfect +games/s +evals/s +cache", screen)
    assert re.search(r"games, \d+:\d\d so far, .* left of 100000 iterations", screen)
    terminal.interrupt()
    screen = terminal.until("go on with")
    assert terminal.exit_code() == 130
