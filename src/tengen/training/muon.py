"""Muon: momentum made orthogonal for the kernels of convolutions, AdamW for all else.

A step of a kernel, taken as a matrix, has all its singular values near one: every direction is
learnt at the same pace, where a gradient learns a few and neglects the others (Jordan et al. 2024,
*Muon: An optimizer for hidden layers in neural networks*).
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
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
    """One rate for everything; kernels get a multiple of it, and share out the pool's threads."""

    def __init__(
        self,
        parameters: Sequence[nn.Parameter],
        *,
        lr: float,
        weight_decay: float,
        pool: Executor | None = None,
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
        self._map = map if pool is None else pool.map

    # The base class has two signatures of which this keeps the one that is used.
    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Move every weight that has a gradient."""
        assert closure is None, "the gradients are there already"
        for group in self.param_groups:
            known = [p for p in group["params"] if p.grad is not None]
            for parameter in known:
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
            if group["is_kernel"]:
                list(self._map(partial(self._move_kernel, rate=group["lr"]), known))
            else:
                for parameter in known:
                    self._move(parameter, parameter.grad, group["lr"])

    @torch.no_grad()  # which every thread has to say for itself
    def _move_kernel(self, kernel: Tensor, *, rate: float) -> None:
        gradient = kernel.grad
        assert gradient is not None, "only those that have one"
        state = self.state[kernel]
        if not state:
            state["momentum"] = torch.zeros_like(kernel)
        state["momentum"].lerp_(gradient, 1 - _MOMENTUM)
        ahead = gradient.lerp(state["momentum"], _MOMENTUM)  # as Nesterov's
        kernel.add_(orthogonal(ahead), alpha=-_KERNEL_RATE * rate)

    def _move(self, weight: Tensor, gradient: Tensor, rate: float) -> None:
        state = self.state[weight]
        if not state:
            state["step"] = torch.zeros(())
            state["mean"] = torch.zeros_like(weight)
            state["square"] = torch.zeros_like(weight)
        state["step"] += 1
        state["mean"].lerp_(gradient, 1 - _BETAS[0])
        state["square"].mul_(_BETAS[1]).addcmul_(gradient, gradient, value=1 - _BETAS[1])
        step = state["step"].item()
        mean = state["mean"] / (1 - _BETAS[0] ** step)
        square = state["square"] / (1 - _BETAS[1] ** step)
        weight.addcdiv_(mean, square.sqrt_().add_(_TINY), value=-rate)


def orthogonal(kernel: Tensor) -> Tensor:
    """The kernel as a matrix, a row per output, with its singular values brought near one."""
    matrix: Tensor = kernel.flatten(start_dim=1)
    is_tall = matrix.shape[0] > matrix.shape[1]
    if is_tall:
        matrix = matrix.T
    matrix = matrix / (matrix.norm() + 1e-7)
    # A round multiplies by a polynomial of the matrix' square, from the left; all of them commute,
    # so that the rounds only need the square, which is small, and the matrix itself comes last.
    first, third, fifth = _ODD_POWERS
    square = matrix @ matrix.T
    one = torch.eye(len(square), device=square.device)
    factors = one
    for _ in range(_ROUNDS):
        factor = first * one + third * square + fifth * square @ square
        factors = factor @ factors
        square = factor @ square @ factor
    matrix = factors @ matrix
    return (matrix.T if is_tall else matrix).reshape(kernel.shape)
