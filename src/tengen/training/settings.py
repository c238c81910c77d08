"""All settings of a training run."""

from pydantic import Field

from tengen.config import Settings
from tengen.search import GuidedSettings
from tengen.selfplay import SelfPlaySettings
from tengen.training.learner import LearnSettings
from tengen.training.samples import TargetSettings, WindowSettings


class TrainSettings(Settings):
    """A run: the network, its games, its lessons."""

    network: str = Field(default="resnet", description="architecture, see docs/networks.md")
    network_values: dict[str, object] = Field(default={}, description="its hyper-parameters")
    games: int = Field(default=500, ge=1, description="games of an iteration")
    passes: float = Field(default=2, gt=0, description="times a new position is learnt from")
    threads: int = Field(default=2, ge=1, le=256, description="of self-play and of learning")
    seed: int = Field(default=1, ge=0, description="makes chance repeatable")
    selfplay: SelfPlaySettings = Field(
        default=SelfPlaySettings(sims=24, search=GuidedSettings(search="gumbel", m=8, cscale=0.25)),
        description="how games are played",
    )
    targets: TargetSettings = Field(default=TargetSettings(), description="what they teach")
    window: WindowSettings = Field(default=WindowSettings(), description="how long they count")
    learn: LearnSettings = Field(default=LearnSettings(), description="how it is taught")
    checkpoints: int = Field(default=3, ge=1, description="how many of the last are kept")
