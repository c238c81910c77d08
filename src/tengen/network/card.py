"""What a file of weights says of itself: the game, the architecture, and how far it was trained."""

import json
from typing import Annotated, Literal, Self

from pydantic import Field

from tengen.config import Settings
from tengen.errors import SpecError, TengenError
from tengen.network.config import NetworkConfig, read_network
from tengen.network.shape import GameLike, GameShape
from tengen.rules import Game, parse_rules

#: The key under which the card stands in the metadata of safetensors and ONNX files.
METADATA_KEY = "tengen"

_Size = Annotated[int, Field(ge=1, le=1 << 16)]


class NetworkCard(Settings):
    """The record that goes with the weights, in every file that holds them."""

    format: Literal[1] = Field(default=1, description="version of this record")
    game: str = Field(description="the name of the game")
    board: tuple[_Size, _Size, _Size] | None = Field(
        default=None, description="rows, columns and moves of a game written in Python"
    )
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
        game: GameLike,
        *,
        step: int = 0,
        haste: float = 0,
        licence: str = "MIT",
    ) -> Self:
        """The card of a network for this game, which must be able to fill the planes."""
        if isinstance(game, Game):
            game.planes(game.start(), config.planes)
        shape = GameShape.of(game)
        is_python = shape.rules is None
        return cls(
            game=shape.name,
            board=(shape.rows, shape.cols, shape.move_count) if is_python else None,
            architecture=config.name,
            config=config.model_dump(mode="json"),
            planes=config.planes,
            step=step,
            haste=haste,
            licence=licence,
            is_size_free=config.is_size_free and not is_python,
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
            expected = cls.of(card.network_config, card.shape, step=card.step, licence=card.licence)
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
    def shape(self) -> GameShape:
        """The game it was made for."""
        if self.board is None:
            return GameShape.of(parse_rules(self.game))
        return GameShape(self.game, *self.board)

    @property
    def network_config(self) -> NetworkConfig:
        """The hyper-parameters, checked."""
        return read_network(self.architecture, self.config)


def check_fits(card: NetworkCard, game: GameLike, *, name: str | None = None) -> None:
    """Refuse a game that a network was not made for; ``name`` is what the user calls it."""
    own, other = card.shape, GameShape.of(game)
    if _is_same_kind(own, other) and (card.is_size_free or _size(own) == _size(other)):
        return
    # Two games written in Python may have one name.
    more = f" ({_kind(other)})" if own.name == other.name else ""
    raise SpecError(
        f"network {name or card.architecture} is for {own.name} "
        f"({_kind(own, is_size_free=card.is_size_free)}); it cannot play {other.name}{more}"
    )


def _is_same_kind(a: GameShape, b: GameShape) -> bool:
    if a.rules is None or b.rules is None:
        return (a.rules, a.name) == (b.rules, b.name)
    return (a.rules.gravity, a.rules.k, a.rules.line) == (b.rules.gravity, b.rules.k, b.rules.line)


def _size(shape: GameShape) -> tuple[int, int, int]:
    return shape.rows, shape.cols, shape.move_count


def _kind(shape: GameShape, *, is_size_free: bool = False) -> str:
    """What tells a game from others, in brackets."""
    size = "" if is_size_free else f"{shape.rows}x{shape.cols}, "
    rules = shape.rules
    if rules is None:
        return f"{size}{shape.move_count} moves"
    gravity = "with gravity" if rules.gravity else "without gravity"
    line = "" if rules.line == "free" else f", line={rules.line}"
    return f"{size}k={rules.k} {gravity}{line}"


def _text(value: object) -> str:
    return "/".join(value) if isinstance(value, tuple) else json.dumps(value)
