"""Finding the list of messages in one JSON document, and each message's bytes in that list.

The document is scanned as bytes, so positions are byte offsets, and deep nesting, huge numbers or bad
UTF-8 affect only the parsing of the message that holds them. Damage loses no more than the damaged
part: a torn document keeps all messages before the tear.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from app.formats.json_scanner import (
    Bytes,
    Element,
    Values,
    blank_end,
    bytes_from,
    items_of,
    laid_out,
    members_of,
    name_at,
    read_value,
    separator,
)
from app.formats.lines import UNREADABLE
from app.formats.pages import Data, all_of
from app.formats.splice import MAX_DEPTH, Scan, scan, skip
from app.model import JsonPath

BOM: Final = b"\xef\xbb\xbf"

MESSAGES: Final = "messages"

MAX_NESTED: Final = 3
"""Objects enclosing the one that holds the messages, as in {"request": {"body": {"messages": ...}}}."""

_OBJECTS: Final = 24
"""Members of an object that are searched for the messages."""
_ATTEMPTS: Final = 32
"""How often reading resumes after bytes that are not JSON."""
_NEAR: Final = 16
"""Bytes searched on each side of the offset where reading failed."""

_COMMON: Final = (b'"type"', b'"role"', b'"content"', b'"id"')
"""Member names that do not mark a message: parts begin with them, too, or `_message_start` covers them."""

_message_start = re.compile(rb'\{\s*+"(?:role|content)"\s*+:')


@dataclass(frozen=True)
class MessageList:
    """Where the messages of a document are. All positions are byte offsets in the file."""

    path: JsonPath
    """Path of the list in the document; `()` is the whole document."""
    start: int
    """Offset after the opening bracket."""
    end: int
    """Offset of the closing bracket; where reading stopped if there is none."""
    stop: int
    """End of the bytes after the messages that can be kept as they are."""
    closing: bytes = b""
    """What must follow `stop` to complete the JSON document; empty for a sound one."""
    words: tuple[str, ...] = ()
    """Warning words for the damage outside the messages themselves."""
    members: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Byte span of each other value in the object that holds the list, by key."""

    @property
    def sound(self) -> bool:
        """Whether the bytes between the messages can be kept as they are."""
        return not self.words


class MessageFinder:
    """The messages of the JSON document that begins at or after `start`: iterate once, then see `found`.

    They are the list at the root, or the list named `member` in the root object or an object inside it.
    An object with a role is a message itself, not a document. A truncated document yields the messages
    that are there. Linear in the length of `data`; values are not kept.
    """

    def __init__(self, data: Data, start: int = 0, member: str = MESSAGES) -> None:
        self.found: MessageList | None = None
        """None if the document has no list of messages."""
        self._data = data
        self._start = start
        self._member = member

    def __iter__(self) -> Iterator[Element]:
        root = blank_end(self._data, self._start)
        opener = self._data[root : root + 1]
        if opener == b"[":
            values = Values(self._data, items_of(bytes_from(self._data, root)))
            items = yield from _read_list(self._data, root + 1, values)
            self.found = _finished(self._data, items, ())
        elif opener == b"{":
            whole = bytes_from(self._data, root)
            self.found = yield from _in_object(self._data, root, (), self._member, whole, _Patience())


def document_start(data: bytes) -> int:
    """Offset of the first value, after a byte-order mark and whitespace."""
    return blank_end(data, len(BOM) if data.startswith(BOM) else 0)


def may_hold(head: bytes, *members: str) -> bool:
    """Whether the first value of `head` may be an object with members of these names.

    A cheap test of the bytes: if it says no, nothing needs to be scanned.
    """
    start = document_start(head)
    return head[start : start + 1] == b"{" and all(f'"{name}"'.encode() in head for name in members)


class _Items(Struct, frozen=True):
    start: int
    end: int
    closed: bool
    words: tuple[str, ...]


@dataclass
class _Members:
    """The members of one object that could be read."""

    whole: dict[str, tuple[int, int]] = field(default_factory=dict)
    messages: _Items | None = None
    objects: list[tuple[str, int]] = field(default_factory=list)
    """Key and start of the members that are objects, the last possibly torn."""
    end: int = 0
    """End of the last complete member."""
    closed: bool = False


