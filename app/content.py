"""Texts and values of a session that are read when they are asked for, or held because they were made."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

JsonPath: TypeAlias = tuple[str | int, ...]
"""Where a value lies inside a record: object keys and list positions."""

PREVIEW_CHARS = 160
"""Code points of a text that are kept in memory for lists and cheap tests."""


class Content(Protocol):
    """A text that can be read on demand."""

    @property
    def chars(self) -> int:
        """Length in code points."""

    @property
    def size(self) -> int:
        """Length in bytes of UTF-8 (a lone surrogate counts 3)."""

    @property
    def preview(self) -> str:
        """The first `PREVIEW_CHARS` code points, as they are (not safe for a terminal)."""

    def read(self) -> str:
        """The whole text. A value that is no string is given as compact JSON."""

    def value(self) -> Any:
        """The JSON value behind the text (for a tool's input: an object)."""


def mark_of(text: str) -> bytes:
    """A digest that stands for a text where facts of it are kept: no text can be had from it."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Held(Struct, frozen=True):
    """Content that is held in memory: what a stage or a person made."""

    text: str

    @property
    def chars(self) -> int:
        return len(self.text)

    @property
    def size(self) -> int:
        return len(self.text) if self.text.isascii() else len(self.text.encode("utf-8", "surrogatepass"))

    @property
    def preview(self) -> str:
        return self.text[:PREVIEW_CHARS]

    def read(self) -> str:
        return self.text

    def value(self) -> Any:
        return json.loads(self.text)


@dataclass(frozen=True)
class HeldValue:
    """A JSON value that is held in memory: a tool's input given as data."""

    data: Any

    @cached_property
    def _text(self) -> str:
        return self.data if isinstance(self.data, str) else compact_json(self.data)

    @property
    def chars(self) -> int:
        return len(self._text)

    @property
    def size(self) -> int:
        return len(self._text.encode("utf-8", "surrogatepass"))

    @property
    def preview(self) -> str:
        return self._text[:PREVIEW_CHARS]

    def read(self) -> str:
        return self._text

    def value(self) -> Any:
        return self.data


# What is encoded was read as JSON or is made of it, so that it holds no circles.
_compact = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


def compact_json(value: Any) -> str:
    """`value` as JSON with no blanks and non-ASCII characters as they are."""
    return _compact.encode(value)
