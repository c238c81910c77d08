"""``connectx``: four convolutions and four dense layers, the last two of which are the heads."""

import torch
from torch import Tensor, nn

from tengen.network.architectures.base import Network, Output, initialise
from tengen.network.config import ConnectxConfig
from tengen.network.shape import GameShape


class Connectx(Network):
    """A small network for one size of board."""

    def __init__(self, config: ConnectxConfig, shape: GameShape) -> None:
        super().__init__(config, shape)
        layers: list[nn.Module] = []
        inputs = len(config.planes)
        for _ in range(4):
            layers += [nn.Conv2d(inputs, config.channels, 3, padding=1), nn.ReLU()]
            inputs = config.channels
        layers.append(nn.Flatten())
        inputs *= self.cells
        for width in config.hidden:
            layers += [nn.Linear(inputs, width), nn.ReLU()]
            inputs = width
        self.trunk = nn.Sequential(*layers)
        self.policy = nn.Linear(inputs, self.moves)
        self.value = nn.Linear(inputs, 1)
        initialise(self, last_layers=[self.policy, self.value])

    def forward(self, planes: Tensor) -> Output:
        trunk = self.trunk(planes)
        return Output(policy=self.policy(trunk), value=torch.tanh(self.value(trunk)[:, 0]))
