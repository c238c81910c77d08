"""All settings of a training run, a group per stage of the loop."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tengen.config import Settings, parse_list
from tengen.search import GuidedSettings
from tengen.selfplay import SelfPlaySettings
from tengen.training.learner import LearnSettings
from tengen.training.samples import TargetSettings, WindowSettings

#: The architecture of a run that names none.
DEFAULT_NETWORK = "resnet"

_Sims = Annotated[int, Field(ge=0, le=2**31)]


class RolloutSettings(Settings):
    """The first games, while the network knows nothing yet: searched with rollouts in its place.

    They are as good as those of a network that has learnt for minutes, and cost next to nothing
    (a warm start, as in Wang, Preuss, Plaat 2020).
    """

    games: int = Field(
        default=0,
        ge=0,
        le=10**9,
        description="of the first iteration; 0: the network plays it, as all",
    )
    sims: int = Field(default=300, ge=1, le=1 << 20, description="simulations per move")
    c: float = Field(default=2, ge=0, le=1000, description="exploration in PUCT")
    passes: float = Field(
        default=3, gt=0, le=10_000, description="times such a position is learnt from"
    )


class EvaluateSettings(Settings):
    """How a run finds out how good it is; nothing of it is learnt from."""

    positions: str | None = Field(
        default=None,
        description="labelled set: a name, a file, or all; none: the game's own, if any",
    )
    sims: Annotated[tuple[_Sims, ...], BeforeValidator(parse_list)] = Field(
        default=(0, 100, 800), description="simulations of searches on it; 0, the policy, is always"
    )
    share: float = Field(
        default=0.05, ge=0, le=1, description="of the run's time, for levels that search"
    )
    baselines: Annotated[tuple[str, ...], BeforeValidator(parse_list)] = Field(
        default=("random", "uct,sims=1000"), description="opponents where there is no set"
    )
    games: int = Field(default=20, ge=2, le=10**6, description="against each of them")


class GateSettings(Settings):
    """Whether a network must beat the best before it plays the games of self-play."""

    kind: Literal["never", "win_rate"] = Field(
        default="never", description="never: the newest plays; win_rate: the best"
    )
    threshold: float = Field(
        default=0.55, ge=0, le=1, description="(wins + draws / 2) / games to be the best"
    )
    games: int = Field(
        default=40, ge=2, le=10**6, description="of the match, in pairs with colours swapped"
    )
    sims: _Sims = Field(default=64, description="simulations per move, without noise")
    opening_plies: int = Field(default=4, ge=0, description="random moves before them")
    every: int = Field(default=1, ge=1, description="iterations between matches")


class TrainSettings(Settings):
    """A run: the network, its games, its lessons, and how it is measured."""

    network: str = Field(default=DEFAULT_NETWORK, description="architecture, see docs/networks.md")
    network_values: dict[str, object] = Field(default={}, description="its hyper-parameters")
    seed: int = Field(default=1, ge=0, lt=1 << 63, description="makes chance repeatable")
    threads: int = Field(default=2, ge=1, le=256, description="of every stage")
    games: int = Field(default=500, ge=1, le=10**9, description="games of an iteration")
    passes: float = Field(
        default=3, gt=0, le=10_000, description="times a new position is learnt from"
    )
    start_positions: int = Field(
        default=0, ge=0, le=10**12, description="played before learning begins"
    )
    grow_from: int | None = Field(
        default=None,
        ge=1,
        le=10**12,
        description="games; with more, selfplay.sims grow in proportion",
    )
    rollouts: RolloutSettings = Field(
        default=RolloutSettings(), description="games before the network plays"
    )
    selfplay: SelfPlaySettings = Field(
        default=SelfPlaySettings(sims=24, search=GuidedSettings(search="gumbel", m=8, cscale=0.25)),
        description="how games are played",
    )
    targets: TargetSettings = Field(default=TargetSettings(), description="what they teach")
    window: WindowSettings = Field(default=WindowSettings(), description="how long they count")
    learn: LearnSettings = Field(default=LearnSettings(), description="how it is taught")
    evaluate: EvaluateSettings = Field(default=EvaluateSettings(), description="how it is measured")
    gate: GateSettings = Field(default=GateSettings(), description="which network plays")
    checkpoints: int = Field(default=3, ge=1, description="how many of the last are kept")

    @property
    def haste(self) -> float:
        """How much less the latest win is worth."""
        return self.selfplay.search.haste or 0.0

    def has_rollouts(self, iteration: int) -> bool:
        """Whether its games are played without the network."""
        return iteration == 0 and self.rollouts.games > 0

    def games_of(self, iteration: int) -> int:
        """How many an iteration plays."""
        return self.rollouts.games if self.has_rollouts(iteration) else self.games

    def passes_of(self, iteration: int) -> float:
        """How often its new positions are learnt from."""
        return self.rollouts.passes if self.has_rollouts(iteration) else self.passes

    def selfplay_of(self, iteration: int, games: int) -> SelfPlaySettings:
        """How its games are played, when so many games have been."""
        if not self.has_rollouts(iteration):
            return self.selfplay.model_copy(update={"sims": self.sims_at(games)})
        # Rollouts are chance enough; the search needs no noise of its own.
        search = self.selfplay.search.model_copy(update={"search": "puct", "c": self.rollouts.c})
        quiet = {"epsilon": 0.0, "forced": 0.0, "tau": ((0, 0.0),), "fast_sims": 0}
        return self.selfplay.model_copy(
            update={**quiet, "full_share": 1.0, "search": search, "sims": self.rollouts.sims}
        )

    def sims_at(self, games: int) -> int:
        """Simulations per move when so many games have been played."""
        if self.grow_from is None:
            return self.selfplay.sims
        return int(self.selfplay.sims * max(1.0, games / self.grow_from))
