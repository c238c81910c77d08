"""The settings of searches guided by a network."""

from typing import Literal, Self

from pydantic import Field, model_validator

from tengen import _core
from tengen.config import Seconds, Settings, Switch
from tengen.errors import SpecError

#: Simulations of a search that was given no budget at all.
DEFAULT_SIMS = 800

#: The player's ``cscale`` with haste, where values also say which of two wins is sooner.
HASTY_CSCALE = 0.25

#: The keys that mean something to one way of picking moves only.
SEARCH_OWN_KEYS = {
    "puct": frozenset(("c", "offset", "fpu", "drop")),
    "gumbel": frozenset(("m", "cvisit", "cscale")),
}


class GuidedSettings(Settings):
    """Tree search guided by a network. Budgets: sims or time, whichever ends first."""

    sims: int | None = Field(
        default=None,
        ge=0,
        le=2**31,
        description=f"simulations; 0: the policy as it is; {DEFAULT_SIMS} if no budget",
    )
    time: Seconds | None = Field(default=None, gt=0, le=1e6, description="such as 3s or 500ms")
    threads: int = Field(default=1, ge=1, le=256, description="that run the network")
    search: Literal["puct", "gumbel"] = Field(default="puct", description="how moves are picked")
    c: float = Field(default=1.5, ge=0, le=1000, description="exploration in PUCT")
    offset: float = Field(
        default=0, ge=0, le=1, description="added to the visits under PUCT's root"
    )
    fpu: float = Field(default=0, ge=-1, le=2, description="the value of a move without visits")
    drop: Switch = Field(default=False, description="fpu is how far below its parent it is")
    m: int = Field(default=16, ge=1, le=625, description="moves that Gumbel considers")
    cvisit: float = Field(default=50, ge=0, le=1e6, description="Gumbel's weight of values, ...")
    cscale: float = Field(default=0.5, ge=0, le=1e6, description="... which is (cvisit + N) cscale")
    tau: float = Field(
        default=0, ge=0, le=100, description="temperature of the choice; 0: the best"
    )
    batch: int = Field(default=16, ge=1, le=4096, description="leaves per call of the network")
    vloss: float = Field(default=1, ge=0, le=100, description="virtual loss of a leaf under way")
    draw: float = Field(default=0, ge=-1, le=1, description="the value of a drawn game")
    haste: float | None = Field(
        default=None,
        ge=0,
        lt=1,
        description="how much less the latest win is worth; as the network was taught",
    )
    share: Switch = Field(default=False, description="equal positions share their statistics")
    symmetries: Switch = Field(default=False, description="average the network over them")
    precision: Literal["fp32", "int8"] = Field(default="fp32", description="of the network")
    reuse: Switch = Field(default=True, description="keep the subtree between moves")
    proof: Switch = Field(default=True, description="back up proven wins, draws and losses")
    vcf: Switch | None = Field(
        default=None, description="look for wins by continuous fours; where that can be done"
    )
    cache: int = Field(default=64, ge=0, le=1 << 15, description="known evaluations, in MiB")
    memory: int = Field(default=1024, ge=1, le=1 << 15, description="cap of the tree in MiB")

    @property
    def budget(self) -> tuple[int, float]:
        """Simulations and seconds, as large as can be where they are not limited."""
        return budget_of(self.sims, self.time)

    def native(self, evaluation: _core.Evaluation | None = None) -> _core.NeuralConfig:
        """The same for the core; priors and values come from batches unless told otherwise."""
        if self.vcf and self.haste:
            # How soon such a win comes is not known, only that it does.
            raise SpecError(f"vcf is on and haste is {self.haste:g}; with vcf it must be 0")
        if self.haste and abs(self.draw) >= 1 - self.haste:
            raise SpecError(
                f"draw is {self.draw:g} and haste is {self.haste:g}; a draw must be worth less "
                f"than the latest win, {1 - self.haste:g}"
            )
        return _core.NeuralConfig(
            selection=_core.Selection[self.search],
            evaluation=evaluation or _core.Evaluation.batched,
            c=self.c,
            visits_offset=self.offset,
            first_play=self.fpu,
            first_play_is_drop=self.drop,
            virtual_loss=self.vloss,
            draw_value=self.draw,
            haste=self.haste or 0.0,
            proof=self.proof,
            vcf=bool(self.vcf),
            share=self.share,
            considered=self.m,
            c_visit=self.cvisit,
            c_scale=self.cscale,
            memory_bytes=self.memory << 20,
        )


class NetSettings(GuidedSettings):
    """The player ``net``: defaults by measurement, and no key without a meaning."""

    search: Literal["puct", "gumbel"] = Field(default="gumbel", description="how moves are picked")
    # Chosen on connect4-select for play alone, see docs/search.md.
    cscale: float = Field(
        default=0.1,
        ge=0,
        le=1e6,
        description=f"... which is (cvisit + N) cscale; with haste {HASTY_CSCALE}",
    )

    def taught(self, haste: float) -> Self:
        """The defaults that depend on the network's haste, unless others were given."""
        values: dict[str, float] = {}
        if self.haste is None:
            values["haste"] = haste
        if values.get("haste", self.haste) and "cscale" not in self.model_fields_set:
            values["cscale"] = HASTY_CSCALE
        return self.model_copy(update=values)

    @model_validator(mode="after")
    def _of_this_search(self) -> Self:
        for search, keys in SEARCH_OWN_KEYS.items():
            given = sorted(keys & self.model_fields_set)
            if search != self.search and given:
                raise ValueError(f"{given[0]} is for search={search}; the search is {self.search}")
        return self


class HybridSettings(Settings):
    """A policy network's best moves, judged by rollouts."""

    top: int = Field(default=5, ge=1, le=625, description="moves kept, by the policy")
    sims: int | None = Field(
        default=None, ge=1, le=2**31, description=f"simulations; {DEFAULT_SIMS} if no budget"
    )
    time: Seconds | None = Field(default=None, gt=0, le=1e6, description="such as 3s or 500ms")
    batch: int = Field(default=16, ge=1, le=4096, description="leaves per call of the network")
    reuse: Switch = Field(default=True, description="keep the subtree between moves")
    proof: Switch = Field(default=True, description="back up proven wins")

    @property
    def budget(self) -> tuple[int, float]:
        """Simulations and seconds, as large as can be where they are not limited."""
        return budget_of(self.sims, self.time)

    def native(self) -> _core.NeuralConfig:
        """The same for the core."""
        return _core.NeuralConfig(selection=_core.Selection.hybrid, top=self.top, proof=self.proof)


def budget_of(sims: int | None, seconds: float | None) -> tuple[int, float]:
    """Simulations and seconds of a search that was given these."""
    no_sims = DEFAULT_SIMS if seconds is None else 2**62
    return no_sims if sims is None else sims, float("inf") if seconds is None else seconds
