"""The options of stages and edits: their declaration, help and validation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from math import isfinite
from typing import Any, Final

from msgspec import Struct

from app.errors import BadPipeline

HUGE: Final = 10**12
"""Default maximum of a numeric option."""
_MOST_ITEMS: Final = 1_000
"""Maximum number of items in a list option."""


def option(
    default: Any,
    about: str,
    *,
    unit: str = "",
    minimum: int | None = None,
    maximum: int = HUGE,
    choices: tuple[str, ...] = (),
) -> Any:
    """Declare an option: a dataclass field with its help text and its limits."""
    metadata = {"about": about, "unit": unit, "minimum": minimum, "maximum": maximum, "choices": choices}
    if isinstance(default, list | dict | set):
        raise TypeError("an option's default must be immutable")
    return field(default=default, metadata=metadata)


class Option(Struct, frozen=True):
    """One option as the stepper's form, `pipelines` and the docs show it."""

    name: str
    type: str
    default: Any
    about: str
    unit: str
    minimum: int | None
    """Minimum of a number, or of each item in a list."""
    maximum: int
    choices: tuple[str, ...]


def meant(word: str, known: Iterable[str]) -> str:
    """` (did you mean keep_recent?)` if a known word is similar to this one, else empty."""
    # Imported lazily: few runs need it.
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), 1, 0.55)
    return f" (did you mean {near[0]}?)" if near else ""


def check_option(stage: str, option: Option, value: Any) -> Any:
    """`value` as the option's type (strings are parsed); raises BadPipeline with what was expected."""
    where = f"{stage}.{option.name}"
    if value in (None, "") and option.type.endswith("| None"):
        return None
    kind, _, inner = option.type.split(" |")[0].partition("[")
    item_kind = inner.split(",")[0]
    try:
        parsed = _PARSERS[kind](value)
        if inner:
            parsed = tuple(map(_PARSERS[item_kind], parsed))
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        expected = f"a list of {_PLURALS[item_kind]}" if inner else _WORDS[kind]
        raise BadPipeline(f"{where} must be {expected}, not {told(value)}") from error
    for item in parsed if isinstance(parsed, tuple) else (parsed,):
        _check_item(where, option, item)
    return parsed


def _check_item(where: str, option: Option, item: Any) -> None:
    """Raise BadPipeline if a value, or an item of a list, is out of range or not a choice."""
    if option.choices and item not in option.choices:
        raise BadPipeline(f"{where} must be one of {', '.join(option.choices)}, not {told(item)}")
    if isinstance(item, bool) or not isinstance(item, int | float):
        return
    if option.minimum is not None and item < option.minimum:
        raise BadPipeline(f"{where} must be at least {option.minimum}, not {told(item)}")
    if item > option.maximum:
        raise BadPipeline(f"{where} must be at most {option.maximum:,}, not {told(item)}")


def told(value: Any) -> str:
    """A value for an error message: its repr, shortened if long."""
    try:
        told = repr(value)
    except ValueError:
        return "a number too long to show"
    return told if len(told) <= 60 else f"{told[:50]}... ({len(told):,} characters)"


def _parse_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise ValueError(value)
    words = {"true": True, "yes": True, "on": True, "1": True}
    return {**words, "false": False, "no": False, "off": False, "0": False}[value.lower()]


def _parse_int(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError(value)
    return int(value.replace("_", "")) if isinstance(value, str) else int(value)


def _parse_float(value: Any) -> float:
    if isinstance(value, bool):
        raise ValueError(value)
    number = float(value)
    if not isfinite(number):
        raise ValueError(value)
    return number


def _parse_str(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(value)
    return value


def _parse_tuple(value: Any) -> tuple[Any, ...]:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list | tuple) or len(value) > _MOST_ITEMS:
        raise ValueError(value)
    return tuple(value)


_PARSERS: Mapping[str, Any] = {
    "bool": _parse_bool,
    "int": _parse_int,
    "float": _parse_float,
    "str": _parse_str,
    "tuple": _parse_tuple,
}
_WORDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
}
_PLURALS = {"int": "whole numbers", "float": "numbers", "str": "strings"}
