"""Weights as safetensors, with the card in the file's metadata; nothing in it is ever executed."""

from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from tengen.errors import SpecError
from tengen.network.architectures import Network, build
from tengen.network.card import METADATA_KEY, NetworkCard
from tengen.network.files import replacing


def save_weights(path: str | Path, network: Network, card: NetworkCard) -> None:
    """Write the weights and their card; the file is whole or stays as it was."""
    tensors = {name: value.contiguous() for name, value in network.state_dict().items()}
    with replacing(Path(path)) as part:
        save_file(tensors, part, metadata={METADATA_KEY: card.to_json()})


def load_weights(path: str | Path) -> tuple[Network, NetworkCard]:
    """The network of a file, in evaluation mode, and its card."""
    where = f"weights {path}"
    if not Path(path).is_file():
        problem = "is not a file" if Path(path).exists() else "does not exist"
        raise SpecError(f"{where}: it {problem}")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            # The file is no mapping: it has keys() but cannot be iterated over.
            tensors: dict[str, Tensor] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError:
        raise SpecError(f"{where}: it is not a whole safetensors file") from None
    if METADATA_KEY not in metadata:
        raise SpecError(f"{where}: it has no card; it was not written by tengen")
    card = NetworkCard.from_json(metadata[METADATA_KEY], where=where)
    network = build(card.network_config, card.shape)
    _check_tensors(tensors, network, where)
    network.load_state_dict(tensors)
    return network.eval(), card


def _check_tensors(tensors: dict[str, Tensor], network: Network, where: str) -> None:
    expected = network.state_dict()
    for name in sorted(expected.keys() ^ tensors.keys()):
        problem = "is missing" if name in expected else "does not belong to its architecture"
        raise SpecError(f"{where}: tensor {name} {problem}")
    for name, tensor in tensors.items():
        if tensor.shape != expected[name].shape:
            given, meant = (list(shape) for shape in (tensor.shape, expected[name].shape))
            raise SpecError(f"{where}: tensor {name} has shape {given}; it must be {meant}")
