"""The figures of a run for TensorBoard: ``tensorboard --logdir runs``."""

from collections.abc import Mapping
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

#: The groups in which TensorBoard shows them; a figure belongs to the first that fits its name.
_GROUPS = {
    "loss": "loss",
    "rate": "learning",
    "steps": "learning",
    "samples": "learning",
    "policy_entropy": "learning",
    "positions": "buffer",
    "buffer": "buffer",
    "good": "evaluation",
    "perfect": "evaluation",
    "decisive": "evaluation",
    "value_error": "evaluation",
    "against": "evaluation",
    "win_rate": "gate",
    "accepted": "gate",
    "seconds": "time",
    "progress": "time",
    "busy": "time",
}


class TensorBoardLog:
    """Writes figures as they come; what a resumed run says anew takes the place of the old."""

    def __init__(self, folder: Path, *, iteration: int) -> None:
        self._writer = SummaryWriter(str(folder), purge_step=iteration)

    def log(self, iteration: int, figures: Mapping[str, float]) -> None:
        """All figures of an iteration."""
        for name, value in figures.items():
            group = next((g for start, g in _GROUPS.items() if name.startswith(start)), "self-play")
            self._writer.add_scalar(f"{group}/{name}", value, iteration)
        self._writer.flush()

    def close(self) -> None:
        """Nothing more is to be written."""
        self._writer.close()