class _Patience(Struct):
    """How often reading a document's members may still resume after bytes that are not JSON."""

    left: int = _ATTEMPTS


_Found: TypeAlias = "MessageList | None"


def _in_object(
    data: Data, root: int, path: JsonPath, member: str, raw: Bytes, patience: _Patience
) -> Generator[Element, None, _Found]:
    """Read the object at `root`; `raw` is its bytes, possibly with more after them."""
    values = members_of(raw)
    members = yield from _read_members(data, root, member, values, patience)
    if members.messages is not None:
        return _finished(data, members.messages, (*path, member), members)
    if "role" in members.whole and not path:
        return None
    if len(path) < MAX_NESTED:
        for key, start in members.objects[:_OBJECTS]:
            inner = values.get(key, b"")
            found = yield from _in_object(data, start, (*path, key), member, inner, patience)
            if found is not None:
                return found if path else _around(data, root, found)
    return None


def _around(data: Data, root: int, found: MessageList) -> MessageList:
    """The same list, with what follows it extended to the end of the enclosing objects."""
    reach = scan(all_of(data), root)
    if reach.whole and not found.closing:
        stop, words = _tail(data, reach.end)
        return replace(found, stop=stop, words=(*found.words, *words))
    open_list = found.closing.startswith(b"]")
    closing = b"]" * open_list + b"}" * len(found.path)
    stop = found.end if open_list else found.end + 1
    return replace(found, stop=stop, closing=closing, words=found.words or ("torn-tail",))


def _finished(data: Data, items: _Items, full: JsonPath, members: _Members | None = None) -> MessageList:
    """The list at `full` and its siblings `members`; without `members` the list is the document."""
    beside = {} if members is None else members.whole
    if not items.closed:
        closing = b"]" + (b"" if members is None else b"}")
        return MessageList(full, items.start, items.end, items.end, closing, items.words, beside)
    if members is None or members.closed:
        behind = items.end + 1 if members is None else members.end
        stop, words = (behind, ()) if len(full) > 1 else _tail(data, behind)
        return MessageList(full, items.start, items.end, stop, b"", (*items.words, *words), beside)
    stop = max(members.end, items.end + 1)
    words = (*items.words, "torn-tail")
    return MessageList(full, items.start, items.end, stop, b"}", words, beside)


def _tail(data: Data, end: int) -> tuple[int, tuple[str, ...]]:
    """End of the whitespace after a document that ends at `end`, and warning words for what follows."""
    stop = blank_end(data, end)
    if stop == len(data):
        return stop, ()
    rest = data[stop:].strip(b" \t\r\n\0")
    return stop, ("bad-line",) if rest else ("nul-bytes",)


def _read_members(
    data: Data, root: int, member: str, sound: Mapping[str, msgspec.Raw], patience: _Patience
) -> Generator[Element, None, _Members]:
    found = _Members(end=root + 1)
    values = Values(data)
    pos: int | None = root + 1
    while pos is not None:
        name, start = name_at(data, pos)
        if not name:
            failed = blank_end(data, pos)
            if data[failed : failed + 1] == b"}":
                if found.end == root + 1:
                    found.end, found.closed = failed + 1, True
                return found
            pos = _next_member(data, root, failed, found, patience)
            continue
        key = _key(name)
        raw = sound.get(key)
        again = raw is not None and not data.startswith(raw, start)
        if again:
            raw = None  # a duplicate key, of which the last one counts
        is_list = key == member and data[start : start + 1] == b"["
        if is_list and found.messages is None and not again:
            items = Values(data, () if raw is None else items_of(raw))
            found.messages = yield from _read_list(data, start + 1, items)
            if not found.messages.closed:
                return found
            end = found.messages.end + 1
        else:
            if data[start : start + 1] == b"{":
                found.objects.append((key, start))
            behind = values.end_of(start) if raw is None else start + len(memoryview(raw))
            if behind is None:
                pos = _next_member(data, root, start, found, patience)
                continue
            end = behind
            if not is_list:
                found.whole[key] = (start, end)
        found.end = end
        sign, pos = separator(data, end)
        if sign == b"}":
            found.end, found.closed = pos, True
            return found
        if sign != b",":
            # A value directly before unexpected bytes is not reliable.
            sure = b"\n" in data[end : blank_end(data, end)]
            pos = _next_member(data, root, end if sure else start, found, patience)
            if not sure and (found.closed or pos is not None):
                found.whole.pop(key, None)
    return found


