"""The base of all settings: frozen, checked, and with errors of one sentence."""

import re
from collections.abc import Mapping
from typing import Annotated, Self, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator
from pydantic_core import ErrorDetails

from tengen.errors import SpecError

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|)", re.ASCII)
_SECONDS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}


def parse_duration(value: object) -> object:
    """Seconds, given as a number or as text such as ``500ms``, ``3s`` or ``2m``."""
    if not isinstance(value, str):
        return value
    match = _DURATION.fullmatch(value.strip().lower())
    if match is None:
        raise ValueError("it must be a duration such as 500ms, 3s or 2m")
    return float(match[1]) * _SECONDS[match[2]]


def parse_switch(value: object) -> object:
    """``on`` and ``off``, and nothing else that might be meant as true or false."""
    if isinstance(value, str):
        if value not in ("on", "off"):
            raise ValueError("it must be on or off")
        return value == "on"
    return value


def parse_list(value: object) -> object:
    """A list inside a value is written with slashes: ``1/0/-1``; nothing is the empty list."""
    return tuple(value.split("/") if value else ()) if isinstance(value, str) else value


Seconds = Annotated[float, BeforeValidator(parse_duration)]
Switch = Annotated[bool, BeforeValidator(parse_switch)]


class Settings(BaseModel):
    """Named values that never change; an unknown name is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _none(cls, values: object) -> object:
        """``none`` takes a value away, where there need not be one."""
        if not isinstance(values, Mapping):
            return values
        optional = {
            name
            for name, field in cls.model_fields.items()
            if type(None) in get_args(field.annotation)
        }
        return {
            key: None if key in optional and value == "none" else value
            for key, value in values.items()
        }

    @classmethod
    def read(cls, values: Mapping[str, object], *, where: str) -> Self:
        """Check values from outside; errors start with ``where``, as in ``uct.sims is 0; …``.

        In a group of settings inside others, the group's name takes the place of ``where``.
        """
        texts = {name for name, field in cls.model_fields.items() if field.annotation is str}
        _check_plain({key: value for key, value in values.items() if key not in texts}, where)
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            raise SpecError(_sentence(cls, error.errors()[0], where, values)) from None


def _check_plain(values: Mapping[str, object], where: str) -> None:
    for key, value in values.items():
        if isinstance(value, str) and ("_" in value or not value.isascii()):
            raise SpecError(f"{where}.{key} is {value}; it must be in plain letters and digits")


def _group(settings: type[Settings], key: str) -> type[Settings] | None:
    """The class of a group of settings inside others."""
    field = settings.model_fields.get(key)
    kind = field.annotation if field else None
    return kind if isinstance(kind, type) and issubclass(kind, Settings) else None


def _sentence(
    settings: type[Settings], error: ErrorDetails, where: str, values: Mapping[str, object]
) -> str:
    """Pydantic's account of one mistake, as a sentence of ours."""
    path = list(error["loc"])
    while len(path) > 1 or error["type"] == "value_error":
        group = _group(settings, str(path[0])) if path else None
        inner = values.get(str(path[0])) if path else None
        if group is None or not isinstance(inner, Mapping):
            break
        settings, where, values = group, str(path.pop(0)), inner
    key = str(path[0]) if path else ""
    name = f"{where}.{key}" if key else where
    context = error.get("ctx", {})
    kind = error["type"]
    if kind == "extra_forbidden":
        names = ", ".join(settings.model_fields) or "none"
        return f"{where} has no key {key!r}; it has: {names}"
    if not key:  # about several values together
        return f"{where}: {context['error']}"
    if key not in values:
        return f"{name} is missing"
    # As it was written, rather than a part of it.
    return f"{name} is {values[key]}; {_demand(error)}"


_LIMITS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


def _demand(error: ErrorDetails) -> str:
    """What a value must be instead."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in _LIMITS:
        words, key = _LIMITS[kind]
        return f"it must be {words} {context[key]}"
    if kind in ("literal_error", "enum"):
        return f"it must be {context['expected']}"
    if kind == "value_error":
        return str(context["error"])
    if kind.startswith("int"):
        return "it must be a whole number"
    if kind.startswith(("float", "finite")):
        return "it must be a number"
    if kind in ("too_short", "too_long", "missing"):
        return "it has the wrong number of parts"
    if kind in ("model_type", "dict_type"):
        return "it must be a group of settings"
    return error["msg"][0].lower() + error["msg"][1:]
