"""``tengen export`` as a program sees it, and what happens without the extra ``train``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tengen.network import (
    NetworkCard,
    OnnxEvaluator,
    build,
    export_onnx,
    read_network,
    save_weights,
)
from tengen.rules import parse_rules
from tests.commands import run, run_program


def test_a_new_network_can_be_used_at_once(tmp_path: Path) -> None:
    out = tmp_path / "new.onnx"
    sets = ["--set", "blocks=1", "--set", "channels=8", "--seed", "3"]
    # The program itself: nothing is said on stderr, by PyTorch's export either.
    result = run_program("export", "--new", "resnet", "--game", "connect4", *sets, str(out))
    assert result.stdout.startswith(f"{out}: resnet for connect4, step 0, ")
    assert "checked (difference at most" in result.stdout
    assert result.stderr == ""
    assert OnnxEvaluator(out, parse_rules("connect4")).card.config["blocks"] == 1


def test_weights_become_a_network(tmp_path: Path) -> None:
    rules, config = parse_rules("tictactoe"), read_network("mnk", {"channels": 8})
    weights, out = tmp_path / "net.safetensors", tmp_path / "net.onnx"
    save_weights(weights, build(config, rules), NetworkCard.of(config, rules, step=70))
    document = json.loads(run("export", str(weights), str(out), "--json").stdout)
    assert list(document) == [
        "path",
        "game",
        "architecture",
        "step",
        "parameters",
        "bytes",
        "difference",
    ]
    assert document["step"] == 70
    assert document["bytes"] == out.stat().st_size


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.safetensors", "b.pt"], "the last file is b.pt; it must end in .onnx"),
        (["b.onnx"], "give WEIGHTS.safetensors OUT.onnx, or --new ARCH --game GAME OUT.onnx"),
        (["no.safetensors", "b.onnx"], "weights no.safetensors: it does not exist"),
        (["--new", "mnk", "b.onnx"], "a new network is made by --new ARCH --game GAME OUT.onnx"),
        (["--new", "vit", "--game", "caro", "b.onnx"], "architecture 'vit' is not known"),
        (["--new", "mnk", "--game", "chess", "b.onnx"], "game 'chess': it is not known"),
        (["--new", "mnk", "--game", "caro", "--set", "x", "b.onnx"], "--set 'x' is not key=value"),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], message: str) -> None:
    result = run("export", *arguments)
    assert result.returncode == 2
    assert result.stderr.startswith(f"tengen: {message}")
    assert len(result.stderr.splitlines()) == 1


WITHOUT_TRAIN = """
import sys
for name in ("torch", "safetensors", "onnx"):
    sys.modules[name] = None  # what an import finds where the package is not installed
import tengen.network
from tengen.rules import parse_rules
{0}
"""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tengen.network.build", "training and exporting need the package torch: pip install"),
        ("tengen.network.OnnxEvaluator(sys.argv[1], parse_rules('tictactoe'))", ""),
        (
            "tengen.network.OnnxEvaluator(sys.argv[1], parse_rules('tictactoe'), precision='int8')",
            "precision=int8 needs the package onnx: pip install 'tengen[train]'",
        ),
    ],
)
def test_playing_needs_no_torch(line: str, message: str, tmp_path: Path) -> None:
    out = tmp_path / "net.onnx"
    rules, config = parse_rules("tictactoe"), read_network("mnk", {"channels": 8})
    export_onnx(build(config, rules), NetworkCard.of(config, rules), out)
    program = WITHOUT_TRAIN.format(line)
    result = subprocess.run(
        [sys.executable, "-c", program, str(out)], capture_output=True, text=True, check=False
    )
    assert message in result.stderr
    assert (result.returncode == 0) == (message == "")
