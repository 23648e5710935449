"""Writing values as TOML, which the standard library can only read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_ITEMS_IN_LINE: Final = 4
"""A longer list has a line for each item."""


def toml_value(value: Any) -> str:
    """A value in one line; a list of many items or a text of several lines in several."""
    if isinstance(value, tuple | list):
        if len(value) <= _ITEMS_IN_LINE:
            return f"[{', '.join(map(toml_line, value))}]"
        return "[\n" + "".join(f"  {toml_line(item)},\n" for item in value) + "]"
    if isinstance(value, str) and "\n" in value:
        # Three quotes would end it; the line end right after the opening ones is not part of it.
        return '"""\n' + "\n".join(map(_escaped, value.split("\n"))) + '"""'
    return toml_line(value)


def toml_line(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(toml_line, value))}]"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return f'"{_escaped(value)}"'
    return json.dumps(value)


def toml_key(key: str) -> str:
    """A key, quoted if necessary."""
    return key if _BARE_KEY.fullmatch(key) else toml_line(key)


def toml_pairs(pairs: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """`key = value` lines; a value may take several lines."""
    return (f"{toml_key(key)} = {toml_value(value)}" for key, value in pairs)


def can_be_said(text: str) -> bool:
    """Whether TOML can represent the text: it cannot represent a lone surrogate."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _escaped(text: str) -> str:
    return "".join(map(_sign, text))


def _sign(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    return "?" if not can_be_said(char) else f"\\U{ord(char):08x}"
