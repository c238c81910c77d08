"""Networks: their shapes, how they learn, and what they answer once exported."""

from pathlib import Path
from random import Random

import numpy as np
import onnx
import pytest
import torch
from torch.nn import functional

from tengen.arena import read_positions
from tengen.errors import TengenError
from tengen.network import (
    ARCHITECTURES,
    NetworkConfig,
    OnnxEvaluator,
    Output,
    SymmetricEvaluator,
    build,
    can_grow,
    export_onnx,
    grown,
    read_network,
    value_of,
)
from tengen.rules import GridGame, parse_rules
from tests.networks import boards, made, warmed

GAMES = ["tictactoe", "connect4", "gomoku", "connect:25x25x5", "mnk:25x25x5", "mnk:4x9x4"]


@pytest.fixture(autouse=True)
def _repeatable() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_architecture_answers_on_every_board(name: str, spec: str) -> None:
    network, card = made(name, spec)
    game = GridGame(parse_rules(spec))
    output: Output = network.eval()(torch.from_numpy(boards(spec, card.planes, 3)))
    assert output.policy.shape == (3, game.move_count)
    assert (output.value is not None) == card.has_value == (name != "gomoku-policy")
    assert (output.moves_left is not None) == card.has_moves_left == (name == "resnet")
    if card.has_value:
        value = value_of(output)
        assert value.shape == (3,)
        assert value.abs().max() < 0.5, "a new network has no opinion"
    probabilities = functional.softmax(output.policy, dim=1)
    assert probabilities.max() < 2 / game.move_count, "a new policy is almost uniform"


def test_the_described_sizes_are_the_defaults() -> None:
    gomoku, connect4 = parse_rules("gomoku"), parse_rules("connect4")
    shapes = {
        name: [
            tuple(layer.weight.shape)
            for layer in build(read_network(name, {}), rules).modules()
            if isinstance(layer, torch.nn.Conv2d | torch.nn.Linear)
        ]
        for name, rules in (("gomoku-policy", gomoku), ("connectx", connect4))
    }
    assert shapes["gomoku-policy"] == [
        (16, 3, 5, 5),
        (32, 16, 5, 5),
        (32, 32, 5, 5),
        (48, 32, 5, 5),
        (2048, 48 * 19 * 19),
        (1024, 2048),
        (225, 1024),
    ]
    assert [len(shape) for shape in shapes["connectx"]] == [4] * 4 + [2] * 4


def loss_of(output: Output, moves: int) -> torch.Tensor:
    """A loss that every head has a part in."""
    target = torch.arange(len(output.policy)) % moves
    loss = functional.cross_entropy(output.policy, target)
    if output.soft_policy is not None:
        loss = loss + functional.cross_entropy(output.soft_policy, target)
    if output.ending is not None:
        loss = loss + (output.ending - 0.7).square().mean()
    if output.moves_left is not None:
        loss = loss + functional.mse_loss(output.moves_left, target.float())
    if output.value is not None:
        loss = loss + (value_of(output) - 0.7).square().mean()
    return loss


@pytest.mark.parametrize("spec", ["connect4", "mnk:7x7x4"])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_parameter_learns(name: str, spec: str) -> None:
    network, card = made(name, spec)
    network.train()
    output = network(torch.from_numpy(boards(spec, card.planes, 24)))
    loss_of(output, network.moves).backward()  # type: ignore[no-untyped-call]  # in torch itself
    for key, parameter in network.named_parameters():
        assert parameter.grad is not None, key
        assert parameter.grad.abs().max() > 1e-7, key


@pytest.mark.parametrize("spec", ["connect4", "mnk:7x7x4"])
def test_a_network_that_has_grown_answers_as_before_and_learns_everywhere(spec: str) -> None:
    small, card = warmed("resnet", spec, blocks=2, channels=20)
    larger = grown(small, read_network("resnet", {"blocks": 4, "channels": 32}), seed=3)
    seen = torch.from_numpy(boards(spec, card.planes, 24))
    with torch.no_grad():
        before, after = small(seen)._asdict(), larger(seen)._asdict()
    for name, answer in before.items():
        torch.testing.assert_close(after[name], answer, atol=1e-4, rtol=1e-4, msg=name)
    larger.train()
    pace = torch.optim.SGD(larger.parameters(), lr=0.01)
    for _ in range(3):  # what adds nothing has to be given a weight before it can be taught
        pace.zero_grad()
        loss_of(larger(seen), larger.moves).backward()  # type: ignore[no-untyped-call]  # in torch itself
        pace.step()
    old = dict(small.named_parameters())
    for key, parameter in larger.named_parameters():
        shape = old[key].shape if key in old else [0] * parameter.ndim
        for dim, length in enumerate(shape[:2]):
            assert parameter.grad is not None, key
            new = parameter.grad.narrow(dim, length, parameter.shape[dim] - length)
            assert new.numel() == 0 or new.abs().max() > 0, key


