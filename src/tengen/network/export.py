"""From PyTorch to ONNX: what is needed to play, checked against the original before it counts."""

import copy
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tengen.errors import TengenError
from tengen.network.architectures import Network, fold_norms, value_of
from tengen.network.card import METADATA_KEY, NetworkCard
from tengen.network.evaluator import INPUT, open_session
from tengen.network.files import replacing

#: How far an exported network's answers may be from the original's: absolute up to 1, else
#: relative.
TOLERANCE = 1e-4
#: The oldest set of operators that has all that is used here.
_OPSET = 17
_BATCHES = (1, 2, 7)


class _Inference(nn.Module):
    """A network cut down to what is asked of it in play."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        output = self.network(planes)
        answers = [output.policy]
        if output.value is not None:
            answers.append(value_of(output))
        if output.moves_left is not None:
            answers.append(output.moves_left)
        return tuple(answers)


def export_onnx(network: Network, card: NetworkCard, path: str | Path) -> float:
    """Write a network to be played with; returns its greatest difference from the original."""
    original = _Inference(copy.deepcopy(network).cpu().eval())
    folded = copy.deepcopy(original)
    fold_norms(folded)
    with replacing(Path(path)) as part:
        _trace(folded, card, part)
        model = onnx.load_model(part)
        assert all(node.op_type != "BatchNormalization" for node in model.graph.node)
        entry = model.metadata_props.add()
        entry.key, entry.value = METADATA_KEY, card.to_json()
        onnx.save_model(model, part)
        difference = _difference(original, card, part.read_bytes())
        if not difference <= TOLERANCE:  # also when it is not a number
            raise TengenError(
                f"export to {path}: answers differ from the original by {difference:.1e}; "
                f"at most {TOLERANCE:.0e} is allowed"
            )
    return difference


def _output_names(card: NetworkCard) -> list[str]:
    """What an exported network answers, in order."""
    return [
        "policy",
        *(["value"] if card.has_value else []),
        *(["moves_left"] if card.has_moves_left else []),
    ]


def _trace(module: nn.Module, card: NetworkCard, path: Path) -> None:
    """Write a module as an ONNX file; the board's size stays open where the card says so."""
    names = _output_names(card)
    axes = {name: {0: "batch"} for name in (INPUT, *names)}
    if card.is_size_free:
        axes[INPUT] |= {2: "rows", 3: "cols"}
        axes["policy"] |= {1: "moves"}
    example = torch.zeros(2, len(card.planes), card.shape.rows, card.shape.cols)
    with warnings.catch_warnings():
        # The newer exporter needs one more package and takes ten times as long.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            (example,),
            path,
            input_names=[INPUT],
            output_names=names,
            dynamic_axes=axes,
            opset_version=_OPSET,
            dynamo=False,
        )


def _difference(original: nn.Module, card: NetworkCard, model: bytes) -> float:
    """The greatest difference on random boards, of other sizes too where that is allowed."""
    rows, cols = card.shape.rows, card.shape.cols
    sizes = [(rows, cols), (rows + 1, cols + 2), (3, 4)] if card.is_size_free else [(rows, cols)]
    session = open_session(model)
    rng = np.random.default_rng(0)
    differences = [0.0]
    for rows, cols in sizes:
        for batch in _BATCHES:
            shape = (batch, len(card.planes), rows, cols)
            planes = rng.integers(0, 2, shape).astype(np.float32)
            with torch.inference_mode():
                expected = original(torch.from_numpy(planes))
            given: list[NDArray[np.float32]] = session.run(_output_names(card), {INPUT: planes})
            for answer, tensor in zip(given, expected, strict=True):
                right = tensor.numpy()
                off = np.abs(answer - right) / np.maximum(1, np.abs(right))
                differences.append(float(np.max(off)))
    return float(np.max(differences))
