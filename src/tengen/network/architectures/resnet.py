"""``resnet``: residual blocks with global pooling; the same weights play on any board.

Nothing in it depends on the board's size: convolutions see a neighbourhood, and pooling tells every
cell about the whole board.
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
from tengen.network.config import ResnetConfig
from tengen.network.shape import ENDING_PLANES, GameShape

#: Every so many blocks one pools; it costs little, and far threats need only a few of them.
_POOL_EVERY = 2
#: The side around which the mean is weighted by the size, as in KataGo.
_MIDDLE_SIDE = 10.0
#: Channels of the heads, and of the dense layer that judges.
_HEAD, _JUDGE = 32, 64
#: Plies by which the moves-left layer counts, so that its numbers stay near one.
_PLIES_UNIT = 20.0


def pool(features: Tensor, side: Tensor) -> Tensor:
    """Mean, mean weighted by the board's size, and maximum. # [batch, 3 * channels].

    The second lets a layer tell a count of cells from a share of them (Wu, 2019).
    """
    mean = features.mean(dim=(2, 3))
    weight = (side - _MIDDLE_SIDE) / _MIDDLE_SIDE
    return torch.cat((mean, mean * weight, features.amax(dim=(2, 3))), dim=1)


class PoolingBlock(nn.Module):
    """A residual block in which some channels, pooled, add a bias to every channel."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = ConvNorm(channels, channels)
        self.second = ConvNorm(channels, channels)
        self.pooled = max(4, channels // 4)
        self.bias = nn.Linear(3 * self.pooled, channels, bias=False)

    def forward(self, features: Tensor, side: Tensor) -> Tensor:
        """The features, what the convolutions add, and what the whole board says."""
        inner = functional.relu(self.first(features))
        bias = self.bias(pool(inner[:, : self.pooled], side))
        return functional.relu(features + self.second(inner) + bias[:, :, None, None])


class PolicyHead(nn.Module):
    """One logit per move, in one of three ways; twice with a soft policy.

    On a gravity board one per column; where moves are cells one per cell, and those of further
    moves from the whole board; and where a game numbers its moves in a way of its own, a dense
    layer sees every cell.
    """

    def __init__(self, config: ResnetConfig, shape: GameShape) -> None:
        super().__init__()
        self.cell = ConvNorm(config.channels, _HEAD, kernel=1)
        self.whole = ConvNorm(config.channels, _HEAD, kernel=1)
        self.bias = nn.Linear(3 * _HEAD, _HEAD, bias=False)
        self.policies = 1 + config.soft_policy
        self.gravity = shape.rules is not None and shape.rules.gravity
        # The feature of the cell where a stone would land says more than its column's pool.
        self.playable = (
            config.planes.index("playable")
            if self.gravity and "playable" in config.planes
            else None
        )
        self.extra: nn.Linear | None = None
        self.last: nn.Conv1d | nn.Linear
        if self.gravity or shape.extra_moves is not None:
            views = 1 if not self.gravity else 2 if self.playable is None else 3
            # A bias would add the same to all logits, which the softmax does not see.
            self.last = nn.Conv1d(views * _HEAD, self.policies, 1, bias=False)
            if shape.extra_moves:
                self.extra = nn.Linear(3 * _HEAD, self.policies * shape.extra_moves)
        else:
            self.last = nn.Linear(_HEAD * shape.cells, self.policies * shape.move_count)

    @property
    def last_layers(self) -> list[nn.Module]:
        """Those whose answers are the logits."""
        return [self.last] if self.extra is None else [self.last, self.extra]

    def forward(self, trunk: Tensor, planes: Tensor, side: Tensor) -> Tensor:
        """Logits. # [batch, 1 or 2, moves]."""
        whole = pool(functional.relu(self.whole(trunk)), side)
        features = functional.relu(self.cell(trunk) + self.bias(whole)[:, :, None, None])
        if isinstance(self.last, nn.Linear):
            return self._per_policy(self.last(features.flatten(start_dim=1)))
        logits: Tensor = self.last(
            self._columns(features, planes) if self.gravity else features.flatten(start_dim=2)
        )
        if self.extra is None:
            return logits
        return torch.cat((logits, self._per_policy(self.extra(whole))), dim=2)

    def _per_policy(self, logits: Tensor) -> Tensor:
        """The answer of a dense layer. # [batch, 1 or 2, its moves]."""
        return logits.reshape(-1, self.policies, logits.shape[1] // self.policies)

    def _columns(self, features: Tensor, planes: Tensor) -> Tensor:
        """Features per column, whatever the number of rows. # [batch, features, cols]."""
        views = [features.mean(dim=2), features.amax(dim=2)]
        if self.playable is not None:
            landing = planes[:, self.playable : self.playable + 1]
            views.append((features * landing).sum(dim=2))
        return torch.cat(views, dim=1)


class EndingHead(nn.Module):
    """What every cell will hold when the game is over. It is never asked in play.

    Who wins is one number a game; where the stones end up is one a cell, and teaches the trunk much
    of what the value needs (as ownership does in KataGo; Wu, 2019).
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.cell = ConvNorm(channels, _HEAD, kernel=1)
        self.last = nn.Conv2d(_HEAD, ENDING_PLANES, 1)

    def forward(self, trunk: Tensor) -> Tensor:
        """Logits. # [batch, 4, rows, cols]."""
        logits: Tensor = self.last(functional.relu(self.cell(trunk)))
        return logits


class Resnet(Network):
    """The default architecture."""

    def __init__(self, config: ResnetConfig, shape: GameShape) -> None:
        super().__init__(config, shape)
        self.stem = ConvNorm(len(config.planes), config.channels)
        self.blocks = nn.ModuleList(
            PoolingBlock(config.channels)
            if index % _POOL_EVERY == _POOL_EVERY - 1
            else ResidualBlock(config.channels)
            for index in range(config.blocks)
        )
        self.policy = PolicyHead(config, shape)
        self.has_soft_policy = config.soft_policy
        self.judged = ConvNorm(config.channels, _HEAD, kernel=1)
        self.judge = nn.Linear(3 * _HEAD, _JUDGE)
        self.value = nn.Linear(_JUDGE, 3)
        self.moves_left = nn.Linear(_JUDGE, 1) if config.moves_left else None
        self.ending = EndingHead(config.channels) if config.ending else None
        last_layers = [*self.policy.last_layers, self.value, self.moves_left]
        if self.ending is not None:
            last_layers.append(self.ending.last)
        initialise(self, last_layers=[layer for layer in last_layers if layer is not None])

    def forward(self, planes: Tensor) -> Output:
        # A sum rather than the shape, so that an exported network computes it for every board.
        side = torch.ones_like(planes[:, 0]).sum(dim=(1, 2)).sqrt()[:, None]  # [batch, 1]
        trunk = functional.relu(self.stem(planes))
        for block in self.blocks:
            trunk = block(trunk, side) if isinstance(block, PoolingBlock) else block(trunk)
        logits = self.policy(trunk, planes, side)
        judged = functional.relu(self.judge(pool(functional.relu(self.judged(trunk)), side)))
        return Output(
            policy=logits[:, 0],
            value=self.value(judged),
            moves_left=None
            if self.moves_left is None
            else _PLIES_UNIT * functional.softplus(self.moves_left(judged)[:, 0]),
            soft_policy=logits[:, 1] if self.has_soft_policy else None,
            ending=None if self.ending is None else self.ending(trunk),
        )
