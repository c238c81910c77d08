"""Games written in plain Python play like all others."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import tengen
from tengen.rules import AnyGame, AnyPosition, Position, ReferenceGame, Rules, registered
from tengen.search import GuidedSettings, ReferenceGuided

OTHELLO = "examples/othello.py:Othello6"


def test_the_example_is_short() -> None:
    assert len(Path("examples/othello.py").read_text().splitlines()) <= 90


def test_othello_opens_with_four_moves_and_turns_a_disc() -> None:
    game = tengen.game(OTHELLO)
    start = game.position()
    assert [game.move_text(move) for move in start.legal_moves] == ["c5", "b4", "e3", "d2"]
    assert start.play(start.legal_moves[0]).to_text().split("\n")[1:4] == [
        ". . X . . .",
        ". . X X . .",
        ". . X O . .",
    ]


def test_othello_ends_with_a_count_and_may_pass() -> None:
    game = tengen.game(OTHELLO)
    passed = 0
    for seed in range(12):
        player = tengen.player("random", game, seed=seed)
        position: AnyPosition = game.position()
        while not position.is_over:
            move = player.decide(position).move
            passed += game.move_text(move) == "pass"
            position = position.play(move)
        text = position.to_text()
        lead = text.count("X") - text.count("O")
        wins = {1: "first_wins", -1: "second_wins", 0: "draw"}[(lead > 0) - (lead < 0)]
        assert position.outcome.name == wins
    assert passed > 0


@pytest.mark.parametrize("search", ["puct", "gumbel"])
def test_the_guided_search_plays_othello_and_beats_random(
    search: Literal["puct", "gumbel"],
) -> None:
    """Without a network: it judges by the discs, and looks a little ahead."""
    game = tengen.game(OTHELLO)

    def lead(state: object) -> float:
        symbols = game.symbols(state)
        lead = (symbols.count("X") - symbols.count("O")) / len(symbols)
        return lead if game.mover(state) == 0 else -lead

    def judge(states: Sequence[object]) -> tuple[np.ndarray, np.ndarray]:
        values = np.array([lead(state) for state in states], np.float32)
        return np.zeros((len(states), game.move_count), np.float32), values

    points = 0.0
    for seed in range(6):
        chance = tengen.player("random", game, seed=seed)
        engine = ReferenceGuided(game, judge, GuidedSettings(search=search, m=6))
        position = game.position()
        while not position.is_over:
            if position.mover == seed % 2:
                engine.place(position)
                engine.run(24, float("inf"))
                position = position.play(engine.report().pv[0])
            else:
                position = position.play(chance.decide(position).move)
        wins = (tengen.Outcome.first_wins, tengen.Outcome.second_wins)[seed % 2]
        points += 1.0 if position.outcome is wins else 0.5 * (position.outcome.name == "draw")
    assert points >= 4.5


def test_uct_plays_othello_and_beats_random() -> None:
    game = tengen.game(OTHELLO)
    points = 0.0
    for seed in range(6):
        players = [
            tengen.player("uct,sims=25", game, seed=seed),
            tengen.player("random", game, seed=seed + 100),
        ]
        searcher = seed % 2
        position: AnyPosition = game.position()
        while not position.is_over:
            seat = 0 if position.mover == searcher else 1
            position = position.play(players[seat].decide(position).move)
        wins = ("first_wins", "second_wins")[searcher]
        points += {wins: 1.0, "draw": 0.5}.get(position.outcome.name, 0.0)
    assert points >= 4


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("uct,threads=2", "uct.threads is 2; for othello6 it must be 1"),
        ("uct,rollout=tactical", "uct.rollout is tactical; for othello6 it must be random"),
        ("uct,weights=odd", "uct.weights is odd; for othello6 it must be uniform"),
        ("reflex", "plays k-in-a-row games, not othello6"),
    ],
)
def test_what_a_python_game_cannot_have_is_refused(spec: str, message: str) -> None:
    with pytest.raises(tengen.SpecError, match=message):
        tengen.player(spec, tengen.game(OTHELLO))


def test_python_games_check_moves_too() -> None:
    game = tengen.game(OTHELLO)
    with pytest.raises(tengen.IllegalMove, match="a1 is not allowed here"):
        game.position("a1")
    with pytest.raises(tengen.IllegalMove, match="move 99 is not one of 0 to 36"):
        game.position().play(99)
    with pytest.raises(tengen.IllegalMove, match="'z9' is not a move of othello6"):
        game.position("z9")
    with pytest.raises(tengen.TengenError, match="othello6 has no keys"):
        assert game.position().key
    with pytest.raises(tengen.TengenError, match="cannot be set up from a board"):
        Position.from_board(game, [0] * 36)


def test_the_reference_game_is_a_python_game() -> None:
    game = ReferenceGame(Rules(rows=3, cols=3, k=3))
    decision = tengen.player("uct,sims=3000", game, seed=1).decide(game.position("a1 a2 b1 b2"))
    assert game.move_text(decision.move) == "c1"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("def broken(:", "SyntaxError"),
        ("import tengen\nclass G(tengen.Game): pass", "abstract"),
        ("import tengen\nG = 3", "is not a subclass"),
        ("import sys\nsys.exit(3)", "SystemExit"),
    ],
)
def test_a_broken_game_file_is_told_in_one_sentence(
    tmp_path: Path, source: str, message: str
) -> None:
    file = tmp_path / "broken.py"
    file.write_text(source)
    with pytest.raises(tengen.SpecError, match=message):
        tengen.game(f"{file}:G")


TINY = """
import tengen
class G(tengen.Game[int]):
    name, rows, cols, move_count = "tiny", 1, 2, 2
    def start(self): return 0
    def mover(self, state): return state % 2
    def legal_moves(self, state): return [0, 1]
    def play(self, state, move): return state + 1
    def outcome(self, state): return tengen.Outcome.draw if state == 4 else tengen.Outcome.ongoing
    def symbols(self, state): return "..."[:2]
