"""Files of networks and their cards: whole ones come back, others are told in one sentence."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from safetensors.torch import save_file

from tengen.errors import SpecError
from tengen.network import (
    ARCHITECTURES,
    NetworkCard,
    OnnxEvaluator,
    Output,
    check_fits,
    export_onnx,
    load_weights,
    read_network,
    resolve_network,
    save_weights,
)
from tengen.network.files import replacing
from tengen.rules import parse_rules
from tests.networks import made, warmed


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_weights_come_back_as_they_were(name: str, tmp_path: Path) -> None:
    network, card = warmed(name, "connect:5x5x4")
    card = card.model_copy(update={"step": 1200})
    path = tmp_path / "net.safetensors"
    save_weights(path, network, card)
    save_weights(path, network, card)  # replaces
    assert [entry.name for entry in tmp_path.iterdir()] == ["net.safetensors"]
    loaded, loaded_card = load_weights(path)
    assert loaded_card == card
    assert loaded_card.network_config == network.config
    for key, tensor in network.state_dict().items():
        assert torch.equal(loaded.state_dict()[key], tensor)


def test_a_card_fits_its_kind_of_game() -> None:
    _, free = made("resnet", "connect4")
    _, fixed = made("mnk", "gomoku")
    check_fits(free, parse_rules("connect:9x9x4"))
    check_fits(fixed, parse_rules("mnk:15x15x5:blocked=c3"))
    for card, spec, sentence in [
        (
            free,
            "gomoku",
            "network X is for connect4 (k=4 with gravity); it cannot play gomoku",
        ),
        (
            free,
            "connect:9x9x5",
            "network X is for connect4 (k=4 with gravity); it cannot play connect:9x9x5",
        ),
        (
            fixed,
            "caro",
            "network X is for gomoku (15x15, k=5 without gravity); it cannot play caro",
        ),
        (
            fixed,
            "gomoku-standard",
            "network X is for gomoku (15x15, k=5 without gravity); it cannot play gomoku-standard",
        ),
    ]:
        with pytest.raises(SpecError) as raised:
            check_fits(card, parse_rules(spec), name="X")
        assert str(raised.value) == sentence


def test_a_card_is_read_with_care() -> None:
    _, card = made("resnet", "connect4")
    values = json.loads(card.to_json())
    assert NetworkCard.from_json(card.to_json(), where="x") == card
    for change, sentence in [
        ({"format": 2}, "x: card.format is 2; it must be 1"),
        ({"game": "chess"}, "x: game 'chess': it is not known"),
        ({"architecture": "vit"}, "x: architecture 'vit' is not known; it must be one of resnet"),
        ({"config": {"blocks": 0}}, "x: resnet.blocks is 0; it must be at least 1"),
        ({"planes": ["mover"]}, "x: card.planes is mover; its config means mover/opponent/"),
        ({"has_value": False}, "x: card.has_value is false; its config means true"),
        ({"colour": 1}, "x: card has no key 'colour'"),
    ]:
        with pytest.raises(SpecError) as raised:
            NetworkCard.from_json(json.dumps(values | change), where="x")
        assert str(raised.value).startswith(sentence)
    del values["game"]
    for text, sentence in [
        (json.dumps(values), "x: card.game is missing"),
        ("[]", "x: its card is not a JSON object"),
        ("{", "x: its card is not JSON"),
    ]:
        with pytest.raises(SpecError) as raised:
            NetworkCard.from_json(text, where="x")
        assert str(raised.value) == sentence


@pytest.mark.parametrize(
    ("name", "values", "sentence"),
    [
        ("vit", {}, "architecture 'vit' is not known; it must be one of resnet, connectx, "),
        ("resnet", {"block": 3}, "resnet has no key 'block'; it has: planes, blocks, "),
        ("resnet", {"channels": "many"}, "resnet.channels is many; it must be a whole number"),
        ("resnet", {"planes": "mover/us"}, "resnet.planes is mover/us; plane 'us' is not known"),
        ("mnk", {"planes": "mover/mover"}, "mnk.planes is mover/mover; it must name each plane "),
        ("resnet", {"moves_left": "yes"}, "resnet.moves_left is yes; it must be on or off"),
        ("connectx", {"hidden": "8"}, "connectx.hidden is 8; it has the wrong number of parts"),
        ("connectx", {"hidden": "8/0"}, "connectx.hidden is 8/0; it must be at least 1"),
    ],
)
def test_a_wrong_setting_is_told(name: str, values: dict[str, object], sentence: str) -> None:
    with pytest.raises(SpecError) as raised:
        read_network(name, values)
    assert str(raised.value).startswith(sentence)


def test_heads_can_be_left_out() -> None:
    network, card = made("resnet", "connect4", moves_left="off", soft_policy="off", ending="off")
    output: Output = network(torch.zeros(2, 4, 6, 7))
    assert output.moves_left is None
    assert output.soft_policy is None
    assert output.ending is None
    assert not card.has_moves_left


def broken(whole: bytes) -> list[bytes]:
    """A file cut short in several places, and ones of another kind."""
    size = len(whole)
    cuts = [whole[:at] for at in (0, 1, 7, 100, size // 2, size - 1)]
    return [*cuts, b"hello\n" * 50, bytes(1000)]


def test_broken_weights_are_told_in_one_sentence(tmp_path: Path) -> None:
    network, card = made("mnk", "tictactoe")
    path = tmp_path / "net.safetensors"
    save_weights(path, network, card)
    for content in broken(path.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(SpecError, match="it is not a whole safetensors file"):
            load_weights(path)
    tensors = dict(network.state_dict())
    first = next(iter(tensors))
    metadata = {"tengen": card.to_json()}
    cases: list[tuple[dict[str, torch.Tensor], dict[str, str], str]] = [
        (tensors, {}, "it has no card; it was not written by tengen"),
        ({**tensors, "more": torch.zeros(1)}, metadata, "tensor more does not belong to"),
        ({first: tensors[first]}, metadata, "is missing"),
        ({**tensors, first: torch.zeros(2)}, metadata, f"tensor {first} has shape \\[2\\]; it"),
    ]
    for content_of, about, sentence in cases:
        save_file(content_of, path, metadata=about)
        with pytest.raises(SpecError, match=sentence):
            load_weights(path)
    with pytest.raises(SpecError, match="does not exist"):
        load_weights(tmp_path / "other.safetensors")
    with pytest.raises(SpecError, match="is not a file"):
        load_weights(tmp_path)
    with pytest.raises(SpecError, match=r"folder .* does not exist"):
        save_weights(tmp_path / "no" / "net.safetensors", network, card)


def test_broken_networks_are_told_in_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    network, card = made("mnk", "tictactoe")
    path = tmp_path / "net.onnx"
    export_onnx(network, card, path)
    whole = path.read_bytes()
    for content in broken(whole):
        path.write_bytes(content)
        with pytest.raises(SpecError, match=r"net\.onnx: it (is not a whole ONNX file|has no)"):
            OnnxEvaluator(path, parse_rules("tictactoe"))

    def changed(change: Callable[[Any], object]) -> None:
        model = onnx.load_from_string(whole)
        change(model)
        onnx.save(model, path)

    def with_card(other: NetworkCard) -> Callable[[Any], object]:
        return lambda model: setattr(model.metadata_props[0], "value", other.to_json())

    wider = made("mnk", "tictactoe", planes="mover/opponent/empty")[1]
    cases: list[tuple[Callable[[Any], object], str]] = [
        (lambda model: model.metadata_props.pop(), "it has no card; make networks with"),
        (with_card(wider), "it takes 2 planes; its card names 3: mover/opponent/empty"),
        (lambda model: model.graph.output.pop(), "it has no output value, which its card promises"),
    ]
    for change, sentence in cases:
        changed(change)
        with pytest.raises(SpecError, match=sentence):
            OnnxEvaluator(path, parse_rules("tictactoe"))
    with pytest.raises(SpecError, match="does not exist"):
        OnnxEvaluator(tmp_path / "other.onnx", parse_rules("tictactoe"))
    path.write_bytes(whole)
    with pytest.raises(SpecError, match=r"net\.onnx is for tictactoe \(3x3, k=3 without gravity\)"):
        OnnxEvaluator(path, parse_rules("gomoku"))
    with pytest.raises(SpecError, match="precision is fp16; it must be fp32 or int8"):
        OnnxEvaluator(path, parse_rules("tictactoe"), precision="fp16")  # type: ignore[arg-type]  # the point
    assert capfd.readouterr().err == "", "ONNX Runtime keeps quiet"


def test_a_file_takes_the_place_of_files_alone(tmp_path: Path) -> None:
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "file"
    os.mkfifo(pipe)
    file.write_text("before")
    link.symlink_to(file)
    with pytest.raises(SpecError, match="is a device and no file"), replacing(pipe):
        pass
    with replacing(link) as part:
        part.write_text("after")
    assert pipe.is_fifo()
    assert link.is_symlink()
    assert file.read_text() == "after"


def test_a_network_is_named_by_its_path_or_a_shipped_name(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    path.touch()
    assert resolve_network(str(path)) == path
    with pytest.raises(SpecError, match=r"network file no\.onnx does not exist"):
        resolve_network("no.onnx")
    with pytest.raises(SpecError, match="network 'no' is not known; it must be a path"):
        resolve_network("no")
