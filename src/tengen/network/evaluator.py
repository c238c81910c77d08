"""Networks in use: an ``.onnx`` file behind two arrays in and two arrays out. No PyTorch."""

from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tengen.errors import SpecError
from tengen.network.card import METADATA_KEY, NetworkCard, check_fits
from tengen.network.shape import game_of
from tengen.rules import AnyGame, Rules

Precision = Literal["fp32", "int8"]

#: The name of the input in every exported network. # [batch, planes, rows, cols]
INPUT = "planes"

_PRECISIONS = ("fp32", "int8")
#: Positions per call on a CPU: what a layer leaves for the next then stays in its cache.
_CPU_BATCH = 32
_CUDA, _CPU = "CUDAExecutionProvider", "CPUExecutionProvider"
#: ONNX Runtime's level at which only what ends the program is printed.
_FATAL = 4


class OnnxEvaluator:
    """A network from an ``.onnx`` file, on the GPU where ONNX Runtime can use one."""

    def __init__(
        self, path: str | Path, game: AnyGame | Rules, *, precision: Precision = "fp32"
    ) -> None:
        game = game_of(game)
        if precision not in _PRECISIONS:
            raise SpecError(f"precision is {precision}; it must be {' or '.join(_PRECISIONS)}")
        where = f"network file {path}"
        model = _read(Path(path))
        try:
            session = open_session(model)
        except Exception as error:  # ONNX Runtime's errors have no common base
            raise SpecError(f"{where}: it is not a whole ONNX file") from error
        self.card = _card(session, where)
        check_fits(self.card, game, name=str(path))
        self.planes = self.card.planes
        self.has_value = self.card.has_value
        self._names = ["policy", "value"] if self.has_value else ["policy"]
        self._model = model
        self._use(session)
        self._try_out(game, where)
        if precision == "int8":
            # Only here, for it needs more packages than playing does.
            from tengen.network.quantisation import quantised

            self._model = quantised(model, game, self.planes)
            self._use(open_session(self._model))

    def evaluate(
        self, planes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Policy logits # [n, moves] and values for the mover # [n]; zeros when policy only."""
        if self.provider != "CPU" or len(planes) <= _CPU_BATCH:
            return self.evaluate_at_once(planes)
        starts = range(0, len(planes), _CPU_BATCH)
        parts = [self.evaluate_at_once(planes[i : i + _CPU_BATCH]) for i in starts]
        logits, values = zip(*parts, strict=True)
        return np.concatenate(logits), np.concatenate(values)

    def evaluate_at_once(
        self, planes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The same in one call, however large the batch."""
        answers = self._session.run(self._names, {INPUT: planes})
        values = answers[1] if self.has_value else np.zeros(len(planes), np.float32)
        return answers[0], values

    def _try_out(self, game: AnyGame, where: str) -> None:
        """Ask once, so that a network that is not what its card says is found out now."""
        start = game.planes(game.start(), self.planes)
        try:
            logits, values = self.evaluate_at_once(start[np.newaxis])
        except Exception as error:  # ONNX Runtime's errors have no common base
            raise SpecError(f"{where}: the network does not fit its card") from error
        if logits.shape != (1, game.move_count) or values.shape != (1,):
            raise SpecError(f"{where}: the network does not fit its card")
        if not (np.isfinite(logits).all() and np.isfinite(values).all()):
            raise SpecError(f"{where}: the network's answers are not numbers")

    def clone(self) -> Self:
        """Another session on the same network, for another thread."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._use(open_session(self._model))
        return twin

    def _use(self, session: Any) -> None:
        self._session = session
        self.provider = "CUDA" if session.get_providers()[0] == _CUDA else "CPU"


def open_session(model: bytes) -> Any:
    """A quiet session on one thread: threads are the caller's business."""
    import onnxruntime  # only here: whoever asks no network need not wait for it

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = _FATAL
    available = onnxruntime.get_available_providers()
    providers = [name for name in (_CUDA, _CPU) if name in available]
    return onnxruntime.InferenceSession(model, options, providers=providers)


def _read(path: Path) -> bytes:
    if not path.is_file():
        problem = "is not a file" if path.exists() else "does not exist"
        raise SpecError(f"network file {path} {problem}")
    try:
        return path.read_bytes()
    except OSError as error:
        raise SpecError(f"network file {path}: {error.strerror}") from None


def _card(session: Any, where: str) -> NetworkCard:
    """The card of a network whose input and outputs are as the card says."""
    text = session.get_modelmeta().custom_metadata_map.get(METADATA_KEY)
    if text is None:
        raise SpecError(f"{where}: it has no card; make networks with `tengen export`")
    card = NetworkCard.from_json(text, where=where)
    shapes = {entry.name: entry.shape for entry in session.get_inputs()}
    if list(shapes) != [INPUT] or len(shapes[INPUT]) != 4:
        raise SpecError(f"{where}: its inputs are {', '.join(shapes)}; it must have {INPUT} only")
    if shapes[INPUT][1] != len(card.planes):
        raise SpecError(
            f"{where}: it takes {shapes[INPUT][1]} planes; its card names "
            f"{len(card.planes)}: {'/'.join(card.planes)}"
        )
    answers = {entry.name for entry in session.get_outputs()}
    promised = {"policy": True, "value": card.has_value, "moves_left": card.has_moves_left}
    for name, is_promised in promised.items():
        if is_promised and name not in answers:
            raise SpecError(f"{where}: it has no output {name}, which its card promises")
    return card
