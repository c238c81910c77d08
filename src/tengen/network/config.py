"""What a network can be: one frozen record of hyper-parameters per architecture."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field

from tengen.config import Settings, Switch, parse_list
from tengen.errors import SpecError
from tengen.rules.planes import parse_plane


def _checked_planes(planes: tuple[str, ...]) -> tuple[str, ...]:
    if not planes:
        raise ValueError("it must name at least one plane")
    if len(set(planes)) < len(planes):
        raise ValueError("it must name each plane once")
    for plane in planes:
        try:
            parse_plane(plane)
        except SpecError as error:
            raise ValueError(str(error)) from None
    return planes


Planes = Annotated[tuple[str, ...], BeforeValidator(parse_list), AfterValidator(_checked_planes)]
_Width = Annotated[int, Field(ge=1, le=8192)]
_Widths = Annotated[tuple[_Width, _Width], BeforeValidator(parse_list)]


class NetworkConfig(Settings):
    """What all architectures share: the planes they see, and which answers they give."""

    #: What users call it.
    name: ClassVar[str]
    #: Whether the same weights play on boards of any size.
    is_size_free: ClassVar[bool] = False
    #: Whether it judges positions, rather than only moves.
    has_value: ClassVar[bool] = True

    planes: Planes

    @property
    def has_moves_left(self) -> bool:
        """Whether it says how many plies are left."""
        return False


class ResnetConfig(NetworkConfig):
    """Residual blocks with global pooling, for boards of any size."""

    name = "resnet"
    is_size_free = True

    planes: Planes = Field(
        default=("mover", "opponent", "empty", "playable"), description="what it sees"
    )
    blocks: int = Field(default=5, ge=1, le=40, description="residual blocks")
    channels: int = Field(default=64, ge=8, le=512, description="width of the trunk")
    moves_left: Switch = Field(default=True, description="a head for the plies left")
    soft_policy: Switch = Field(default=True, description="a second policy, for training only")
    ending: Switch = Field(default=True, description="a head for the final board, likewise")

    @property
    def has_moves_left(self) -> bool:
        return self.moves_left


class ConnectxConfig(NetworkConfig):
    """Four convolutions, then four dense layers of which two are the heads."""

    name = "connectx"

    planes: Planes = Field(default=("mover", "opponent"), description="what it sees")
    channels: int = Field(default=64, ge=1, le=512, description="width of the convolutions")
    hidden: _Widths = Field(default=(128, 64), description="widths of the two dense layers")


class GobangLiteConfig(NetworkConfig):
    """A residual tower next to a light U-Net."""

    name = "gobang-lite"

    planes: Planes = Field(
        default=("mover", "opponent", "last1", "colour"), description="what it sees"
    )
    blocks: int = Field(default=4, ge=1, le=40, description="residual blocks")
    channels: int = Field(default=128, ge=8, le=512, description="width of the tower")
    hidden: int = Field(default=128, ge=1, le=4096, description="width of the value head")


class MnkConfig(NetworkConfig):
    """Four convolutions with batch norm and leaky ReLU, and two heads."""

    name = "mnk"

    planes: Planes = Field(default=("mover", "opponent"), description="what it sees")
    channels: int = Field(default=64, ge=1, le=512, description="width of the convolutions")
    hidden: int = Field(default=64, ge=1, le=4096, description="width of the value head")


class GomokuPolicyConfig(NetworkConfig):
    """5×5 convolutions and wide dense layers; a policy and nothing else."""

    name = "gomoku-policy"
    has_value = False

    planes: Planes = Field(default=("mover", "opponent", "empty"), description="what it sees")
    hidden: _Widths = Field(default=(2048, 1024), description="widths of the two dense layers")
    dropout: float = Field(default=0.1, ge=0, lt=1, description="share left out in training")


#: Every architecture, by the name that users give.
ARCHITECTURES: dict[str, type[NetworkConfig]] = {
    config.name: config
    for config in (ResnetConfig, ConnectxConfig, GobangLiteConfig, MnkConfig, GomokuPolicyConfig)
}


def read_network(name: str, values: Mapping[str, object]) -> NetworkConfig:
    """The hyper-parameters of an architecture, checked; what is not given has its default."""
    if name not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise SpecError(f"architecture {name!r} is not known; it must be one of {known}")
    return ARCHITECTURES[name].read(values, where=name)
