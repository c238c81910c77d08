"""What a file of weights says of itself: the game, the architecture, and how far it was trained."""

import json
from typing import Literal, Self

from pydantic import Field

from tengen.config import Settings
from tengen.errors import SpecError, TengenError
from tengen.network.config import NetworkConfig, read_network
from tengen.rules import Rules, parse_rules

#: The key under which the card stands in the metadata of safetensors and ONNX files.
METADATA_KEY = "tengen"


class NetworkCard(Settings):
    """The record that goes with the weights, in every file that holds them."""

    format: Literal[1] = Field(default=1, description="version of this record")
    game: str = Field(description="the game as `tengen play` reads it")
    architecture: str = Field(description="name of the architecture")
    config: dict[str, object] = Field(description="its hyper-parameters")
    planes: tuple[str, ...] = Field(description="what it sees, in order")
    step: int = Field(default=0, ge=0, description="training steps taken")
    haste: float = Field(default=0, ge=0, lt=1, description="how much less the latest win counts")
    licence: str = Field(default="MIT", description="licence of the weights")
    is_size_free: bool = Field(description="whether it plays on boards of any size")
    has_value: bool = Field(description="whether it judges positions")
    has_moves_left: bool = Field(description="whether it says how many plies are left")

    @classmethod
    def of(
        cls,
        config: NetworkConfig,
        rules: Rules,
        *,
        step: int = 0,
        haste: float = 0,
        licence: str = "MIT",
    ) -> Self:
        """The card of a network for these rules."""
        return cls(
            game=rules.spec,
            architecture=config.name,
            config=config.model_dump(mode="json"),
            planes=config.planes,
            step=step,
            haste=haste,
            licence=licence,
            is_size_free=config.is_size_free,
            has_value=config.has_value,
            has_moves_left=config.has_moves_left,
        )

    @classmethod
    def from_json(cls, text: str, *, where: str) -> Self:
        """Read a card; errors start with ``where``, the file that it stands in."""
        try:
            values = json.loads(text)
        except ValueError:
            raise SpecError(f"{where}: its card is not JSON") from None
        if not isinstance(values, dict):
            raise SpecError(f"{where}: its card is not a JSON object")
        try:
            card = cls.read(values, where="card")
            expected = cls.of(card.network_config, card.rules, step=card.step, licence=card.licence)
        except TengenError as error:
            raise SpecError(f"{where}: {error}") from None
        for key in ("planes", "is_size_free", "has_value", "has_moves_left"):
            given, meant = getattr(card, key), getattr(expected, key)
            if given != meant:
                raise SpecError(
                    f"{where}: card.{key} is {_text(given)}; its config means {_text(meant)}"
                )
        return card

    def to_json(self) -> str:
        """The text that :meth:`from_json` reads."""
        return self.model_dump_json()

    @property
    def rules(self) -> Rules:
        """The rules it was made for."""
        return parse_rules(self.game)

    @property
    def network_config(self) -> NetworkConfig:
        """The hyper-parameters, checked."""
        return read_network(self.architecture, self.config)


def check_fits(card: NetworkCard, rules: Rules, *, name: str | None = None) -> None:
    """Refuse rules that a network was not made for; ``name`` is what the user calls it."""
    own = card.rules
    is_same_kind = (own.gravity, own.k, own.line) == (rules.gravity, rules.k, rules.line)
    is_same_size = (own.rows, own.cols) == (rules.rows, rules.cols)
    if is_same_kind and (card.is_size_free or is_same_size):
        return
    size = "" if card.is_size_free else f"{own.rows}x{own.cols}, "
    gravity = "with gravity" if own.gravity else "without gravity"
    line = "" if own.line == "free" else f", line={own.line}"
    raise SpecError(
        f"network {name or card.architecture} is for {card.game} "
        f"({size}k={own.k} {gravity}{line}); it cannot play {rules.spec}"
    )


def _text(value: object) -> str:
    return "/".join(value) if isinstance(value, tuple) else json.dumps(value)
