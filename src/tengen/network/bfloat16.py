"""A network of PyTorch as it stands in memory, asked in 16 bits: for self-play alone.

On processors with units for bfloat16 (AMX, or AVX-512 with it) that is faster than ONNX Runtime,
which has no such kernels on a CPU; elsewhere it is slower. Playing needs none of it.
"""

import copy
import subprocess
import sys
from functools import cache
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray

from tengen.errors import SpecError
from tengen.network.architectures import Network, fold_norms, value_of

#: A convolution and its gradient, as learning asks for.
_TRIAL = """
import torch
conv = torch.nn.Conv2d(64, 64, 3, padding=1).to(memory_format=torch.channels_last)
given = torch.zeros(2, 64, 6, 7).contiguous(memory_format=torch.channels_last)
with torch.autocast("cpu", torch.bfloat16):
    answer = conv(given)
answer.float().sum().backward()
"""


#: What processors with units for it have, as PyTorch calls it.
_UNITS = ("amx_bf16", "avx512_bf16")


def has_bfloat16() -> bool:
    """Whether a network should be faster in 16 bits here."""
    # Releases of PyTorch before this question cannot be asked.
    units = getattr(torch.cpu, "get_capabilities", dict[str, bool])()
    return any(units.get(name) for name in _UNITS) and _is_possible()


@cache
def _is_possible() -> bool:
    """Tried in a program of its own, which it may end.

    Some virtual machines announce units that PyTorch then cannot use.
    """
    tried = subprocess.run([sys.executable, "-c", _TRIAL], capture_output=True, check=False)
    return tried.returncode == 0


def require_bfloat16() -> None:
    """Refuse 16 bits where they would end the program."""
    if not _is_possible():
        raise SpecError(
            "precision is bf16, which PyTorch cannot use on this machine; it must be fp32, and a "
            "run that was begun with bf16 goes on where it can be used"
        )


class Bfloat16Evaluator:
    """A copy of a network, in evaluation mode; it does not learn when the original does.

    Its answers may depend on the batch in their last bits.
    """

    def __init__(self, network: Network) -> None:
        self.planes = network.config.planes
        self.has_value = network.config.has_value
        module = copy.deepcopy(network).cpu().eval()
        fold_norms(module)
        # PyTorch's types do not know that modules take a format too.
        self._network: Network = module.to(torch.bfloat16, memory_format=torch.channels_last)  # type: ignore[call-overload]

    @torch.inference_mode()
    def evaluate(
        self, planes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Policy logits # [n, moves] and values for the mover # [n]; zeros when policy only."""
        torch.set_num_threads(1)  # of this thread: the others are asked by threads of their own
        given = torch.from_numpy(planes).to(torch.bfloat16)
        output = self._network(given.contiguous(memory_format=torch.channels_last))
        logits: NDArray[np.float32] = output.policy.float().numpy()
        if output.value is None:
            return logits, np.zeros(len(planes), np.float32)
        return logits, value_of(output._replace(value=output.value.float())).numpy()

    def clone(self) -> Self:
        """The same one: nobody changes its weights, and PyTorch may be asked by many threads."""
        return self
