"""Muon: momentum made orthogonal for the kernels of convolutions, AdamW for all else.

A step of a kernel, taken as a matrix, has all its singular values near one: every direction is
learnt at the same pace, where a gradient learns a few and neglects the others (Jordan et al. 2024,
*Muon: An optimizer for hidden layers in neural networks*).
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import torch
from torch import Tensor, nn

#: What is done to the singular values, and how often: they end between 0.7 and 1.2.
_ODD_POWERS, _ROUNDS = (3.4445, -4.7750, 2.0315), 5
_MOMENTUM = 0.95
#: A kernel's rate next to that of the other weights, and the fewest inputs of what counts as one.
_KERNEL_RATE, _LEAST_INPUTS = 13.0, 16
_BETAS, _TINY = (0.9, 0.999), 1e-8


class Muon(torch.optim.Optimizer):
    """One rate for everything; kernels get a multiple of it.

    Weights are many and small: what is done to all of them is one call for all (``_foreach``),
    and kernels of one shape are one stack of matrices.
    """

    def __init__(
        self, parameters: Sequence[nn.Parameter], *, lr: float, weight_decay: float
    ) -> None:
        kernels = [p for p in parameters if p.ndim == 4 and p.shape[1] >= _LEAST_INPUTS]
        taken = {id(p) for p in kernels}
        others = [p for p in parameters if p.ndim > 1 and id(p) not in taken]
        groups = [
            {"params": kernels, "is_kernel": True, "weight_decay": weight_decay},
            {"params": others, "is_kernel": False, "weight_decay": weight_decay},
            # Only what multiplies is held back; norms and biases are free.
            {
                "params": [p for p in parameters if p.ndim <= 1],
                "is_kernel": False,
                "weight_decay": 0.0,
            },
        ]
        super().__init__(groups, {"lr": lr})

    # The base class has two signatures of which this keeps the one that is used.
    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Move every weight that has a gradient."""
        assert closure is None, "the gradients are there already"
        for group in self.param_groups:
            known = [p for p in group["params"] if p.grad is not None]
            if not known:
                continue
            torch._foreach_mul_(known, 1 - group["lr"] * group["weight_decay"])
            if group["is_kernel"]:
                for _, kernels in groupby(sorted(known, key=_shape), key=_shape):
                    self._move_kernels(list(kernels), group["lr"])
            else:
                self._move(known, group["lr"])

    def _move_kernels(self, kernels: list[Tensor], rate: float) -> None:
        """All of one shape."""
        gradients = _gradients(kernels)
        momenta = self._remembered(kernels, "momentum")
        torch._foreach_lerp_(momenta, gradients, 1 - _MOMENTUM)
        ahead = torch._foreach_lerp(gradients, momenta, _MOMENTUM)  # as Nesterov's
        torch._foreach_add_(kernels, orthogonal(ahead), alpha=-_KERNEL_RATE * rate)

    def _move(self, weights: list[Tensor], rate: float) -> None:
        gradients = _gradients(weights)
        means, squares = self._remembered(weights, "mean"), self._remembered(weights, "square")
        torch._foreach_lerp_(means, gradients, 1 - _BETAS[0])
        torch._foreach_mul_(squares, _BETAS[1])
        torch._foreach_addcmul_(squares, gradients, gradients, value=1 - _BETAS[1])
        steps = [self._count(weight) for weight in weights]
        spreads = torch._foreach_sqrt(squares)
        torch._foreach_div_(spreads, [(1 - _BETAS[1] ** step) ** 0.5 for step in steps])
        torch._foreach_add_(spreads, _TINY)
        rates = [-rate / (1 - _BETAS[0] ** step) for step in steps]
        torch._foreach_addcdiv_(weights, means, spreads, rates)

    def _remembered(self, weights: list[Tensor], name: str) -> list[Tensor]:
        """Of every weight, 0 to begin with."""
        for weight in weights:
            if name not in self.state[weight]:
                self.state[weight][name] = torch.zeros_like(weight)
        return [self.state[weight][name] for weight in weights]

    def _count(self, weight: Tensor) -> float:
        """How often it has moved, this time included."""
        count = self.state[weight].get("step", torch.zeros(())) + 1
        self.state[weight]["step"] = count
        return float(count)


def _shape(weight: Tensor) -> tuple[int, ...]:
    return tuple(weight.shape)


def _gradients(weights: list[Tensor]) -> list[Tensor]:
    return [weight.grad for weight in weights if weight.grad is not None]


def orthogonal(kernels: Sequence[Tensor]) -> list[Tensor]:
    """Kernels of one shape as matrices, a row per output, with singular values brought near one."""
    # Inputs last, which is how they lie in memory; the order of columns changes nothing.
    stack = torch.stack([kernel.movedim(1, -1) for kernel in kernels])
    matrix = stack.flatten(start_dim=2)  # [n, outputs, inputs of all cells]
    is_tall = matrix.shape[1] > matrix.shape[2]
    if is_tall:
        matrix = matrix.mT
    matrix = matrix / (matrix.norm(dim=(1, 2), keepdim=True) + 1e-7)
    # A round multiplies by a polynomial of the matrix' square, from the left; all of them commute,
    # so that the rounds only need the square, which is small, and the matrix itself comes last.
    first, third, fifth = _ODD_POWERS
    square = matrix @ matrix.mT
    one = torch.eye(matrix.shape[1], device=matrix.device).expand_as(square)
    factors = one
    for _ in range(_ROUNDS):
        factor = torch.baddbmm(third * square, square, square, alpha=fifth) + first * one
        factors = factor @ factors
        square = factor @ square @ factor
    matrix = factors @ matrix
    moved = (matrix.mT if is_tall else matrix).reshape(stack.shape)
    return [kernel.movedim(-1, 1) for kernel in moved]
