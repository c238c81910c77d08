"""Sixteen bits: in a program of their own, as not every machine can use the units it announces."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import tengen
from tengen.network import bfloat16
from tengen.training.run import Run
from tengen.training.settings import TrainSettings
from tests.commands import run

#: Without the units (AMX), which every machine can do.
PLAIN = {"ONEDNN_MAX_CPU_ISA": "AVX2"}

COMPARED = """
import numpy as np
import torch
from tengen.network import Bfloat16Evaluator, value_of
from tests.networks import boards, warmed

network, card = warmed("resnet", "connect4")
planes = boards("connect4", card.planes, 40)
evaluator = Bfloat16Evaluator(network)
logits, values = evaluator.clone().evaluate(planes)
with torch.inference_mode():
    exact = network(torch.from_numpy(planes))
assert evaluator.planes == card.planes
assert evaluator.has_value
assert logits.dtype == values.dtype == np.float32
assert 0 < np.abs(logits - exact.policy.numpy()).max() < 0.05 * exact.policy.abs().max()
assert 0 < np.abs(values - value_of(exact).numpy()).max() < 0.02
print("compared")
"""

TRAINED = """
import sys
import tengen

short = {"precision": "bf16"}
small = {
    "games": 6,
    "threads": 2,
    "network_values": {"blocks": 1, "channels": 16},
    "selfplay": {"games": 3, "sims": 4, **short},
    "learn": {"batch": 16, **short},
}
steps = []
tengen.train(
    "tictactoe", small, name="run", runs=sys.argv[1], iterations=2,
    on_event=lambda event: steps.append(event.figures.get("steps", 0)),
)
assert sum(steps) >= 2
print("trained")
"""


@pytest.fixture(autouse=True)
def _tried_anew() -> Iterator[None]:
    """No test knows what another has made of this machine."""
    bfloat16._is_possible.cache_clear()
    yield
    bfloat16._is_possible.cache_clear()


def output_of(script: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, **PLAIN},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_sixteen_bits_answer_nearly_the_same() -> None:
    assert output_of(COMPARED) == "compared\n"


def test_a_run_in_sixteen_bits_plays_and_learns(tmp_path: Path) -> None:
    assert output_of(TRAINED, str(tmp_path)) == "trained\n"
    assert (tmp_path / "run" / "best.onnx").is_file()


def test_with_a_gate_the_best_plays_which_is_a_file_of_32_bits(tmp_path: Path) -> None:
    chosen = ("--set", "selfplay.precision=bf16", "--set", "gate.kind=win_rate")
    done = run("train", "tictactoe", "--runs", str(tmp_path), *chosen)
    assert done.returncode == 2
    assert "with bf16 the newest network plays, so that the gate must be never" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("has_units", "changed", "playing", "learning"),
    [
        (True, {}, "bf16", "bf16"),
        (False, {}, "fp32", "fp32"),
        (True, {"threads": 1}, "fp32", "fp32"),
        (True, {"gate": {"kind": "win_rate"}}, "fp32", "bf16"),
        (True, {"learn": {"precision": "fp32"}}, "bf16", "fp32"),
    ],
)
def test_a_run_keeps_the_precision_that_was_left_to_the_machine_it_began_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    has_units: bool,
    changed: dict[str, object],
    playing: str,
    learning: str,
) -> None:
    monkeypatch.setattr("tengen.training.run.has_bfloat16", lambda: has_units)
    monkeypatch.setattr("tengen.training.run.require_bfloat16", lambda: None)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    left = {"selfplay": {"precision": "auto"}, "learn": {"precision": "auto"}}
    settings = TrainSettings.model_validate(left | changed)
    Run.begin(tmp_path / "run", tengen.game("tictactoe"), settings).close()
    monkeypatch.setattr("tengen.training.run.has_bfloat16", lambda: not has_units)
    run = Run.resume(tmp_path / "run")
    run.close()
    found = (run.settings.selfplay.precision, run.settings.learn.precision)
    assert found == (playing, learning)


def test_sixteen_bits_are_left_alone_where_pytorch_cannot_use_what_is_announced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_bf16": True}, raising=False)
    monkeypatch.setattr(bfloat16, "_TRIAL", "import os; os.abort()")
    assert not bfloat16.has_bfloat16()
    monkeypatch.setattr(bfloat16, "_TRIAL", "")
    bfloat16._is_possible.cache_clear()
    assert bfloat16.has_bfloat16()
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_f": True}, raising=False)
    assert not bfloat16.has_bfloat16()


def test_sixteen_bits_are_refused_where_they_would_end_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bfloat16, "_TRIAL", "import os; os.abort()")
    chosen = TrainSettings.model_validate({"learn": {"precision": "bf16"}})
    with pytest.raises(tengen.SpecError, match="bf16, which PyTorch cannot use on this machine"):
        Run.begin(tmp_path / "run", tengen.game("tictactoe"), chosen)
    assert list(tmp_path.iterdir()) == []
