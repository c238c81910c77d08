"""The settings of self-play."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tengen import _core
from tengen.config import Settings, parse_list
from tengen.search import GuidedSettings, RootNoise


def _parse_steps(value: object) -> object:
    """``0:1/30:0``: temperature 1 from ply 0 on, 0 from ply 30 on."""
    parts = parse_list(value)
    if isinstance(value, str) and isinstance(parts, tuple):
        return tuple(tuple(part.split(":")) for part in parts)
    return value


#: What of a player's search self-play can be told; the rest has keys of its own here or none.
SEARCH_KEYS = frozenset(
    ("search", "c", "offset", "fpu", "drop", "m", "cvisit", "cscale", "draw", "haste", "share",
     "proof", "vcf", "memory")
)  # fmt: skip

#: Of a network's numbers, in self-play and in learning.
RunPrecision = Literal["fp32", "bf16", "auto"]

_Steps = Annotated[tuple[tuple[int, float], ...], BeforeValidator(_parse_steps)]


class SelfPlaySettings(Settings):
    """How games against oneself are played."""

    games: int = Field(default=256, ge=1, le=1 << 16, description="games at once")
    sims: int = Field(default=32, ge=1, le=1 << 20, description="simulations per move")
    search: GuidedSettings = Field(default=GuidedSettings(), description="see player net")
    fast_sims: int = Field(default=0, ge=0, le=1 << 20, description="of quick searches; 0: none")
    full_share: float = Field(default=1, ge=0, le=1, description="of searches that are not quick")
    epsilon: float = Field(default=0.25, ge=0, le=1, description="share of Dirichlet noise")
    alpha: float = Field(default=10, gt=0, le=1e4, description="its alpha times the moves")
    forced: float = Field(default=0, ge=0, le=100, description="forced visits, pruned from targets")
    gumbel: bool = Field(default=True, description="Gumbel noise with search=gumbel")
    tau: _Steps = Field(default=((0, 1.0), (12, 0.0)), description="temperature from a ply on")
    opening_share: float = Field(default=0.5, ge=0, le=1, description="of games with an opening")
    opening_plies: int = Field(default=8, ge=0, le=625, description="random moves in it, at most")
    known_share: float = Field(
        default=1, ge=0, le=1, description="of openings kept though the first search proves them"
    )
    stray_share: float = Field(default=0, ge=0, le=1, description="of moves drawn at random")
    reuse: bool = Field(default=False, description="keep the subtree of the move played")
    resign: float | None = Field(default=None, ge=-1, le=0, description="value to give up below")
    resign_check: float = Field(default=0.1, ge=0, le=1, description="of those, played on")
    cache: int = Field(default=64, ge=0, le=1 << 15, description="known evaluations, MiB a thread")
    precision: RunPrecision = Field(
        default="fp32",
        description="of the network; bf16: for processors made for it; auto: bf16 if this is one",
    )

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        plies = [ply for ply, _ in self.tau]
        if plies != sorted(plies) or any(ply < 0 or tau < 0 for ply, tau in self.tau):
            raise ValueError("tau must be steps PLY:TAU, ascending and not negative")
        if self.full_share < 1 and self.fast_sims == 0:
            raise ValueError("full_share below 1 needs fast_sims")
        plain = GuidedSettings()
        for key in GuidedSettings.model_fields.keys() - SEARCH_KEYS:
            if getattr(self.search, key) != getattr(plain, key):
                raise ValueError(f"search.{key} has no meaning in self-play")
        return self

    @property
    def _is_gumbel(self) -> bool:
        return self.search.search == "gumbel"

    @property
    def noise(self) -> RootNoise:
        """At the root of full searches: Gumbel's own, or Dirichlet's and forced visits."""
        if self._is_gumbel:
            return RootNoise(gumbel=self.gumbel)
        return RootNoise(epsilon=self.epsilon, alpha=self.alpha, forced=self.forced)

    @property
    def mean_sims(self) -> float:
        """Simulations per move, quick searches included."""
        return self.full_share * self.sims + (1 - self.full_share) * self.fast_sims

    def temperature(self, ply: int) -> float:
        """With which the move of a ply is drawn; Gumbel's noise is chance enough."""
        if self._is_gumbel:
            return 0.0
        return next((tau for start, tau in reversed(self.tau) if ply >= start), 0.0)

    def native(self, evaluation: _core.Evaluation | None = None) -> _core.SelfPlayConfig:
        """The same for the core."""
        noise = self.noise
        return _core.SelfPlayConfig(
            search=self.search.native(evaluation),
            sims=self.sims,
            fast_sims=self.fast_sims,
            full_share=self.full_share,
            noise=_core.RootNoise(
                epsilon=noise.epsilon, alpha=noise.alpha, forced=noise.forced, gumbel=noise.gumbel
            ),
            temperatures=[] if self._is_gumbel else list(self.tau),
            opening_share=self.opening_share,
            opening_plies=self.opening_plies,
            known_share=self.known_share,
            stray_share=self.stray_share,
            reuse=self.reuse,
            resign_below=-2.0 if self.resign is None else self.resign,
            resign_check=self.resign_check,
            cache_bytes=self.cache << 20,
        )
