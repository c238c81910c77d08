"""``gomoku-policy``: 5×5 convolutions and wide dense layers that learn moves from records."""

from torch import Tensor, nn

from tengen.network.architectures.base import Network, Output, initialise
from tengen.network.config import GomokuPolicyConfig
from tengen.network.shape import GameShape

_CHANNELS = (16, 32, 32, 48)
#: Cells added on every side, so that the edge looks different from an empty cell.
_PADDING = 2
_KERNEL = 5


class GomokuPolicy(Network):
    """A policy for one size of board."""

    def __init__(self, config: GomokuPolicyConfig, shape: GameShape) -> None:
        super().__init__(config, shape)
        layers: list[nn.Module] = [nn.ZeroPad2d(_PADDING)]
        inputs = len(config.planes)
        for width in _CHANNELS:
            layers.append(nn.Conv2d(inputs, width, _KERNEL, padding=_KERNEL // 2))
            layers += [nn.ReLU(), nn.Dropout(config.dropout)]
            inputs = width
        layers.append(nn.Flatten())
        inputs *= (shape.rows + 2 * _PADDING) * (shape.cols + 2 * _PADDING)
        for width in config.hidden:
            layers += [nn.Linear(inputs, width), nn.ReLU(), nn.Dropout(config.dropout)]
            inputs = width
        self.trunk = nn.Sequential(*layers)
        self.policy = nn.Linear(inputs, self.moves)
        initialise(self, last_layers=[self.policy])

    def forward(self, planes: Tensor) -> Output:
        return Output(policy=self.policy(self.trunk(planes)))
