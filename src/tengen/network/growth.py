"""A larger network that answers like a smaller one, to go on where that has stood still.

Of every layer, the smaller network's weights are the corner of the larger one's:

                 old inputs   new inputs
    old outputs    as before      0
    new outputs    random       random

so that what is new hears everything and says nothing yet to what was there (as in Net2Net; Chen,
Goodfellow, Shlens 2016). New blocks add nothing to what passes through them.
"""

from torch import Tensor, nn

from tengen.network.architectures import Network, build
from tengen.network.architectures.resnet import PoolingBlock, Resnet
from tengen.network.config import NetworkConfig, ResnetConfig


def can_grow(config: NetworkConfig, wanted: NetworkConfig) -> bool:
    """Whether one is the other with more blocks or channels; ``resnet`` alone grows."""
    if not isinstance(config, ResnetConfig) or not isinstance(wanted, ResnetConfig):
        return False
    size = {"blocks": config.blocks, "channels": config.channels}
    return (
        wanted.blocks >= config.blocks
        and wanted.channels >= config.channels
        and wanted.model_copy(update=size) == config
    )


def grown(network: Network, wanted: NetworkConfig, *, seed: int) -> Network:
    """A network of these hyper-parameters that answers as the smaller one does."""
    assert can_grow(network.config, wanted), "what is wanted has another form or is smaller"
    larger = build(wanted, network.shape, seed=seed)
    assert isinstance(larger, Resnet), "others do not grow"
    old, new = network.state_dict(), larger.state_dict()
    assert isinstance(network, Resnet), "others do not grow"
    sums = {
        f"blocks.{index}.bias.weight"
        for index, block in enumerate(network.blocks)
        if isinstance(block, PoolingBlock)
    }
    for name, weights in old.items():
        if name in sums:  # three poolings of the same channels, one after the other
            _place(weights.unflatten(1, (3, -1)), new[name].unflatten(1, (3, -1)))
        else:
            _place(weights, new[name])
    for name, added in larger.named_parameters():
        # What a new block adds to what passes through it.
        if name not in old and name.endswith((".second.norm.weight", ".bias.weight")):
            nn.init.zeros_(added)
    return larger.train(network.training)


def _place(old: Tensor, new: Tensor) -> None:
    """Old weights into the corner of new ones, as drawn above."""
    if old.ndim > 1:
        new[: old.shape[0]] = 0
    new[tuple(slice(length) for length in old.shape)] = old
