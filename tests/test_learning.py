"""Teaching a network: it learns, and a run that goes on is the run that was never stopped."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tengen
from tengen.network import NetworkCard, build, read_network
from tengen.rules import GridGame
from tengen.selfplay import SelfPlay, SelfPlaySettings
from tengen.training.checkpoint import load_checkpoint, save_checkpoint
from tengen.training.learner import Learner, LearnSettings
from tengen.training.muon import Muon, orthogonal
from tengen.training.samples import Samples, TargetSettings, averaged, samples_of
from tengen.training.state import RunState
from tests.evaluators import TableEvaluator
from tests.networks import SMALL


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def grid(spec: str) -> GridGame:
    game = tengen.game(spec)
    assert isinstance(game, GridGame)
    return game


def taught(game: GridGame, planes: tuple[str, ...], games: int = 40) -> Samples:
    """Positions of self-play by an evaluator that means nothing."""
    evaluator = TableEvaluator(game.move_count)
    records = SelfPlay(game, evaluator, SelfPlaySettings(sims=16, games=16), seed=1).play(
        range(games)
    )
    ordered = sorted(records, key=lambda record: record.index)
    return averaged(
        Samples.joined([samples_of(game, r, planes, TargetSettings()) for r in ordered])
    )


def learner_of(name: str, game: GridGame, *, threads: int = 1, **settings: Any) -> Learner:
    config = read_network(name, SMALL[name])
    chosen = LearnSettings.read({"batch": 64, "warm_up": 5, **settings}, where="learn")
    return Learner(game, build(config, game.rules, seed=3), chosen, seed=7, threads=threads)


@pytest.mark.parametrize("name", SMALL)
def test_every_architecture_learns(name: str) -> None:
    game = grid("mnk:5x5x4")
    learner = learner_of(name, game, rate=0.003)
    samples = taught(game, learner.network.config.planes, games=8).take(slice(0, 64))
    first = learner.learn(samples, 5, progress=0)
    learner.learn(samples, 80, progress=0)
    last = learner.learn(samples, 5, progress=0)
    assert last.policy < first.policy
    assert last.total < first.total
    assert learner.step == 90


def weights_of(learner: Learner) -> torch.Tensor:
    return torch.cat([weight.detach().flatten() for weight in learner.network.parameters()])


def test_two_threads_work_out_a_batch_where_the_one_before_will_have_moved_the_network() -> None:
    game = grid("tictactoe")
    plain: dict[str, Any] = {
        "optimiser": "sgd",
        "momentum": 0,
        "weight_decay": 0,
        "warm_up": 0,
        "clip": 1e6,
    }
    two = learner_of("resnet", game, threads=2, **plain)
    samples = taught(game, two.network.config.planes)
    weights = [weights_of(two)]
    two.learn(samples, 4, progress=0, on_step=lambda _: weights.append(weights_of(two)))

    def moved(step: int, start: torch.Tensor) -> torch.Tensor:
        """By the batch of a step, when asked of these weights."""
        one = learner_of("resnet", game, **plain)
        parameters = list(one.network.parameters())
        parts = torch.split(start, [weight.numel() for weight in parameters])
        with torch.no_grad():
            for weight, part in zip(parameters, parts, strict=True):
                weight.copy_(part.reshape(weight.shape))
        one.step = step
        one.learn(samples, 1, progress=0)
        return weights_of(one) - start

    first, second, third, fourth, last = weights
    # Nothing is known yet of how the first batch moves it when the second is begun.
    for step, asked, before, after in [
        (0, first, first, second),
        (1, first, second, third),
        (2, 2 * second - first, third, fourth),
        (3, 2 * third - second, fourth, last),
    ]:
        torch.testing.assert_close(after - before, moved(step, asked), rtol=1e-3, atol=1e-6)


def test_two_threads_learn_the_same_every_time() -> None:
    game = grid("tictactoe")
    results = []
    for _ in range(2):
        learner = learner_of("resnet", game, threads=2, optimiser="muon")
        learner.learn(taught(game, learner.network.config.planes), 9, progress=0)
        results.append(weights_of(learner))
    assert torch.equal(*results)


def test_learning_that_diverges_says_so() -> None:
    game = grid("tictactoe")
    learner = learner_of("mnk", game)
    with torch.no_grad():
        next(learner.network.parameters()).fill_(math.nan)
    samples = taught(game, learner.network.config.planes)
    with pytest.raises(tengen.TengenError, match=r"after step 1 the loss .* learning has diverged"):
        learner.learn(samples, 1, progress=0)


def test_losses_on_positions_are_those_of_what_plays() -> None:
    game = grid("tictactoe")
    learner = learner_of("resnet", game, average=0.0)
    samples = taught(game, learner.network.config.planes)
    before = learner.losses_on(samples)
    assert before.policy > 1
    learner.learn(samples, 30, progress=0)
    after = learner.losses_on(samples)
    assert after.total < before.total
    assert after == learner.losses_on(samples), "asking changes nothing"


def test_where_nobody_knows_the_end_nothing_is_asked_of_it() -> None:
    game = grid("tictactoe")
    learner = learner_of("resnet", game)
    samples = taught(game, learner.network.config.planes)
    known = learner.losses_on(samples)
    assert known.moves_left
    assert known.ending
    nothing = np.zeros_like(samples.moves_left), np.zeros_like(samples.ending)
    unknown = replace(samples, moves_left=nothing[0], ending=nothing[1])
    assert learner.losses_on(unknown).moves_left == 0
    assert learner.losses_on(unknown).ending == 0


def test_what_a_network_does_not_say_has_no_loss() -> None:
    game = grid("tictactoe")
    learner = learner_of("mnk", game, average=0.0)
    samples = taught(game, learner.network.config.planes)
    for losses in (learner.losses_on(samples), learner.learn(samples, 2, progress=0)):
        assert (losses.moves_left, losses.soft_policy, losses.ending) == (None, None, None)
        assert losses.value is not None
        assert losses.total == pytest.approx(losses.policy + losses.value)


def test_the_rate_goes_up_and_then_down() -> None:
    settings = LearnSettings(rate=1, warm_up=10, last_rate=0.1)
    assert settings.rate_at(0, 0) == pytest.approx(0.1)
    assert settings.rate_at(9, 0) == pytest.approx(1)
    assert settings.rate_at(500, 0.5) == pytest.approx(0.55)
    assert settings.rate_at(500, 1) == pytest.approx(0.1)


@pytest.mark.parametrize("shape", [(24, 16, 3, 3), (64, 16, 1, 1)])
def test_muons_steps_have_singular_values_near_one(shape: tuple[int, ...]) -> None:
    torch.manual_seed(1)
    gradient = torch.randn(shape) * torch.logspace(-1, 1, shape[1])[:, None, None]
    [step] = orthogonal([gradient])
    assert step.shape == gradient.shape
    values = torch.linalg.svdvals(step.flatten(start_dim=1))
    assert values.max() < 1.3
    assert values.median() > 0.6
    assert (step.flatten() @ gradient.flatten()) > 0, "it still goes downhill"


def test_muon_moves_kernels_by_its_own_rule_and_the_rest_as_adamw_does() -> None:
    torch.manual_seed(1)
    kernel, bias = (torch.nn.Parameter(torch.randn(size)) for size in ((16, 16, 3, 3), (16,)))
    twin = torch.nn.Parameter(bias.detach().clone())
    before = kernel.detach().clone()
    muon = Muon([kernel, bias], lr=0.01, weight_decay=0.0)
    adamw = torch.optim.AdamW([twin], lr=0.01, weight_decay=0.0)
    for number in range(3):
        kernel.grad = torch.full_like(kernel, 0.5)
        bias.grad = torch.linspace(-1, 1, 16) * (number + 1)
        twin.grad = bias.grad.clone()
        muon.step()
        adamw.step()
    torch.testing.assert_close(bias, twin)
    moved = before - kernel
    assert moved.min() > 0
    torch.testing.assert_close(moved, torch.full_like(moved, moved.mean().item()))


def test_the_average_follows_the_weights() -> None:
    game = grid("tictactoe")
    learner = learner_of("mnk", game)
    samples = taught(game, learner.network.config.planes)
    learner.learn(samples, 20, progress=0)
    newest, average = learner.network.state_dict(), learner.averaged.state_dict()
    for name, value in average.items():
        assert value.shape == newest[name].shape
    assert any(not torch.equal(value, newest[name]) for name, value in average.items())
    assert not learner.averaged.training


@pytest.mark.parametrize("optimiser", ["adamw", "muon", "sgd"])
def test_going_on_from_a_checkpoint_changes_nothing(tmp_path: Path, optimiser: str) -> None:
    game = grid("connect4")
    config = read_network("resnet", SMALL["resnet"])
    card = NetworkCard.of(config, game.rules, step=6)
    whole, stopped, resumed = (learner_of("resnet", game, optimiser=optimiser) for _ in range(3))
    samples = taught(game, config.planes, games=10)
    whole.learn(samples, 6, progress=0)
    stopped.learn(samples, 6, progress=0)
    state = RunState(iteration=2, step=stopped.step, games=10, seconds=1.5)
    save_checkpoint(tmp_path / "checkpoint", stopped, card, state)
    assert load_checkpoint(tmp_path / "checkpoint", resumed) == state
    for learner in (whole, resumed):
        learner.learn(samples, 6, progress=0.5)
    for name, value in whole.network.state_dict().items():
        assert torch.equal(value, resumed.network.state_dict()[name]), name
    for name, value in whole.averaged.state_dict().items():
        assert torch.equal(value, resumed.averaged.state_dict()[name]), name


def test_a_broken_checkpoint_is_told(tmp_path: Path) -> None:
    game = grid("tictactoe")
    learner = learner_of("mnk", game)
    with pytest.raises(tengen.TengenError, match="does not exist"):
        load_checkpoint(tmp_path / "nowhere", learner)
    card = NetworkCard.of(learner.network.config, game.rules)
    folder = tmp_path / "checkpoint"
    save_checkpoint(folder, learner, card, RunState(0, 0, 0, 0.0))
    (folder / "state.json").write_text("{}")
    with pytest.raises(tengen.TengenError, match="cannot be read"):
        load_checkpoint(folder, learner)
    assert np.isfinite(learner.learn(taught(game, card.planes, 4), 1, progress=0).total)
