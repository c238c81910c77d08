"""``mnk``: four convolutions with batch norm and leaky ReLU, and two heads."""

import torch
from torch import Tensor, nn

from tengen.network.architectures.base import ConvNorm, Network, Output, initialise
from tengen.network.config import MnkConfig
from tengen.network.shape import GameShape

#: Channels that the heads see; more would only make their dense layers large.
_POLICY_CHANNELS, _VALUE_CHANNELS = 4, 2


class Mnk(Network):
    """A small network for one size of board."""

    def __init__(self, config: MnkConfig, shape: GameShape) -> None:
        super().__init__(config, shape)
        layers: list[nn.Module] = []
        inputs = len(config.planes)
        for _ in range(4):
            layers += [ConvNorm(inputs, config.channels), nn.LeakyReLU()]
            inputs = config.channels
        self.trunk = nn.Sequential(*layers)
        self.policy = nn.Sequential(
            ConvNorm(inputs, _POLICY_CHANNELS, kernel=1),
            nn.LeakyReLU(),
            nn.Flatten(),
            policy := nn.Linear(_POLICY_CHANNELS * self.cells, self.moves),
        )
        self.value = nn.Sequential(
            ConvNorm(inputs, _VALUE_CHANNELS, kernel=1),
            nn.LeakyReLU(),
            nn.Flatten(),
            nn.Linear(_VALUE_CHANNELS * self.cells, config.hidden),
            nn.LeakyReLU(),
            value := nn.Linear(config.hidden, 1),
        )
        initialise(self, last_layers=[policy, value])

    def forward(self, planes: Tensor) -> Output:
        trunk = self.trunk(planes)
        return Output(policy=self.policy(trunk), value=torch.tanh(self.value(trunk)[:, 0]))
