"""The architectures in PyTorch, one file each; ``base`` has their contract."""

import torch

from tengen.network.architectures.base import Network, Output, fold_norms, value_of
from tengen.network.architectures.connectx import Connectx
from tengen.network.architectures.gobang_lite import GobangLite
from tengen.network.architectures.gomoku_policy import GomokuPolicy
from tengen.network.architectures.mnk import Mnk
from tengen.network.architectures.resnet import Resnet
from tengen.network.config import (
    ConnectxConfig,
    GobangLiteConfig,
    GomokuPolicyConfig,
    MnkConfig,
    NetworkConfig,
    ResnetConfig,
)
from tengen.network.shape import GameLike, GameShape

__all__ = ["Network", "Output", "build", "fold_norms", "value_of"]


def build(config: NetworkConfig, game: GameLike, *, seed: int | None = None) -> Network:
    """A new network for a game; a seed makes its first weights repeatable."""
    with torch.random.fork_rng(devices=[], enabled=seed is not None):
        if seed is not None:
            torch.manual_seed(seed)
        return _build(config, GameShape.of(game))


def _build(config: NetworkConfig, shape: GameShape) -> Network:
    match config:
        case ResnetConfig():
            return Resnet(config, shape)
        case ConnectxConfig():
            return Connectx(config, shape)
        case GobangLiteConfig():
            return GobangLite(config, shape)
        case MnkConfig():
            return Mnk(config, shape)
        case GomokuPolicyConfig():
            return GomokuPolicy(config, shape)
    raise AssertionError(f"{config.name} has no module")
