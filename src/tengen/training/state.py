"""Where a run is, as its checkpoints tell it. No PyTorch."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, TypeAdapter

from tengen.errors import TengenError

_FILE = "state.json"
_Count = Annotated[int, Field(ge=0, lt=1 << 63)]
_Number = Annotated[float, Field(allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class RunState:
    """What is done, and what comes next.

    That is the state of chance too: what a step or a game draws depends on the seed, which is among
    the settings, and on its number.
    """

    iteration: _Count = 0
    step: _Count = 0
    games: _Count = 0
    seconds: _Number = 0.0
    #: How good the best network is, and the step it is from.
    best_score: _Number = -1.0
    best_step: _Count = 0

    def write(self, folder: Path) -> None:
        """Into a checkpoint."""
        (folder / _FILE).write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Of a checkpoint; one that does not say all of it is refused."""
        try:
            text = (folder / _FILE).read_text()
            state = TypeAdapter(cls).validate_json(text, strict=True)
        except OSError as error:
            raise TengenError(f"checkpoint {folder} cannot be read: {error.strerror}") from None
        except ValueError:
            raise TengenError(f"checkpoint {folder} cannot be read: {_FILE} is damaged") from None
        if json.loads(text).keys() != asdict(state).keys():
            raise TengenError(f"checkpoint {folder} cannot be read: {_FILE} is not whole")
        return state