def test_only_a_resnet_grows_and_only_in_size() -> None:
    def of(name: str = "resnet", **values: object) -> NetworkConfig:
        return read_network(name, {"channels": 16, **values})

    assert can_grow(of(), of(channels=24))
    assert can_grow(of(blocks=2), of(blocks=3))
    assert not can_grow(of(), of(channels=8))
    assert not can_grow(of(blocks=2), of(blocks=1, channels=24))
    assert not can_grow(of(), of(channels=24, soft_policy=False))
    assert not can_grow(of(), of(channels=24, planes=("mover", "opponent")))
    assert not can_grow(of("mnk"), of("mnk", channels=24))
    assert not can_grow(of("mnk"), of())


def test_a_resnet_learns_positions_by_heart() -> None:
    rules = parse_rules("connect4")
    game = GridGame(rules)
    labelled = read_positions(game, "connect4-select")[:500]
    network, card = made("resnet", "connect4", channels=32)
    planes = torch.from_numpy(
        np.stack([game.planes(item.position.state, card.planes) for item in labelled])
    )
    perfect = torch.zeros(len(labelled), game.move_count)
    legal = torch.zeros_like(perfect)
    for row, item in enumerate(labelled):
        perfect[row, sorted(item.perfect_moves)] = 1 / len(item.perfect_moves)
        legal[row, sorted(item.scores)] = 1 / len(item.scores)
    results = torch.tensor([1 - np.sign(item.score) for item in labelled])  # win, draw, loss
    empty = torch.tensor([float(42 - item.stones) for item in labelled])

    optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)
    network.train()
    for _ in range(50):
        for rows in torch.randperm(len(labelled)).reshape(-1, 50):
            output: Output = network(planes[rows])
            assert output.value is not None
            assert output.moves_left is not None
            assert output.soft_policy is not None
            loss = (
                functional.cross_entropy(output.policy, perfect[rows])
                + functional.cross_entropy(output.soft_policy, legal[rows])
                + functional.cross_entropy(output.value, results[rows])
                + 0.01 * functional.huber_loss(output.moves_left, empty[rows])
            )
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # in torch itself
            optimiser.step()

    network.eval()
    with torch.inference_mode():
        output = network(planes)
    assert output.value is not None
    assert output.moves_left is not None
    chosen = output.policy.argmax(dim=1)
    assert (perfect[torch.arange(len(chosen)), chosen] > 0).float().mean() > 0.95
    assert (output.value.argmax(dim=1) == results).float().mean() > 0.95
    assert (output.moves_left - empty).abs().mean() < 3


@pytest.mark.parametrize("spec", ["connect4", "mnk:5x5x4"])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_an_exported_network_answers_as_the_original(name: str, spec: str, tmp_path: Path) -> None:
    network, card = warmed(name, spec)
    path = tmp_path / "net.onnx"
    assert export_onnx(network, card, path) <= 1e-4
    assert [entry.name for entry in tmp_path.iterdir()] == ["net.onnx"]
    assert "BatchNormalization" not in {node.op_type for node in onnx.load(path).graph.node}
    evaluator = OnnxEvaluator(path, parse_rules(spec))
    assert evaluator.card == card
    for batch in (1, 5, 64):
        planes = boards(spec, card.planes, batch)
        with torch.inference_mode():
            output: Output = network(torch.from_numpy(planes))
        expected = value_of(output).numpy() if card.has_value else np.zeros(batch)
        for other in (evaluator, evaluator.clone()):
            policy, values = other.evaluate(planes)
            assert policy.dtype == values.dtype == np.float32
            np.testing.assert_allclose(policy, output.policy.numpy(), atol=1e-4)
            np.testing.assert_allclose(values, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("spec", "others"),
    [
        ("connect4", ["connect:4x5x4", "connect:12x9x4", "connect:25x25x4"]),
        ("gomoku", ["mnk:5x5x5", "mnk:9x12x5", "mnk:25x25x5"]),
    ],
)
def test_a_resnet_exported_once_plays_on_every_size(
    spec: str, others: list[str], tmp_path: Path
) -> None:
    network, card = warmed("resnet", spec)
    export_onnx(network, card, tmp_path / "net.onnx")
    for other in others:
        planes = boards(other, card.planes, 4)
        policy, values = OnnxEvaluator(tmp_path / "net.onnx", parse_rules(other)).evaluate(planes)
        with torch.inference_mode():
            output: Output = network(torch.from_numpy(planes))
        np.testing.assert_allclose(policy, output.policy.numpy(), atol=1e-4)
        np.testing.assert_allclose(values, value_of(output).numpy(), atol=1e-4)


