"""The settings of UCT, shared by the native search and the reference."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from tengen import _core
from tengen.config import Seconds, Settings, Switch, parse_list
from tengen.rules import AnyGame, GridGame

_LARGEST_REWARD = 1000
_LONGEST_GAME = 10_000

#: Simulations of a search that was given no budget at all.
DEFAULT_SIMS = 20_000

_Three = Annotated[tuple[float, float, float], BeforeValidator(parse_list)]
_Decay = Annotated[tuple[float, int], BeforeValidator(parse_list)]


class UctSettings(Settings):
    """Tree search with rollouts. Budgets: sims or time, whichever ends first."""

    sims: int | None = Field(
        default=None, ge=1, le=2**31, description=f"simulations; {DEFAULT_SIMS:,} if no budget"
    )
    time: Seconds | None = Field(default=None, gt=0, le=1e6, description="such as 3s or 500ms")
    threads: int = Field(default=1, ge=1, le=256, description="one tree each, added up")
    c: float | None = Field(
        default=None,
        ge=0,
        le=1000,
        description="exploration in UCB1; if not given "
        "0.5 with gravity, 0.1 without, 0.7 for games in Python",
    )
    total: Literal["parent", "tree"] = Field(default="parent", description="whose visits are N")
    rollout: Literal["random", "tactical", "reflex"] | None = Field(
        default=None,
        description="how playouts choose; if not given "
        "tactical with gravity, reflex without, random for games in Python",
    )
    weights: Literal["uniform", "linear", "odd"] = Field(
        default="uniform", description="likelihood of a random move by its place"
    )
    reward: _Three = Field(default=(1, 0, -1), description="of a win, a draw and a loss")
    decay: _Decay = Field(default=(1, 1), description="0.9/15: times 0.9 every 15 playout plies")
    choose: Literal["visits", "winrate", "ucb"] = Field(
        default="visits", description="what the final choice goes by"
    )
    reuse: Switch = Field(default=True, description="keep the subtree between moves")
    proof: Switch = Field(default=True, description="back up proven wins, draws and losses")
    memory: int = Field(default=1024, ge=1, le=1 << 15, description="cap of the tree in MiB")

    @field_validator("reward")
    @classmethod
    def _ordered(cls, reward: tuple[float, float, float]) -> tuple[float, float, float]:
        win, draw, loss = reward
        if not (win >= draw >= loss and win > loss):
            raise ValueError("it must be WIN/DRAW/LOSS with WIN >= DRAW >= LOSS and WIN > LOSS")
        if max(abs(win), abs(loss)) > _LARGEST_REWARD:
            raise ValueError(f"its numbers must be from -{_LARGEST_REWARD} to {_LARGEST_REWARD}")
        return reward

    @field_validator("decay")
    @classmethod
    def _shrinking(cls, decay: tuple[float, int]) -> tuple[float, int]:
        factor, plies = decay
        if not (0 < factor <= 1 and 1 <= plies <= _LONGEST_GAME):
            raise ValueError(
                f"it must be FACTOR/PLIES with 0 < FACTOR <= 1 and PLIES from 1 to {_LONGEST_GAME}"
            )
        return decay

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        win, _, loss = self.reward
        if self.decay[0] < 1 and not loss <= 0 <= win:
            # Shrinking would carry a reward out of the range between loss and win.
            raise ValueError("with decay the rewards must be WIN >= 0 >= LOSS")
        if self.rollout == "reflex" and self.weights != "uniform":
            raise ValueError("with rollout=reflex the weights must be uniform")
        return self

    @property
    def budget(self) -> tuple[int, float]:
        """Simulations and seconds, as large as can be where they are not limited."""
        no_sims = DEFAULT_SIMS if self.time is None else 2**62
        return (
            no_sims if self.sims is None else self.sims,
            float("inf") if self.time is None else self.time,
        )

    @property
    def is_antisymmetric(self) -> bool:
        """Whether a reward is the same thing to both players, so that either can use a tree."""
        win, draw, loss = self.reward
        return win == -loss and draw == 0

    def resolved(self, game: AnyGame) -> "UctSettings":
        """With what suits the game best where nothing was given, see docs/search.md."""
        if not isinstance(game, GridGame):
            c, rollout = 0.7, "random"
        elif game.rules.gravity:
            c, rollout = 0.5, "tactical"
        else:
            # The reflex has no use for weights; whoever gives some wants random moves.
            c, rollout = 0.1, "reflex" if self.weights == "uniform" else "tactical"
        chosen = {"c": c, "rollout": rollout}
        given = {key: getattr(self, key) for key in chosen if getattr(self, key) is not None}
        return self.model_copy(update={**chosen, **given})

    def native(self) -> _core.UctConfig:
        """The same for the core; to be called on resolved settings."""
        assert self.c is not None, "resolved() comes first"
        assert self.rollout is not None, "resolved() comes first"
        return _core.UctConfig(
            c=self.c,
            total=_core.Total[self.total],
            rollout=_core.Rollout[self.rollout],
            weights=_core.Weights[self.weights],
            reward=_core.Reward(*self.reward),
            decay=_core.Decay(*self.decay),
            choose=_core.Choose[self.choose],
            proof=self.proof,
            memory_bytes=self.memory << 20,
        )
