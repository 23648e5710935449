"""Detecting the spacing of a plain JSON file, so that new values are formatted like the old ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from app.formats.pages import Data
from app.formats.splice import encode

HEAD: Final = 4096
"""Bytes of a record that are examined for its style."""


class Style(Struct, frozen=True):
    """How the values of a file are spaced."""

    separator: bytes = b", "
    """Bytes between two messages, including the comma."""
    margin: str = ""
    """Indentation of each line of a message except the first."""
    step: str | None = None
    """Indentation of one level inside a message; None for messages on one line."""
    comma: str = ","
    colon: str = ":"
    newline: str = "\n"

    def written(self, value: Any) -> bytes:
        """A value formatted in this style."""
        separators = (self.comma, self.colon) if self.step is None else (",", ": ")
        text = json.dumps(value, ensure_ascii=False, indent=self.step, separators=separators)
        if self.step is not None:
            text = text.replace("\n", f"{self.newline}{self.margin}")
        try:
            return text.encode()
        except UnicodeEncodeError:
            return encode(value)


def line_style(head: bytes) -> Style:
    """The spacing of a JSONL file, judged by the head of its first record."""
    spaced = b'": ' in head
    return Style(b"\n", comma=", " if spaced else ",", colon=": " if spaced else ":")


def document_style(data: Data, start: int, spans: Sequence[tuple[int, int]]) -> Style:
    """The spacing of a document's messages, judged by the list's `start` and its first two."""
    if not spans:
        return Style()
    first, *others = spans
    gap = data[start : first[0]]
    head = data[first[0] : first[1]][:HEAD]
    spaced = b'": ' in head
    separator = b"," + (gap if b"\n" in gap else b" " * spaced)
    if others:
        between = data[first[1] : others[0][0]]
        separator = between if between.strip() == b"," else separator
    line = separator.rpartition(b"\n")[2] if b"\n" in separator else b""
    margin = line.decode("ascii", "replace").replace(",", " ")
    opening, newline, rest = head.partition(b"\n")
    step: str | None = None
    if newline and opening.strip() == b"{":
        inner = rest[: len(rest) - len(rest.lstrip(b" \t"))].decode("ascii", "replace")
        step = inner.removeprefix(margin)
    return Style(
        separator=separator,
        margin=margin,
        step=step,
        comma=", " if spaced else ",",
        colon=": " if spaced else ":",
        newline="\r\n" if b"\r\n" in separator else "\n",
    )
