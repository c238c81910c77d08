"""Neural networks: what they are, the files they live in, and how a search asks them.

==============  ====================================================================
config          the hyper-parameters of every architecture
card            what a file says of the network in it, and which games that fits
shape           what a network knows of its game
architectures   the networks in PyTorch
weights         weights and card as safetensors
growth          a larger network that answers like a smaller one
export          from PyTorch to a checked ONNX file
evaluator       an ONNX file as two arrays in, two arrays out; all that playing needs
quantisation    the same in eight bits
bfloat16        a network in memory, in 16 bits, for self-play
symmetric       an evaluator averaged over the board's symmetries
shipped         from a name to a file
==============  ====================================================================

Names that need PyTorch are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from tengen.errors import SpecError
from tengen.network.card import NetworkCard, check_fits
from tengen.network.config import ARCHITECTURES, NetworkConfig, read_network
from tengen.network.evaluator import OnnxEvaluator, Precision
from tengen.network.shape import GameLike, GameShape
from tengen.network.shipped import resolve_network, resolve_weights, shipped_networks
from tengen.network.symmetric import SymmetricEvaluator

if TYPE_CHECKING:
    from tengen.network.architectures import Network, Output, build, value_of
    from tengen.network.bfloat16 import Bfloat16Evaluator, has_bfloat16, require_bfloat16
    from tengen.network.export import export_onnx
    from tengen.network.growth import can_grow, grown
    from tengen.network.weights import load_weights, save_weights

__all__ = [
    "ARCHITECTURES",
    "Bfloat16Evaluator",
    "GameLike",
    "GameShape",
    "Network",
    "NetworkCard",
    "NetworkConfig",
    "OnnxEvaluator",
    "Output",
    "Precision",
    "SymmetricEvaluator",
    "build",
    "can_grow",
    "check_fits",
    "export_onnx",
    "grown",
    "has_bfloat16",
    "load_weights",
    "read_network",
    "require_bfloat16",
    "resolve_network",
    "resolve_weights",
    "save_weights",
    "shipped_networks",
    "value_of",
]

_NEEDS_TORCH = {
    "Bfloat16Evaluator": "bfloat16",
    "Network": "architectures",
    "Output": "architectures",
    "build": "architectures",
    "value_of": "architectures",
    "can_grow": "growth",
    "export_onnx": "export",
    "grown": "growth",
    "has_bfloat16": "bfloat16",
    "load_weights": "weights",
    "require_bfloat16": "bfloat16",
    "save_weights": "weights",
}
_TRAIN_PACKAGES = ("onnx", "safetensors", "torch")


def __getattr__(name: str) -> object:
    if name not in _NEEDS_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_NEEDS_TORCH[name]}")
    except ModuleNotFoundError as error:
        if error.name not in _TRAIN_PACKAGES:
            raise
        raise SpecError(
            f"training and exporting need the package {error.name}: pip install 'tengen[train]'"
        ) from None
    return getattr(module, name)