def _next_member(data: Data, root: int, failed: int, found: _Members, patience: _Patience) -> int | None:
    """Where the next member begins after the offset where reading failed; None if it cannot be found.

    If the object ends there instead, `found` is marked closed.
    """
    layout = laid_out(data, root + 1, b'"', b"}") if patience.left else None
    again = None if layout is None else layout.search(all_of(data), failed)
    patience.left -= layout is not None
    if again is None:
        return None
    if data[again.end() : again.end() + 1] == b"}":
        found.end, found.closed = again.end() + 1, True
        return None
    return again.end()


def _key(quoted: bytes) -> str:
    text = quoted.decode("utf-8", "replace")
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text[1:-1]


def _read_list(data: Data, start: int, values: Values) -> Generator[Element, None, _Items]:
    words: dict[str, None] = {}
    pos = last = start
    attempts, comma = 0, True
    first: int | None = None
    while True:
        pos = blank_end(data, pos)
        sign = data[pos : pos + 1]
        if sign == b"]":
            if comma and last > start:
                words["bad-line"] = None
            return _Items(start, pos, True, tuple(words))
        if sign and not comma:
            words["glued-records"] = None
        element = values.at(pos)
        if element is None:
            reach = scan(all_of(data), pos)
            if reach.whole:
                values.missed(reach.end - pos)
                element = Element(pos, reach.end, *read_value(data[pos : reach.end]))
            else:
                end = _broken_end(all_of(data), start, first, pos, reach)
                if end is None or not sign or attempts >= _ATTEMPTS:
                    words["torn-tail"] = None
                    return _Items(start, last, False, tuple(words))
                attempts += 1
                words["bad-line"] = None
                element = Element(pos, end, UNREADABLE, ("bad-line",))
        elif first is None:
            first = pos
        yield element
        last = element.end
        sign, behind = separator(data, last)
        comma = sign == b","
        pos = behind if comma else last


def _broken_end(data: bytes, begin: int, first: int | None, start: int, reach: Scan) -> int | None:
    """The end of the bytes from `start` on that are not JSON; None if the list is torn there.

    The list's items start at `begin`, its first sound message at `first`.
    """
    layout = laid_out(data, begin, b"{", b"]")
    if layout is not None:
        shown = layout.search(data, start)
        if shown is not None:
            return _without_gap(data, start, shown.end())
    begins = _beginning(data, first)
    later = begins.search(data, max(reach.end, start + 1))
    if reach.torn and (layout is not None or later is None or not scan(data, later.start()).whole):
        return None
    # A message that begins near the failure: the one before it lost its end.
    near = begins.search(data, max(start + 1, reach.end - _NEAR), reach.end + _NEAR)
    if near is not None and scan(data, near.start()).whole:
        return _without_gap(data, start, near.start())
    try:
        end = skip(data, start, MAX_DEPTH)
    except ValueError:
        end = start
    if end > start and separator(data, end)[0] and not (later and _is_next(data, later.start(), end)):
        return end
    return len(data) if later is None else _without_gap(data, start, later.start())


def _is_next(data: bytes, start: int, end: int) -> bool:
    """Whether a whole message begins at `start`, directly after another one and before `end`.

    After a missing quote, strings and structure are swapped, so the `end` that was found may be far off.
    """
    above = data[max(0, start - _NEAR) : start].rstrip(b" \t\r\n")
    return start < end and above.endswith(b"},") and scan(data, start).whole


def _beginning(data: bytes, first: int | None) -> re.Pattern[bytes]:
    """A pattern for the start of a message: the first message's first key, unless it is a common name."""
    name = b"" if first is None else name_at(data, first + 1)[0]
    if name in (b"", *_COMMON):
        return _message_start
    return re.compile(rb"\{\s*+" + re.escape(name) + rb"\s*+:")


def _without_gap(data: bytes, start: int, end: int) -> int:
    return start + max(1, len(data[start:end].rstrip(b" \t\r\n,")))
