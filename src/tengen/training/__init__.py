"""Learning from self-play: the run's file, and what a network is taught."""

from tengen.training.samples import (
    Samples,
    TargetSettings,
    WindowSettings,
    averaged,
    samples_of,
    soft_policy,
    turned,
    value_target,
)
from tengen.training.store import RunStore

__all__ = [
    "RunStore",
    "Samples",
    "TargetSettings",
    "WindowSettings",
    "averaged",
    "samples_of",
    "soft_policy",
    "turned",
    "value_target",
]
