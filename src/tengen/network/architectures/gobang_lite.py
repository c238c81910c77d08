"""``gobang-lite``: a residual tower next to a light U-Net, joined before the two heads.

::

    planes ── stem ──┬── residual blocks ───────────────────┬── join ──┬── policy
                     └── encode ─ encode ─ decode ─ decode ─┘          └── value
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from tengen.network.architectures.base import (
    ConvNorm,
    Network,
    Output,
    ResidualBlock,
    initialise,
)
from tengen.network.config import GobangLiteConfig
from tengen.network.shape import GameShape

#: How often the U-Net halves the board, and how wide it is next to the tower.
_LEVELS, _SHARE = 2, 4
#: Length of the depth-wise convolutions along rows and columns: a five and its two ends.
_REACH = 7
#: How large the weights of these start.
_FIRST_STD = 0.1
_POLICY_CHANNELS, _VALUE_CHANNELS = 2, 1


class AxialConv(nn.Module):
    """Depth-wise convolutions along the row and the column, then a point-wise one."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.row = _along(inputs, (1, _REACH))
        self.column = _along(inputs, (_REACH, 1))
        self.point = ConvNorm(inputs, outputs, kernel=1)

    def start_small(self) -> None:
        """Let the features pass almost unchanged at first, so that they do not grow by level."""
        for layer in (self.row, self.column):
            nn.init.normal_(layer.weight, std=_FIRST_STD)

    def forward(self, features: Tensor) -> Tensor:
        """Features that know of their row and column."""
        along = features + self.row(features) + self.column(features)
        return functional.relu(self.point(along))


def _along(channels: int, kernel: tuple[int, int]) -> nn.Conv2d:
    """Every channel by itself; a bias would be lost in the batch norm that follows."""
    padding = (kernel[0] // 2, kernel[1] // 2)
    return nn.Conv2d(channels, channels, kernel, padding=padding, groups=channels, bias=False)


class LightUnet(nn.Module):
    """Halve the board a few times and come back, with a way across at every size."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.enter = AxialConv(inputs, width)
        self.encoders = nn.ModuleList(
            AxialConv(width << level, width << (level + 1)) for level in range(_LEVELS)
        )
        self.decoders = nn.ModuleList(
            AxialConv((width << (level + 1)) + (width << level), width << level)
            for level in reversed(range(_LEVELS))
        )

    def forward(self, features: Tensor) -> Tensor:
        """Features of the same board, as wide as the first level."""
        rows, cols = features.shape[2], features.shape[3]
        # Halving must come out even; what is added at the right and below is cut off again.
        multiple = 1 << _LEVELS
        features = functional.pad(features, (0, -cols % multiple, 0, -rows % multiple))
        features = self.enter(features)
        across: list[Tensor] = []
        for encoder in self.encoders:
            across.append(features)
            features = encoder(functional.max_pool2d(features, 2))
        for decoder in self.decoders:
            larger = functional.interpolate(features, scale_factor=2.0, mode="nearest")
            features = decoder(torch.cat((larger, across.pop()), dim=1))
        return features[:, :, :rows, :cols]


class GobangLite(Network):
    """A network for one size of board."""

    def __init__(self, config: GobangLiteConfig, shape: GameShape) -> None:
        super().__init__(config, shape)
        channels, width = config.channels, config.channels // _SHARE
        self.stem = ConvNorm(len(config.planes), channels)
        self.tower = nn.Sequential(*(ResidualBlock(channels) for _ in range(config.blocks)))
        self.unet = LightUnet(channels, width)
        self.join = ConvNorm(channels + width, channels, kernel=1)
        self.policy = nn.Sequential(
            ConvNorm(channels, _POLICY_CHANNELS, kernel=1),
            nn.ReLU(),
            nn.Flatten(),
            policy := nn.Linear(_POLICY_CHANNELS * self.cells, self.moves),
        )
        self.value = nn.Sequential(
            ConvNorm(channels, _VALUE_CHANNELS, kernel=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(_VALUE_CHANNELS * self.cells, config.hidden),
            nn.ReLU(),
            value := nn.Linear(config.hidden, 1),
        )
        initialise(self, last_layers=[policy, value])
        for module in self.modules():
            if isinstance(module, AxialConv):
                module.start_small()

    def forward(self, planes: Tensor) -> Output:
        stem = functional.relu(self.stem(planes))
        both = torch.cat((self.tower(stem), self.unet(stem)), dim=1)
        trunk = functional.relu(self.join(both))
        return Output(policy=self.policy(trunk), value=torch.tanh(self.value(trunk)[:, 0]))
