"""Checkpoints: all that a run needs to go on, in a folder that is whole or not there."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from tengen.errors import TengenError
from tengen.network import NetworkCard, load_weights, save_weights
from tengen.training.learner import Learner
from tengen.training.state import RunState

_NEWEST, _AVERAGE, _OPTIMISER, _SETTINGS = (
    "newest.safetensors", "average.safetensors", "optimiser.safetensors", "settings.json",
)  # fmt: skip


def save_checkpoint(
    folder: Path,
    learner: Learner,
    card: NetworkCard,
    state: RunState,
    *,
    settings: str = "{}",
    networks: Sequence[Path] = (),
) -> None:
    """Write a checkpoint that is not there yet; a kill at any moment leaves it whole or absent."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        save_weights(part / _NEWEST, learner.network, card)
        save_weights(part / _AVERAGE, learner.averaged, card)
        save_file(_optimiser_tensors(learner), part / _OPTIMISER)
        for network in networks:
            shutil.copyfile(network, part / network.name)
        (part / _SETTINGS).write_text(settings)
        state.write(part)
        _sync(part)
        part.replace(folder)
    except (OSError, SafetensorError) as error:
        shutil.rmtree(part, ignore_errors=True)
        reason = error.strerror if isinstance(error, OSError) else error
        raise TengenError(f"checkpoint {folder} cannot be written: {reason}") from None


def load_checkpoint(folder: Path, learner: Learner) -> RunState:
    """Put a learner where a checkpoint left one of the same settings."""
    try:
        network, _ = load_weights(folder / _NEWEST)
        average, _ = load_weights(folder / _AVERAGE)
        learner.network.load_state_dict(network.state_dict())
        learner.averaged.load_state_dict(average.state_dict())
        _restore(learner, load_file(folder / _OPTIMISER))
    except (OSError, ValueError, TypeError, KeyError, RuntimeError, SafetensorError) as error:
        raise TengenError(f"checkpoint {folder} cannot be read: {error}") from None
    state = RunState.read(folder)
    learner.step = state.step
    return state


def _parameters(learner: Learner) -> list[torch.nn.Parameter]:
    """In the order of the optimiser."""
    return [p for group in learner.optimiser.param_groups for p in group["params"]]


def _optimiser_tensors(learner: Learner) -> dict[str, torch.Tensor]:
    """What the optimiser remembers of every parameter: ``NUMBER.NAME``."""
    tensors = {}
    for number, parameter in enumerate(_parameters(learner)):
        for name, value in learner.optimiser.state.get(parameter, {}).items():
            if value is not None:
                tensors[f"{number}.{name}"] = torch.as_tensor(value).contiguous()
    return tensors


def _restore(learner: Learner, tensors: dict[str, torch.Tensor]) -> None:
    parameters = _parameters(learner)
    is_fused = learner.optimiser.defaults.get("fused")
    learner.optimiser.state.clear()
    for key, value in tensors.items():
        number, _, name = key.partition(".")
        parameter = parameters[int(number)]
        if value.ndim > 0:
            value = torch.empty_like(parameter).copy_(value)  # as the weights lie in memory
        elif is_fused:
            value = value.to(parameter.device)  # else steps are counted on the CPU
        learner.optimiser.state[parameter][name] = value


def _sync(folder: Path) -> None:
    """Make the files' contents safe before the folder gets its name."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
