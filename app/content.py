"""Texts and values of a session: read from the file on demand, or held in memory because they were made."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

JsonPath: TypeAlias = tuple[str | int, ...]
"""Path of a value inside a record: object keys and list indexes."""

PREVIEW_CHARS = 160
"""Code points of each text that are kept in memory, for lists and cheap tests."""


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
        """The first `PREVIEW_CHARS` code points, unescaped (not safe for a terminal)."""

    def read(self) -> str:
        """The whole text. A value that is not a string is returned as compact JSON."""

    def value(self) -> Any:
        """The JSON value that the text spells (an object for a tool's input)."""


def mark_of(text: str) -> bytes:
    """A 16-byte digest that identifies a text in caches; the text cannot be recovered from it."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Held(Struct, frozen=True):
    """Content held in memory: text that a stage or a person made."""

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
    """A JSON value held in memory, such as a tool's input given as data."""

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


# Values come from parsed JSON or are built from it, so they cannot contain cycles.
_compact = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


def compact_json(value: Any) -> str:
    """`value` as JSON without whitespace; non-ASCII characters are not escaped."""
    return _compact.encode(value)
