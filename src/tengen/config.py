"""The base of all settings: frozen, checked, and with errors of one sentence."""

import re
from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
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
    """A list inside a value is written with slashes: ``1/0/-1``."""
    return tuple(value.split("/")) if isinstance(value, str) else value


Seconds = Annotated[float, BeforeValidator(parse_duration)]
Switch = Annotated[bool, BeforeValidator(parse_switch)]


class Settings(BaseModel):
    """Named values that never change; an unknown name is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def read(cls, values: Mapping[str, object], *, where: str) -> Self:
        """Check values from outside; errors start with ``where``, as in ``uct.sims is 0; …``."""
        texts = {name for name, field in cls.model_fields.items() if field.annotation is str}
        for key, value in values.items():
            if key in texts:
                continue
            if isinstance(value, str) and ("_" in value or not value.isascii()):
                raise SpecError(f"{where}.{key} is {value}; it must be in plain letters and digits")
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            names = tuple(cls.model_fields)
            raise SpecError(_sentence(error.errors()[0], where, values, names)) from None


def _sentence(
    error: ErrorDetails, where: str, values: Mapping[str, object], names: tuple[str, ...]
) -> str:
    """Pydantic's account of one mistake, as a sentence of ours."""
    key = str(error["loc"][0]) if error["loc"] else ""
    name = f"{where}.{key}" if key else where
    context = error.get("ctx", {})
    kind = error["type"]
    if kind == "extra_forbidden":
        return f"{where} has no key {key!r}; it has: {', '.join(names) or 'none'}"
    if not key:  # about several values together
        return f"{where}: {context['error']}"
    if key not in values:
        return f"{name} is missing"
    limits = {
        "greater_than_equal": ("at least", "ge"),
        "greater_than": ("more than", "gt"),
        "less_than_equal": ("at most", "le"),
        "less_than": ("less than", "lt"),
    }
    given = values[key]  # as it was written, rather than a part of it
    if kind in limits:
        words, key = limits[kind]
        must = f"it must be {words} {context[key]}"
    elif kind == "literal_error" or kind == "enum":
        must = f"it must be {context['expected']}"
    elif kind == "value_error":
        must = str(context["error"])
    elif kind.startswith("int"):
        must = "it must be a whole number"
    elif kind.startswith(("float", "finite")):
        must = "it must be a number"
    elif kind in ("too_short", "too_long", "missing"):
        must = "it has the wrong number of parts"
    else:
        must = error["msg"][0].lower() + error["msg"][1:]
    return f"{name} is {given}; {must}"
