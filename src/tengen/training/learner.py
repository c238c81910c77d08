"""Teaching a network: losses, the optimiser, and the running average of its weights."""

import copy
import math
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor
from torch.nn import functional

from tengen.config import Settings
from tengen.errors import TengenError
from tengen.network import Network, Output
from tengen.rules import AnyGame
from tengen.selfplay import RunPrecision
from tengen.training.muon import Muon
from tengen.training.samples import Samples, soft_policy, turned

#: Positions that are asked about at once.
_AT_ONCE = 1000
#: Batches that are worked out at once, where there are threads for it.
_UNDER_WAY = 2


class LearnSettings(Settings):
    """How a network is taught."""

    optimiser: Literal["adamw", "muon", "sgd"] = Field(
        default="adamw", description="muon: for kernels of convolutions, else adamw"
    )
    rate: float = Field(default=2e-3, gt=0, le=10, description="learning rate after the warm-up")
    warm_up: int = Field(default=100, ge=0, description="steps until the rate is reached")
    last_rate: float = Field(
        default=0.1, ge=0, le=1, description="share of the rate that is left at the end of a run"
    )
    momentum: float = Field(default=0.9, ge=0, lt=1, description="of sgd")
    weight_decay: float = Field(default=0.02, ge=0, le=1, description="or L2 of sgd")
    batch: int = Field(default=512, ge=1, le=1 << 16, description="positions per step")
    average: float = Field(default=0.997, ge=0, lt=1, description="EMA of the weights; 0: none")
    clip: float = Field(default=5, gt=0, description="largest norm of a gradient")
    value_weight: float = Field(default=1, ge=0, description="of the value in the loss")
    moves_left_weight: float = Field(default=0.05, ge=0, description="of the plies left")
    soft_policy_weight: float = Field(default=0.5, ge=0, description="of the flatter policy")
    ending_weight: float = Field(default=5, ge=0, description="of the final board, mean of cells")
    precision: RunPrecision = Field(
        default="fp32", description="of the network's inner numbers, see selfplay.precision"
    )

    def rate_at(self, step: int, progress: float) -> float:
        """The rate of a step, when a share ``progress`` of the run is over: up, then a cosine."""
        warm = min(1.0, (step + 1) / self.warm_up) if self.warm_up else 1.0
        wave = 0.5 * (1 + math.cos(math.pi * min(1.0, max(0.0, progress))))
        return self.rate * warm * (self.last_rate + (1 - self.last_rate) * wave)


@dataclass(frozen=True, slots=True)
class Losses:
    """Means over the steps of one call, each before its weight; None for what is not said."""

    policy: float
    value: float | None
    moves_left: float | None
    soft_policy: float | None
    ending: float | None
    #: Of the network's policy.
    entropy: float
    total: float

    @classmethod
    def of(cls, sums: NDArray[np.float64], count: int) -> "Losses":
        """From the sums of such numbers, where not a number stands for None."""
        policy, *others, entropy, total = (sums / max(1, count)).tolist()
        value, left, soft, ending = (None if math.isnan(loss) else loss for loss in others)
        return cls(policy, value, left, soft, ending, entropy, total)


#: The gradient of the loss on a batch, and what :class:`Losses` are made of.
_Answer = tuple[Sequence[Tensor | None], NDArray[np.float64]]


class _Weights:
    """All that a network consists of, listed once: PyTorch goes through its modules every time."""

    def __init__(self, network: Network) -> None:
        self.parameters: list[Tensor] = list(network.parameters())
        self.buffers = list(network.buffers())
        #: Everything, and what of it can be averaged; the copies of a network share the order.
        self.tensors = [*self.parameters, *self.buffers]
        self.numbers = [tensor for tensor in self.tensors if tensor.is_floating_point()]
        self.counts = [tensor for tensor in self.buffers if not tensor.is_floating_point()]