class Bad(G):
    CHANGE
"""


def tiny(tmp_path: Path, change: str) -> AnyGame:
    file = tmp_path / "tiny.py"
    file.write_text(TINY.replace("CHANGE", change))
    return tengen.game(f"{file}:Bad")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("def play(self, state, move): raise ValueError('no')", "play: ValueError: no"),
        ("def legal_moves(self, state): return []", "legal_moves gives (); it must be at least"),
        ("def legal_moves(self, state): return [7]", "legal_moves gives (7,)"),
        ("def legal_moves(self, state): return 3", "legal_moves gives 3; it must be a list"),
        ("def outcome(self, state): return None", "outcome gives None; it must be an Outcome"),
        ("def outcome(self, state): return 'draw'", "outcome gives 'draw'"),
        ("def mover(self, state): return 2", "mover gives 2; it must be 0 or 1"),
        ("def symbols(self, state): return 'X'", "symbols gives 'X'; it must be 2 symbols"),
    ],
)
def test_an_error_inside_a_game_is_told_in_one_sentence(
    tmp_path: Path, change: str, message: str
) -> None:
    game = tiny(tmp_path, change)
    with pytest.raises(tengen.TengenError) as error:
        _use(game)
    assert message in str(error.value)
    assert str(error.value).startswith("game tiny: ")


def _use(game: AnyGame) -> None:
    tengen.player("uct,sims=20", game, seed=1).decide(game.position())
    game.position().to_text()


@pytest.mark.parametrize("moves", ["{0, 1}", "(m for m in (0, 1))", "range(2)"])
def test_legal_moves_may_be_any_collection(tmp_path: Path, moves: str) -> None:
    game = tiny(tmp_path, f"def legal_moves(self, state): return {moves}")
    decision = tengen.player("uct,sims=50", game, seed=1).decide(game.position())
    assert (decision.proven, decision.value) == (True, 0.0)


@pytest.mark.parametrize("attribute", ["rows = 'x'", "move_count = 0", "name = 3", "cols = None"])
def test_a_game_with_a_wrong_attribute_is_refused(tmp_path: Path, attribute: str) -> None:
    with pytest.raises(tengen.SpecError, match="it must be"):
        tiny(tmp_path, attribute)


def test_an_installed_package_can_register_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_tiny_game.py").write_text(TINY.replace("CHANGE", "pass"))
    info = tmp_path / "my_tiny_game-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-tiny-game\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tengen.games]\ntiny = my_tiny_game:G\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "tiny" in registered()
    assert tengen.game("tiny").name == "tiny"