def test_an_export_that_is_not_a_number_does_not_count(tmp_path: Path) -> None:
    network, card = made("mnk", "tictactoe")
    with torch.no_grad():
        next(network.parameters()).fill_(float("nan"))
    with pytest.raises(TengenError, match="answers differ"):
        export_onnx(network, card, tmp_path / "net.onnx")
    assert not list(tmp_path.iterdir())


def test_a_seed_makes_a_new_network_repeatable() -> None:
    rules, config = parse_rules("tictactoe"), read_network("mnk", {})
    weights = [next(build(config, rules, seed=seed).parameters()).detach() for seed in (1, 1, 2)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


@pytest.mark.parametrize("spec", ["connect4", "mnk:6x6x4"])
def test_eight_bits_answer_nearly_the_same(
    spec: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    network, card = warmed("resnet", spec)
    export_onnx(network, card, tmp_path / "net.onnx")
    planes = boards(spec, card.planes, 64, seed=2)
    exact = OnnxEvaluator(tmp_path / "net.onnx", parse_rules(spec))
    coarse = OnnxEvaluator(tmp_path / "net.onnx", parse_rules(spec), precision="int8")
    policy, values = exact.evaluate(planes)
    for evaluator in (coarse, coarse.clone()):
        other_policy, other_values = evaluator.evaluate(planes)
        assert np.abs(values - other_values).mean() < 0.05
        assert np.abs(policy - other_policy).mean() < 0.1 * np.abs(policy).max()
        assert not np.array_equal(policy, other_policy)
    assert [entry.name for entry in tmp_path.iterdir()] == ["net.onnx"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("spec", ["connect4", "tictactoe", "mnk:4x6x3", "mnk:5x5x4:blocked=a1"])
def test_the_symmetric_evaluator_is_the_mean_over_images(spec: str, tmp_path: Path) -> None:
    network, card = warmed("mnk", spec)
    export_onnx(network, card, tmp_path / "net.onnx")
    inner = OnnxEvaluator(tmp_path / "net.onnx", parse_rules(spec))
    symmetric = SymmetricEvaluator(inner, parse_rules(spec))
    game, rng = GridGame(parse_rules(spec)), Random(3)
    for _ in range(5):
        position = game.position()
        for _ in range(4):
            position = position.play(rng.choice(position.legal_moves))
        total, value = np.zeros(game.move_count), 0.0
        for moves in game.symmetries:
            image = game.position([moves[move] for move in position.moves])
            logits, values = inner.evaluate(game.planes(image.state, card.planes)[None])
            chances = np.exp(logits[0]) / np.exp(logits[0]).sum()
            total += chances[moves] / len(game.symmetries)
            value += float(values[0]) / len(game.symmetries)
            answers = symmetric.evaluate(game.planes(image.state, card.planes)[None])
            again = symmetric.clone().evaluate(game.planes(position.state, card.planes)[None])
            np.testing.assert_allclose(answers[0][0][moves], again[0][0], atol=1e-5)
        batch = np.stack([game.planes(position.state, card.planes)] * 3)
        policy, values = symmetric.evaluate(batch)
        np.testing.assert_allclose(np.exp(policy), np.stack([total] * 3), atol=1e-5)
        np.testing.assert_allclose(values, [value] * 3, atol=1e-5)
