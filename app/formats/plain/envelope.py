"""Repairing the bytes around the list of messages of a document that is damaged outside the list."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TypeAlias

from app.formats.document import MESSAGES, MessageFinder
from app.formats.lenient_json import mend
from app.formats.splice import encode
from app.model import JsonPath

Shell: TypeAlias = tuple[bytes, bytes]
"""The bytes up to the list's opening bracket, and those from its closing one on."""

Member: TypeAlias = tuple[str, bytes]
"""A member's name and the bytes of its value."""


def mended_shell(before: bytes, behind: bytes, path: JsonPath) -> Shell | None:
    """The repaired bytes around the list at `path`; None if they cannot be made valid JSON."""
    with suppress(ValueError):
        mended = mend(before + behind)
        finder = MessageFinder(mended, member=str(path[-1]) if path else MESSAGES)
        if not list(finder) and finder.found is not None:
            return mended[: finder.found.start], mended[finder.found.end :] + b"\n"
    return None


def made_shell(path: JsonPath, before: Iterable[Member], behind: Iterable[Member], indent: bytes) -> Shell:
    """The same, rebuilt from the readable members besides the list, each on a line of its own."""
    if not path:
        return b"[", b"]\n"
    *around, name = path
    opening = b"".join(b"{%b: " % encode(key) for key in around)
    first = [*map(_told, before), b"%b: [" % encode(name)]
    last = [b"]", *map(_told, behind)]
    line, comma = b"\n" + indent, b",\n" + indent
    return opening + b"{" + line + comma.join(first), comma.join(last) + b"\n}" + b"}" * len(around) + b"\n"


def _told(member: Member) -> bytes:
    name, value = member
    return b"%b: %b" % (encode(name), value)
