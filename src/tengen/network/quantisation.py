"""Networks in eight bits: a quarter of the size, at some loss of accuracy."""

import logging
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from tengen.errors import SpecError
from tengen.network.evaluator import INPUT
from tengen.rules import AnyGame, Outcome

#: Positions whose activations set the scale of the eight bits.
_POSITIONS, _BATCH = 128, 32
_SEED = 0


def quantised(model: bytes, game: AnyGame, planes: Sequence[str]) -> bytes:
    """The same network with eight-bit weights and activations, by the range of random play."""
    try:
        from onnxruntime import quantization
        from onnxruntime.quantization.shape_inference import quant_pre_process
    except ModuleNotFoundError as error:
        raise SpecError(
            f"precision=int8 needs the package {error.name}: pip install 'tengen[train]'"
        ) from None

    # The base class has no types.
    class Reader(quantization.CalibrationDataReader):  # type: ignore[misc]
        """Hands out the batches one by one."""

        def __init__(self) -> None:
            self._batches = iter(_batches(game, planes))

        def get_next(self) -> dict[str, NDArray[np.float32]] | None:
            batch = next(self._batches, None)
            return None if batch is None else {INPUT: batch}

    with tempfile.TemporaryDirectory() as folder:
        given, ready, made = (Path(folder) / name for name in ("given", "ready", "made"))
        given.write_bytes(model)
        before = logging.root.manager.disable
        logging.disable(logging.WARNING)  # advice for whoever tunes models by hand
        try:
            quant_pre_process(str(given), str(ready), skip_symbolic_shape=True)
            quantization.quantize_static(
                str(ready),
                str(made),
                Reader(),
                quant_format=quantization.QuantFormat.QDQ,
                op_types_to_quantize=["Conv", "Gemm", "MatMul"],
                per_channel=True,
                # Without it sums of eight-bit products overflow on processors before VNNI.
                reduce_range=True,
            )
        finally:
            logging.disable(before)
        return made.read_bytes()


def _batches(game: AnyGame, planes: Sequence[str]) -> list[NDArray[np.float32]]:
    """Positions of random play. # [batch, planes, rows, cols] each."""
    positions = _random_play(game, planes)
    stacked = np.stack([next(positions) for _ in range(_POSITIONS)])
    return [stacked[start : start + _BATCH] for start in range(0, _POSITIONS, _BATCH)]


def _random_play(game: AnyGame, planes: Sequence[str]) -> Iterator[NDArray[np.float32]]:
    rng = Random(_SEED)
    while True:
        state = game.start()
        while game.outcome(state) is Outcome.ongoing:
            yield game.planes(state, planes)
            state = game.play(state, rng.choice(game.legal_moves(state)))
