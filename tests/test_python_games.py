"""Games written in plain Python play like all others."""

from pathlib import Path

import pytest

import tengen
from tengen.rules import AnyPosition, Position, ReferenceGame, Rules

OTHELLO = "examples/othello.py:Othello6"


def test_the_example_is_short() -> None:
    assert len(Path("examples/othello.py").read_text().splitlines()) <= 80


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
    ],
)
def test_a_broken_game_file_is_told_in_one_sentence(
    tmp_path: Path, source: str, message: str
) -> None:
    file = tmp_path / "broken.py"
    file.write_text(source)
    with pytest.raises(tengen.SpecError, match=message):
        tengen.game(f"{file}:G")
