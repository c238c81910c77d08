"""Networks for games written in Python: every architecture, whatever the moves are."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import tengen
from tengen.network import (
    ARCHITECTURES,
    GameLike,
    GameShape,
    NetworkCard,
    OnnxEvaluator,
    Output,
    SymmetricEvaluator,
    check_fits,
    export_onnx,
    load_weights,
    save_weights,
    value_of,
)
from tengen.rules import parse_rules
from tests.commands import run
from tests.networks import boards, made, warmed
from tests.test_network import loss_of
from tests.test_python_games import OTHELLO

#: What a game has that keeps no history.
PLANES = "mover/opponent/empty/playable"

#: A board of six cells and as many moves as the test wants.
ODD = """
import tengen
class Odd(tengen.Game[tuple[int, ...]]):
    name, rows, cols, move_count = "odd_{moves}", 2, 3, {moves}
    def start(self): return ()
    def mover(self, state): return len(state) % 2
    def legal_moves(self, state): return range({moves})
    def play(self, state, move): return (*state, move)
    def outcome(self, state):
        return tengen.Outcome.draw if len(state) == 6 else tengen.Outcome.ongoing
    def symbols(self, state): return "".join("XO"[i % 2] for i in range(len(state))).ljust(6, ".")
"""


@pytest.fixture(autouse=True)
def _repeatable() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)


def odd(folder: Path, moves: int) -> str:
    """The spec of a game with that many moves: fewer than cells, a few more, or far more."""
    file = folder / f"odd{moves}.py"
    file.write_text(ODD.format(moves=moves))
    return f"{file}:Odd"


@pytest.mark.parametrize("name", ARCHITECTURES)
@pytest.mark.parametrize("moves", [None, 4, 8, 30])
def test_every_architecture_learns_and_plays_any_moves(
    name: str, moves: int | None, tmp_path: Path
) -> None:
    spec = OTHELLO if moves is None else odd(tmp_path, moves)
    game = tengen.game(spec)
    network, card = warmed(name, spec, planes=PLANES)
    planes = boards(spec, card.planes, 24)
    network.train()
    loss_of(network(torch.from_numpy(planes)), game.move_count).backward()  # type: ignore[no-untyped-call]  # in torch itself
    for key, parameter in network.named_parameters():
        assert parameter.grad is not None, key
        assert parameter.grad.abs().max() > 0, key
    network.eval()
    path = tmp_path / "net.onnx"
    assert export_onnx(network, card, path) <= 1e-4
    evaluator = OnnxEvaluator(path, game)
    assert evaluator.card == card
    with torch.inference_mode():
        output: Output = network(torch.from_numpy(planes))
    policy, values = evaluator.evaluate(planes)
    assert policy.shape == (24, game.move_count)
    np.testing.assert_allclose(policy, output.policy.numpy(), atol=1e-4)
    if card.has_value:
        np.testing.assert_allclose(values, value_of(output).numpy(), atol=1e-4)
    save_weights(tmp_path / "net.safetensors", network, card)
    assert load_weights(tmp_path / "net.safetensors")[1] == card


def test_a_card_says_what_a_python_game_is_like() -> None:
    _, card = made("resnet", OTHELLO)
    assert card.shape == GameShape("othello6", 6, 6, 37) == GameShape.of(tengen.game(OTHELLO))
    assert card.shape.extra_moves == 1
    assert not card.is_size_free, "other sizes of it are other games"
    assert NetworkCard.from_json(card.to_json(), where="x") == card
    broken = {**json.loads(card.to_json()), "board": [6, 0, 37]}
    with pytest.raises(tengen.SpecError, match=r"x: card\.board is \[6, 0, 37\]; it must be at le"):
        NetworkCard.from_json(json.dumps(broken), where="x")


def test_networks_and_games_that_do_not_fit_are_told_in_one_sentence(tmp_path: Path) -> None:
    _, othello = made("resnet", OTHELLO)
    _, connect4 = made("resnet", "connect4")
    check_fits(othello, tengen.game(OTHELLO))
    larger = GameShape("othello6", 8, 8, 65)
    other = tengen.game(odd(tmp_path, 8))
    cases: list[tuple[NetworkCard, GameLike, str]] = [
        (othello, parse_rules("connect4"), "othello6 (6x6, 37 moves); it cannot play connect4"),
        (othello, other, "othello6 (6x6, 37 moves); it cannot play odd_8"),
        (othello, larger, "othello6 (6x6, 37 moves); it cannot play othello6 (8x8, 65 moves)"),
        (connect4, tengen.game(OTHELLO), "connect4 (k=4 with gravity); it cannot play othello6"),
    ]
    for card, game, sentence in cases:
        with pytest.raises(tengen.SpecError) as error:
            check_fits(card, game, name="X")
        assert str(error.value) == f"network X is for {sentence}"


def test_planes_that_a_game_cannot_fill_are_refused_when_the_network_is_made() -> None:
    with pytest.raises(tengen.SpecError, match="othello6 keeps no history"):
        made("gobang-lite", OTHELLO)


def test_a_networks_mean_over_the_images_of_othello_is_the_same_for_each(tmp_path: Path) -> None:
    game = tengen.game(OTHELLO)
    network, card = warmed("mnk", OTHELLO)
    export_onnx(network, card, tmp_path / "net.onnx")
    symmetric = SymmetricEvaluator(OnnxEvaluator(tmp_path / "net.onnx", game), game)
    start = game.position()
    answers = []
    for moves in game.symmetries:
        image = game.position([moves[move] for move in (start.legal_moves[0], 7)])
        logits, values = symmetric.evaluate(game.planes(image.state, card.planes)[np.newaxis])
        answers.append(np.append(logits[0][moves], values))
    for answer in answers[1:]:
        np.testing.assert_allclose(answer, answers[0], atol=1e-5)


def test_eight_bits_are_there_for_python_games_too(tmp_path: Path) -> None:
    game = tengen.game(OTHELLO)
    network, card = warmed("resnet", OTHELLO)
    export_onnx(network, card, tmp_path / "net.onnx")
    planes = boards(OTHELLO, card.planes, 32)
    exact = OnnxEvaluator(tmp_path / "net.onnx", game).evaluate(planes)
    coarse = OnnxEvaluator(tmp_path / "net.onnx", game, precision="int8").evaluate(planes)
    assert 0 < np.abs(exact[1] - coarse[1]).mean() < 0.05


def test_the_command_line_makes_a_network_for_a_python_game(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    made_it = run("export", "--new", "resnet", "--game", OTHELLO, "--set", "blocks=1", str(path))
    assert "resnet for othello6" in " ".join(made_it.stdout.split())
    refused = run("export", "--new", "gobang-lite", "--game", OTHELLO, str(path))
    assert refused.returncode == 2
    assert "othello6 keeps no history" in refused.stderr
