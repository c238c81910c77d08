"""Small networks and random boards for the tests of networks."""

from random import Random

import numpy as np
import torch
from numpy.typing import NDArray

import tengen
from tengen.network import Network, NetworkCard, build, read_network
from tengen.rules import Outcome

#: Small versions, so that the tests are about shapes rather than about patience.
SMALL: dict[str, dict[str, object]] = {
    "resnet": {"blocks": 3, "channels": 16},
    "connectx": {"channels": 16, "hidden": (32, 16)},
    "gobang-lite": {"blocks": 2, "channels": 16, "hidden": 16},
    "mnk": {"channels": 16, "hidden": 16},
    "gomoku-policy": {"hidden": (64, 32)},
}


def made(name: str, spec: str, **values: object) -> tuple[Network, NetworkCard]:
    game = tengen.game(spec)
    config = read_network(name, {**SMALL[name], **values})
    return build(config, game, seed=1), NetworkCard.of(config, game)


def warmed(name: str, spec: str, **values: object) -> tuple[Network, NetworkCard]:
    """A network whose batch norms have seen something, and whose answers are not almost zero."""
    network, card = made(name, spec, **values)
    network.train()
    for _ in range(3):
        network(torch.from_numpy(boards(spec, card.planes, 16)))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(1.2)
    return network.eval(), card


def boards(spec: str, planes: tuple[str, ...], count: int, seed: int = 1) -> NDArray[np.float32]:
    """Positions of random play. # [count, planes, rows, cols]."""
    game, rng = tengen.game(spec), Random(seed)
    found: list[NDArray[np.float32]] = []
    while len(found) < count:
        state = game.start()
        while game.outcome(state) is Outcome.ongoing:
            found.append(game.planes(state, planes))
            state = game.play(state, rng.choice(game.legal_moves(state)))
    return np.stack(Random(seed).sample(found, count))
