"""The bytes around the list of messages of a document in which something else is damaged, as sound JSON."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TypeAlias

from app.formats.document import MESSAGES, MessageFinder
from app.formats.lenient_json import mend
from app.formats.splice import encode
from app.model import JsonPath

Shell: TypeAlias = tuple[bytes, bytes]
"""What stands before the messages, to the opening bracket, and behind them, from the closing one."""

Member: TypeAlias = tuple[str, bytes]
"""Its name and the bytes of its value."""


def mended_shell(before: bytes, behind: bytes, path: JsonPath) -> Shell | None:
    """What stands around the list at `path`, mended; None where no mending makes JSON of it."""
    with suppress(ValueError):
        mended = mend(before + behind)
        finder = MessageFinder(mended, member=str(path[-1]) if path else MESSAGES)
        if not list(finder) and finder.found is not None:
            return mended[: finder.found.start], mended[finder.found.end :] + b"\n"
    return None


def made_shell(path: JsonPath, before: Iterable[Member], behind: Iterable[Member], indent: bytes) -> Shell:
    """The same made anew of those members beside the list that can be read, each on a line of its own."""
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
