"""Presets and files of settings, in TOML, and how they are put together."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from tengen.config import Settings
from tengen.errors import SpecError
from tengen.network import read_network
from tengen.rules import AnyGame, GridGame, parse_rules
from tengen.selfplay.settings import SEARCH_KEYS
from tengen.training.settings import TrainSettings

Values = dict[str, object]

#: Boards up to this many cells are small; above the other, as large as caro.
_SMALL, _LARGE = 25, 225


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings that were chosen with reasons, which stand next to them in the file.

    A file may name another as its ``base`` and say only what differs.
    """

    name: str
    about: str
    #: The game it is for, and how long a run is when nobody says.
    game: str
    minutes: float
    values: Values


def preset_names() -> list[str]:
    """All presets that come with the package."""
    folder = files("tengen").joinpath("presets")
    return sorted(Path(entry.name).stem for entry in folder.iterdir() if ".toml" in entry.name)


def load_preset(name: str) -> Preset:
    """A preset by its name."""
    if name not in preset_names():
        raise SpecError(f"preset {name!r} is not known; it must be {', '.join(preset_names())}")
    text = files("tengen").joinpath("presets", f"{name}.toml").read_text()
    document = tomllib.loads(text)
    values, about = document["settings"], document["preset"]
    if "base" in about:
        values = merged(load_preset(about.pop("base")).values, values)
    return Preset(name, values=values, **about)


def preset_for(game: AnyGame) -> str:
    """The preset to begin with when nobody names one."""
    if not isinstance(game, GridGame):
        return "any"
    for name in preset_names():
        preset = load_preset(name)
        if preset.name == preset.game and parse_rules(preset.game) == game.rules:
            return name
    cells = game.rows * game.cols
    if game.rules.gravity:
        return "connect4"
    return "small" if cells <= _SMALL else "caro" if cells > _LARGE else "gomoku"


def read_config(path: Path) -> Values:
    """The settings in a TOML file, as ``--print-config`` writes them."""
    try:
        document = tomllib.loads(path.read_text())
    except OSError as error:
        raise SpecError(f"config {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"config {path} is not TOML: {error}") from None
    return document


def parse_assignment(text: str) -> Values:
    """``learn.rate=1e-3`` as nested values."""
    key, is_given, value = text.partition("=")
    if not is_given or not key.strip() or not all(key.strip().split(".")):
        raise SpecError(f"--set {text!r}: write key=value, as in learn.rate=1e-3")
    *groups, last = key.strip().split(".")
    values: Values = {last: value.strip()}
    for group in reversed(groups):
        values = {group: values}
    return values


def merged(*layers: Mapping[str, object]) -> Values:
    """One over the other: what a later one says counts, group by group."""
    result: Values = {}
    for layer in layers:
        for key, value in layer.items():
            below = result.get(key)
            if isinstance(below, Mapping) and isinstance(value, Mapping):
                result[key] = merged(below, value)
            else:
                result[key] = value
    return result


def to_toml(settings: TrainSettings) -> str:
    """All settings with what they mean; :func:`read_config` reads it back."""
    # All of them: in the place it is read, a preset may have chosen others than the defaults.
    chosen = read_network(settings.network, settings.network_values).model_dump(mode="json")
    lines: list[str] = []
    _write(settings.model_copy(update={"network_values": chosen}), (), lines)
    return "\n".join(lines) + "\n"


def _write(settings: Settings, path: tuple[str, ...], lines: list[str]) -> None:
    groups: list[tuple[str, Settings]] = []
    if path:
        lines += ["", f"[{'.'.join(path)}]"]
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if isinstance(value, Settings):
            groups.append((name, value))
        elif path != ("selfplay", "search") or name in SEARCH_KEYS:
            text = f"{name} = {_toml('none' if value is None else value)}"
            lines.append(f"{text:<32} # {field.description}")
    for name, group in groups:
        _write(group, (*path, name), lines)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else repr(value)
