"""What every architecture is made of: the contract of a network, and the parts they share."""

import math
from typing import NamedTuple

from torch import Tensor, nn
from torch.nn import functional

from tengen.network.config import NetworkConfig
from tengen.network.shape import GameShape

#: How small the last layers' answers start, so that a new network is almost uniform and undecided.
_LAST_LAYER_GAIN = 0.1


class Output(NamedTuple):
    """A network's answer for a batch, everything from the mover's point of view."""

    #: Logits of the moves. # [batch, moves]
    policy: Tensor
    #: Logits of win, draw and loss # [batch, 3], or the value itself # [batch]; or no value.
    value: Tensor | None = None
    #: Plies to the end of the game. # [batch]
    moves_left: Tensor | None = None
    #: Logits of a flatter policy, for training only. # [batch, moves]
    soft_policy: Tensor | None = None
    #: Logits of the final board, for training only. # [batch, 4, rows, cols]
    ending: Tensor | None = None


def value_of(output: Output) -> Tensor:
    """The value in [-1, 1], whichever way the network says it. # [batch]."""
    assert output.value is not None, "a policy network has no value"
    if output.value.ndim == 1:
        return output.value
    win, _, loss = functional.softmax(output.value, dim=1).unbind(dim=1)
    return win - loss


class Network(nn.Module):
    """A module from planes # [batch, planes, rows, cols] to an :class:`Output`."""

    def __init__(self, config: NetworkConfig, shape: GameShape) -> None:
        super().__init__()
        self.config = config
        self.shape = shape
        self.cells = shape.cells
        self.moves = shape.move_count

    def forward(self, planes: Tensor) -> Output:
        """The answer for a batch of positions."""
        raise NotImplementedError  # every architecture has its own


class ConvNorm(nn.Module):
    """A convolution that keeps the board's size, and the batch norm that folds into it."""

    def __init__(self, inputs: int, outputs: int, *, kernel: int = 3) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False)
        self.norm: nn.Module = nn.BatchNorm2d(outputs)

    def forward(self, features: Tensor) -> Tensor:
        """Convolve and normalise; what follows chooses the non-linearity."""
        normed: Tensor = self.norm(self.conv(features))
        return normed

    def fold(self) -> None:
        """Become a single convolution that answers as the two did in evaluation mode."""
        if isinstance(self.norm, nn.BatchNorm2d):
            self.conv = nn.utils.fuse_conv_bn_eval(self.conv, self.norm)
            self.norm = nn.Identity()


def fold_norms(network: nn.Module) -> None:
    """Make it answer the same in evaluation mode with fewer layers; it cannot learn any more."""
    for module in network.modules():
        if isinstance(module, ConvNorm):
            module.fold()


class ResidualBlock(nn.Module):
    """Two convolutions around which the features also pass unchanged."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = ConvNorm(channels, channels)
        self.second = ConvNorm(channels, channels)

    def forward(self, features: Tensor) -> Tensor:
        """The features and what the convolutions add to them."""
        inner = functional.relu(self.first(features))
        return functional.relu(features + self.second(inner))


def initialise(network: nn.Module, *, last_layers: list[nn.Module]) -> None:
    """Keep the size of activations from layer to layer (He et al., 2015); let the last be small."""
    for module in network.modules():
        if isinstance(module, nn.Conv1d | nn.Conv2d | nn.Linear):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    for module in last_layers:
        assert isinstance(module.weight, Tensor), "a last layer has weights"
        fan_in = module.weight[0].numel()
        nn.init.normal_(module.weight, std=_LAST_LAYER_GAIN / math.sqrt(fan_in))