class Learner:
    """A network, its average, and the state of its optimiser.

    With two threads or more two batches are worked out at once, each with a copy of the network:

        copy 1   | batch 0        | batch 2        | batch 4
        copy 2   | batch 1                | batch 3        |
        moves                     0       1        2       3

    The network is moved by one batch while the other is under way: no core is idle for long, unless
    it is much the faster one. Batch 2 is begun when batch 1 has not moved the network yet; so it is
    asked of the network where batch 1 will have moved it if it is like batch 0 (as in
    SpecTrain, Chen, Yang, Cheng 2018). The order is always the same, chance has no part in it.
    """

    def __init__(
        self,
        game: AnyGame,
        network: Network,
        settings: LearnSettings,
        *,
        seed: int,
        threads: int = 1,
    ) -> None:
        self.settings = settings
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if self._device.type == "cuda":
            threads = 1  # the card takes the whole batch
        # Channels inside, in memory, is what convolutions work fastest on. PyTorch's types do not
        # know that modules take a format too.
        self.network: Network = network.to(self._device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        #: What plays: the average of the weights over the last steps.
        self.averaged = copy.deepcopy(network).eval()
        self.step = 0
        self._game = game
        self._seed = seed
        copies = min(threads, _UNDER_WAY)
        self._twins = [copy.deepcopy(network).train() for _ in range(copies)]
        self._pool = ThreadPoolExecutor(
            copies, initializer=torch.set_num_threads, initargs=(threads // copies,)
        )
        self.optimiser = _optimiser(network, settings)
        self._weights = {
            module: _Weights(module) for module in (self.network, self.averaged, *self._twins)
        }

    def start_from(self, network: Network) -> None:
        """Begin with the weights of another network of the same architecture."""
        self.network.load_state_dict(network.state_dict())
        self.averaged.load_state_dict(network.state_dict())

    def learn(
        self,
        samples: Samples,
        steps: int,
        *,
        progress: float,
        on_step: Callable[[int], None] = lambda _: None,
    ) -> Losses:
        """Take so many steps, each on positions drawn at random and turned at random."""
        torch.set_num_threads(1)
        sums = np.zeros(len(Losses.__slots__))
        first = begun = self.step
        last = first + steps
        under_way: deque[tuple[Network, Future[_Answer]]] = deque()
        before: list[Tensor] | None = None
        while self.step < last:
            while begun < last and len(under_way) < len(self._twins):
                twin = self._twins[begun % len(self._twins)]
                self._copy(twin, before if under_way else None)
                under_way.append((twin, self._pool.submit(self._gradients, twin, samples, begun)))
                begun += 1
            twin, answer = under_way.popleft()
            gradients, losses = answer.result()
            before = [weight.detach().clone() for weight in self._own.parameters]
            self._move(twin, gradients, progress)
            sums += losses
            on_step(self.step - first)
        if not math.isfinite(sums[-1]):  # the total, of all that is said
            raise TengenError(
                f"after step {self.step} the loss is not a number: learning has diverged; a run "
                "with a lower learn.rate may not"
            )
        return Losses.of(sums, steps)

    @torch.no_grad()
    def losses_on(self, samples: Samples) -> Losses:
        """Of what plays, on positions that it need not have learnt from."""
        sums = np.zeros(len(Losses.__slots__))
        for rows in np.array_split(np.arange(len(samples)), 1 + len(samples) // _AT_ONCE):
            sums += len(rows) * self._answer(self.averaged, samples.take(rows))[1]
        return Losses.of(sums, len(samples))

    def _draw(self, samples: Samples, step: int) -> tuple[Samples, int]:
        """The positions of a step, and a seed for chance inside the network.

        They depend on the step alone, so that a resumed run goes on as it would have.
        """
        chance = np.random.default_rng([self._seed, step])
        seed = int(chance.integers(2**63))
        size = min(self.settings.batch, len(samples))
        rows = chance.choice(len(samples), size, replace=False)
        symmetry = chance.integers(len(self._game.symmetries), size=size)
        return turned(samples.take(rows), self._game, symmetry), seed

    @property
    def _own(self) -> _Weights:
        return self._weights[self.network]

    @torch.no_grad()
    def _copy(self, twin: Network, before: list[Tensor] | None) -> None:
        """Make a copy equal to the network; with the weights before it last moved, a move ahead."""
        own, copied = self._own, self._weights[twin]
        torch._foreach_copy_(copied.tensors, own.tensors)
        if before is not None:
            ahead = torch._foreach_lerp(before, own.parameters, 2.0)
            torch._foreach_copy_(copied.parameters, ahead)

    def _gradients(self, twin: Network, samples: Samples, step: int) -> _Answer:
        batch, seed = self._draw(samples, step)
        torch.manual_seed(seed)
        total, losses = self._answer(twin, batch)
        weights = self._weights[twin].parameters
        return torch.autograd.grad(total, weights, allow_unused=True), losses

    def _move(self, twin: Network, gradients: Sequence[Tensor | None], progress: float) -> None:
        """Take the step that a copy has worked out; the average follows."""
        own = self._own
        for parameter, gradient in zip(own.parameters, gradients, strict=True):
            parameter.grad = gradient
        for group in self.optimiser.param_groups:
            group["lr"] = self.settings.rate_at(self.step, progress)
        torch.nn.utils.clip_grad_norm_(own.parameters, self.settings.clip)
        self.optimiser.step()
        # What its batch norms have seen: of every other batch, if there are two copies.
        _copy_all(own.buffers, self._weights[twin].buffers)
        self.step += 1
        self._average()

    def _answer(self, network: Network, batch: Samples) -> tuple[Tensor, NDArray[np.float64]]:
        """The loss on a batch, and what :class:`Losses` are made of."""
        planes = self._tensor(batch.planes).float()
        output = self._ask(network, planes.contiguous(memory_format=torch.channels_last))
        policy, *others = self._losses(output, batch)
        assert policy is not None, "every network has one"
        settings = self.settings
        weights = (
            settings.value_weight,
            settings.moves_left_weight,
            settings.soft_policy_weight,
            settings.ending_weight,
        )
        total = policy
        for weight, part in zip(weights, others, strict=True):
            if part is not None:
                total = total + weight * part
        parts = (policy, *others, entropy_of(output.policy), total)
        return total, np.array([math.nan if part is None else part.item() for part in parts])

    def _ask(self, network: Network, planes: Tensor) -> Output:
        """Its answers in 32 bits, whatever it computes with inside."""
        is_short = self.settings.precision == "bf16"
        with torch.autocast(self._device.type, torch.bfloat16, enabled=is_short):
            output: Output = network(planes)
        given = {name: answer for name, answer in output._asdict().items() if answer is not None}
        return Output(**{name: answer.float() for name, answer in given.items()})

    def _tensor(self, values: NDArray[np.generic]) -> Tensor:
        """Where the network is."""
        return torch.from_numpy(values).to(self._device)

    def _losses(self, output: Output, batch: Samples) -> tuple[Tensor | None, ...]:
        """In the order of :class:`Losses`, up to the ending."""
        weight = self._tensor(batch.weight)
        weight = weight / weight.sum()
        policy = cross_entropy(output.policy, self._tensor(batch.policy)) @ weight
        value, left, soft, ending = None, None, None, None
        if output.value is not None:
            value = _value_loss(output.value, self._tensor(batch.value)) @ weight
        if output.moves_left is not None:
            target = self._tensor(batch.moves_left)
            errors = functional.huber_loss(output.moves_left, target, reduction="none")
            left = (errors * (target > 0)) @ weight
        if output.soft_policy is not None:
            flatter = self._tensor(soft_policy(batch.policy))
            soft = cross_entropy(output.soft_policy, flatter) @ weight
        if output.ending is not None:
            ending = _ending_loss(output.ending, self._tensor(batch.ending)) @ weight
        return policy, value, left, soft, ending

    @torch.no_grad()
    def _average(self) -> None:
        # Early on the average would mostly be the weights nobody has trained yet.
        kept = min(self.settings.average, self.step / (self.step + 10))
        average, own = self._weights[self.averaged], self._own
        _copy_all(average.counts, own.counts)
        torch._foreach_lerp_(average.numbers, own.numbers, 1 - kept)


def _copy_all(to: list[Tensor], tensors: list[Tensor]) -> None:
    """There may be none, which PyTorch does not take for a list of tensors."""
    if to:
        torch._foreach_copy_(to, tensors)


def cross_entropy(logits: Tensor, target: Tensor) -> Tensor:
    """Per row. # [n]."""
    return -(target * functional.log_softmax(logits, dim=1)).sum(dim=1)


def entropy_of(logits: Tensor) -> Tensor:
    """The mean over the rows."""
    with torch.no_grad():
        return cross_entropy(logits, functional.softmax(logits, dim=1)).mean()


def _value_loss(value: Tensor, target: Tensor) -> Tensor:
    """Of win, draw and loss, or of one number: the square of its distance to win minus loss."""
    if value.ndim == 2:
        return cross_entropy(value, target)
    return (value - (target[:, 0] - target[:, 2])) ** 2


def _ending_loss(ending: Tensor, target: Tensor) -> Tensor:
    """Per row, the mean over the cells; 0 for a game whose end nobody saw. # [n]."""
    shares = target.float() / 255
    each = functional.binary_cross_entropy_with_logits(ending, shares, reduction="none")
    return each.mean(dim=(1, 2, 3)) * target.flatten(start_dim=1).any(dim=1)


def _optimiser(network: Network, settings: LearnSettings) -> torch.optim.Optimizer:
    parameters = list(network.parameters())
    if settings.optimiser == "sgd":
        return torch.optim.SGD(
            parameters,
            lr=settings.rate,
            momentum=settings.momentum,
            weight_decay=settings.weight_decay,
        )
    if settings.optimiser == "muon":
        return Muon(parameters, lr=settings.rate, weight_decay=settings.weight_decay)
    # Only what multiplies is held back; norms and biases are free.
    groups = [
        {"params": [p for p in parameters if p.ndim > 1], "weight_decay": settings.weight_decay},
        {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=settings.rate, fused=True)
