"""``tengen export``: a network as an ``.onnx`` file to play with."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.errors import SpecError
from tengen.network import ARCHITECTURES, NetworkCard, NetworkConfig, read_network
from tengen.rules import AnyGame
from tengen.rules import game as game_of

if TYPE_CHECKING:
    from tengen.network import Network


def export(
    files: Annotated[
        list[Path], typer.Argument(metavar="[WEIGHTS.safetensors] OUT.onnx", show_default=False)
    ],
    new: Annotated[
        str | None, typer.Option(help=f"An untrained one: {', '.join(ARCHITECTURES)}.")
    ] = None,
    game: Annotated[str | None, typer.Option(help="With --new: the game it is for.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="With --new.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="With --new: makes it repeatable.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Turn trained weights, or a new network, into a file to play with.

    The file counts only once its answers agree with PyTorch's. An older file is replaced.

    Example: tengen export --new resnet --game connect4 --set blocks=2 untrained.onnx
    """
    out = files[-1]
    if out.suffix != ".onnx":
        raise SpecError(f"the last file is {out}; it must end in .onnx")
    if new is None:
        if len(files) != 2 or game is not None or settings:
            raise SpecError("give WEIGHTS.safetensors OUT.onnx, or --new ARCH --game GAME OUT.onnx")
        network, card = _trained(files[0])
    else:
        if len(files) != 1 or game is None:
            raise SpecError("a new network is made by --new ARCH --game GAME OUT.onnx")
        config = read_network(new, _values(settings or []))
        network, card = _untrained(config, game_of(game, seed=seed), seed)
    # Only here, as below: the import takes a second, and needs the extra `train`.
    from tengen.network import export_onnx

    difference = export_onnx(network, card, out)
    made = {
        "path": str(out),
        "game": card.game,
        "architecture": card.architecture,
        "step": card.step,
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "bytes": out.stat().st_size,
        "difference": difference,
    }
    if as_json:
        typer.echo(json.dumps(made))
    else:
        typer.echo(
            f"{out}: {card.architecture} for {card.game}, step {card.step}, "
            f"{made['parameters']:,} parameters, {out.stat().st_size / 1e6:.1f} MB, "
            f"checked (difference at most {difference:.0e})"
        )


def _trained(path: Path) -> "tuple[Network, NetworkCard]":
    from tengen.network import load_weights

    return load_weights(path)


def _untrained(config: NetworkConfig, game: AnyGame, seed: int) -> "tuple[Network, NetworkCard]":
    from tengen.network import build

    return build(config, game, seed=seed), NetworkCard.of(config, game)


def _values(settings: list[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for text in settings:
        key, has_value, value = text.partition("=")
        if not (key and has_value and value):
            raise SpecError(f"--set {text!r} is not key=value")
        if key in values:
            raise SpecError(f"--set: {key} is given twice")
        values[key] = value
    return values
