"""The networks that come with the package are what their cards say."""

import numpy as np
import pytest
import torch

import tengen
from tengen.arena import evaluate, every_position, read_positions
from tengen.network import OnnxEvaluator, load_weights, resolve_network, resolve_weights
from tengen.network.architectures import value_of
from tengen.network.shipped import shipped_networks
from tengen.players import default_opponent
from tengen.rules import GridGame

#: Of the positions for choosing, so that no test looks at those for judging.
FIRST = 300


def found(name: str, count: int | None = None) -> tuple[int, int, int]:
    """Good moves, perfect moves and positions, of the policy alone."""
    game = tengen.game(name)
    assert isinstance(game, GridGame)
    labelled = every_position(game) if count is None else read_positions(game, f"{name}-select")
    player = tengen.player(f"net:{name},sims=0", game, seed=1)
    total = evaluate(player, list(labelled)[:count]).total
    return total.good.hits, total.perfect.hits, total.good.count


@pytest.mark.parametrize("name", ["connect4", "tictactoe"])
def test_every_network_has_a_card_and_is_the_default_opponent(name: str) -> None:
    assert name in shipped_networks()
    card = resolve_network(name).with_suffix(".md").read_text()
    for row in ("command", "settings", "machine", "time", "policy alone"):
        assert f"| {row}" in card
    assert default_opponent(tengen.game(name)) == f"net:{name}"


def test_weights_to_train_on_are_those_of_the_network_that_plays() -> None:
    game = tengen.game("connect4")
    network, card = load_weights(resolve_weights("connect4"))
    playing = OnnxEvaluator(resolve_network("connect4"), game)
    assert card == playing.card
    labelled = read_positions(game, "connect4-select")[:20]
    planes = np.stack([game.planes(one.position.state, card.planes) for one in labelled])
    with torch.inference_mode():
        output = network(torch.from_numpy(planes))
    logits, values = playing.evaluate(planes)
    np.testing.assert_allclose(output.policy, logits, atol=1e-3)
    np.testing.assert_allclose(value_of(output), values, atol=1e-3)


def test_tictactoe_never_spoils_a_result() -> None:
    good, perfect, count = found("tictactoe")
    assert good == count == 4520
    assert perfect > 0.99 * count


def test_connect4_plays_as_well_as_its_card_says() -> None:
    good, perfect, count = found("connect4", FIRST)
    assert count == FIRST
    assert good > 0.93 * count
    assert perfect > 0.79 * count
