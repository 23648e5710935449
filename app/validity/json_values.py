"""Rules about the values in any JSON request, whatever the provider."""

from __future__ import annotations

import math
from json.encoder import encode_basestring
from typing import Any, Final, TypeAlias

import msgspec

from app.model import JsonPath
from app.validity.base import Location, Report

_Trail: TypeAlias = "tuple[_Trail, str | int] | None"
"""A path as a linked list to the root, so that a deep value costs one link and not a copy of its path."""


_encode: Final = msgspec.json.Encoder().encode
_NOTHING: Final = (b":null", b",null", b"[null")
"""Where `null` is a value in encoded JSON; NaN is encoded as null, too."""


def examine(value: Any, location: Location, report: Report) -> int:
    """Report each string and number in `value` that JSON cannot represent; returns the size of its JSON.

    The size is in bytes of compact UTF-8 JSON, with numbers accurate to a few digits.
    """
    try:
        written = _encode(value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return _look_at_each(value, location, report)
    if written == b"null" or any(word in written for word in _NOTHING):
        return _look_at_each(value, location, report)
    return len(written)


def _look_at_each(value: Any, location: Location, report: Report) -> int:
    """The same with an explicit stack, for any depth of nesting."""
    size = 0
    todo: list[tuple[Any, _Trail]] = [(value, None)]
    while todo:
        current, trail = todo.pop()
        if isinstance(current, str):
            size += _text_size(current, trail, location, report)
        elif isinstance(current, dict):
            size += 1 + max(len(current), 1)
            for key, inner in current.items():
                if isinstance(key, str):
                    size += _text_size(key, trail, location, report) + 1
                    todo.append((inner, (trail, key)))
        elif isinstance(current, list | tuple):
            size += 1 + max(len(current), 1)
            todo.extend((inner, (trail, i)) for i, inner in enumerate(current))
        else:
            size += _scalar_size(current, trail, location, report)
    return size


def _text_size(text: str, trail: _Trail, location: Location, report: Report) -> int:
    written = encode_basestring(text)
    if written.isascii():
        return len(written)
    try:
        return len(written.encode("utf-8"))
    except UnicodeEncodeError as error:
        report.add("json.lone-surrogate", location.at(*_path(trail)), f"U+{ord(written[error.start]):04X}")
        return len(written.encode("utf-8", "surrogatepass"))


def _scalar_size(value: Any, trail: _Trail, location: Location, report: Report) -> int:
    if isinstance(value, float):
        if not math.isfinite(value):
            report.add("json.not-finite", location.at(*_path(trail)), str(value))
        return len(repr(value))
    if isinstance(value, int) and not isinstance(value, bool):
        # Not its text: Python refuses to write out an integer of more than 4300 digits.
        return int(value.bit_length() * math.log10(2)) + 1 + (value < 0)
    return 4 + (value is False)


def _path(trail: _Trail) -> JsonPath:
    steps: list[str | int] = []
    while trail is not None:
        trail, step = trail
        steps.append(step)
    return tuple(reversed(steps))
