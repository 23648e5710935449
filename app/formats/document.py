"""One JSON document: where the list of messages lies in it, and each message in that list.

The document is read over as bytes with the scanners of `splice`, so positions are bytes at once, and
nesting, huge numbers and bad UTF-8 are met where the one message that holds them is parsed. What is
damaged costs no more than itself: a torn document keeps all messages before the tear. How long the
values of a sound document are is asked of the fast decoder, which reads over them once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from app.formats.lenient import DOUBTS, decode_fast, decode_sound, decode_window, parse
from app.formats.lines import UNREADABLE
from app.formats.pages import Data, Pages, all_of
from app.formats.splice import MAX_DEPTH, STRING, decode_items, decode_members, scan, skip
from app.model import JsonPath

BOM: Final = b"\xef\xbb\xbf"

MESSAGES: Final = "messages"

MAX_NESTED: Final = 3
"""Objects around the object that holds the messages, as in {"request": {"body": {"messages": ...}}}."""

_OBJECTS: Final = 24
"""Members of an object in which the messages are looked for."""
_ATTEMPTS: Final = 32
"""How often reading starts anew behind bytes that are no JSON."""
_UNSOUND: Final = 32
"""Values that the fast decoder may refuse before it is given up: each costs a window."""
_WINDOW: Final = 2 << 20
"""Bytes that are decoded at once."""
AT_ONCE: Final = 160 << 20
"""Bytes that the fast decoder reads over in one go: no other thread runs meanwhile, a tenth of a second."""
_NEAR: Final = 16
"""Bytes around the place where reading failed."""

_BLANKS: Final = b" \t\r\n"
_LOOK: Final = 256
"""Bytes that are looked at for blanks at once: there are seldom more than a line end and an indent."""
_name = re.compile(STRING, re.DOTALL)
_SEPARATORS: Final = (b",", b"]", b"}")
_message_start = re.compile(rb'\{\s*+"(?:role|content)"\s*+:')


class Element(NamedTuple):
    """A value in the list of messages. A tuple because there are so many."""

    start: int
    end: int
    """Its bytes are [start, end) of the file."""
    value: Any
    """`UNREADABLE` where nothing could be read."""
    damage: tuple[str, ...] = ()
    """Warning words; empty for sound JSON."""


@dataclass(frozen=True)
class MessageList:
    """Where the messages of a document lie. All positions are bytes from the start of the file."""

    path: JsonPath
    """Of the list in the document; `()` is the whole document."""
    start: int
    """Behind the opening bracket."""
    end: int
    """At the closing bracket; where reading stopped if there is none."""
    stop: int
    """Behind the last byte after the messages that can be kept as it is."""
    closing: bytes = b""
    """What must follow `stop` to make a JSON document of it; empty for a sound one."""
    words: tuple[str, ...] = ()
    """Warning words for the damage outside the messages themselves."""
    members: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Where the values beside the list lie, by key, in the object that holds it."""

    @property
    def sound(self) -> bool:
        """Whether the bytes between the messages can be kept as they are."""
        return not self.words


class MessageFinder:
    """The messages of the JSON document that begins at or behind `start`: iterate once, then see `found`.

    They are the list at the root, or the member of that name of the root object or of an object inside
    it; an object with a role is a message itself and no document. Bytes that end before the document
    does give what is there. Linear in the length of `data`; values are not kept.
    """

    def __init__(self, data: Data, start: int = 0, member: str = MESSAGES) -> None:
        self.found: MessageList | None = None
        """None when the document has no list of messages."""
        self._data = data
        self._start = start
        self._member = member

    def __iter__(self) -> Iterator[Element]:
        root = blank_end(self._data, self._start)
        opener = self._data[root : root + 1]
        if opener == b"[":
            values = _Values(self._data, _items_of(_bytes_from(self._data, root)))
            items = yield from _read_list(self._data, root + 1, values)
            self.found = _finished(self._data, items, ())
        elif opener == b"{":
            whole = _bytes_from(self._data, root)
            self.found = yield from _in_object(self._data, root, (), self._member, whole)


def document_start(data: bytes) -> int:
    """Where the first value may begin: behind a byte-order mark and blanks."""
    return blank_end(data, len(BOM) if data.startswith(BOM) else 0)


def may_hold(head: bytes, *members: str) -> bool:
    """Whether the first value of `head` may be an object with members of these names in its first bytes.

    A look at the bytes alone: where it says no, nothing has to be read over.
    """
    start = document_start(head)
    return head[start : start + 1] == b"{" and all(f'"{name}"'.encode() in head for name in members)


def blank_end(data: Data, start: int) -> int:
    """Behind the blanks (as JSON knows them) at `start`."""
    while piece := data[start : start + _LOOK]:
        if left := piece.lstrip(_BLANKS):
            return start + len(piece) - len(left)
        start += len(piece)
    return start


def _separator(data: Data, start: int) -> tuple[bytes, int]:
    """The comma or closing bracket that comes behind blanks at `start`, if one does, and where it ends."""
    place = blank_end(data, start)
    sign = data[place : place + 1]
    return (sign, place + 1) if sign in _SEPARATORS else (b"", start)


def _named(data: Data, start: int) -> tuple[bytes, int]:
    """The quoted name of a member that comes behind blanks at `start`, and where its value begins.

    No name where no whole one stands there, with a colon.
    """
    place = blank_end(data, start)
    near, at = (data, place) if isinstance(data, bytes) else (data[place : place + _WINDOW], 0)
    match = _name.match(near, at)
    if match is None:
        return b"", start
    colon = blank_end(data, place + match.end() - at)
    return (match[0], blank_end(data, colon + 1)) if data[colon : colon + 1] == b":" else (b"", start)


def _bytes_from(data: Data, start: int) -> memoryview:
    """The bytes from a place on, where they are in memory."""
    return memoryview(b"" if isinstance(data, Pages) else data)[start:]


class _Items(Struct, frozen=True):
    start: int
    end: int
    closed: bool
    words: tuple[str, ...]


@dataclass
class _Members:
    """The members of one object, as far as they could be read."""

    whole: dict[str, tuple[int, int]] = field(default_factory=dict)
    messages: _Items | None = None
    objects: list[tuple[str, int]] = field(default_factory=list)
    """Key and start of the members that are objects, the last perhaps torn."""
    end: int = 0
    """Behind the last whole member."""
    closed: bool = False


_Found: TypeAlias = "MessageList | None"


def _in_object(
    data: Data, root: int, path: JsonPath, member: str, raw: _Bytes
) -> Generator[Element, None, _Found]:
    """Read the object at `root`; `raw` are its bytes, or more where it is not known to be sound."""
    values = _members_of(raw)
    members = yield from _read_members(data, root, member, values)
    if members.messages is not None:
        return _finished(data, members.messages, (*path, member), members)
    if "role" in members.whole and not path:
        return None
    if len(path) < MAX_NESTED:
        for key, start in members.objects[:_OBJECTS]:
            found = yield from _in_object(data, start, (*path, key), member, values.get(key, b""))
            if found is not None:
                return found if path else _around(data, root, found)
    return None


def _around(data: Data, root: int, found: MessageList) -> MessageList:
    """The same list, with the bytes behind the objects that enclose its own."""
    reach = scan(all_of(data), root)
    if reach.whole and not found.closing:
        stop, words = _tail(data, reach.end)
        return replace(found, stop=stop, words=(*found.words, *words))
    open_list = found.closing.startswith(b"]")
    closing = b"]" * open_list + b"}" * len(found.path)
    stop = found.end if open_list else found.end + 1
    return replace(found, stop=stop, closing=closing, words=found.words or ("torn-tail",))


def _finished(data: Data, items: _Items, full: JsonPath, members: _Members | None = None) -> MessageList:
    """The list at `full` with what stands around it in its object; without `members` it is the document."""
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
    """Behind what may follow a document that ends at `end`, and what is wrong with the rest."""
    stop = blank_end(data, end)
    if stop == len(data):
        return stop, ()
    rest = data[stop:].strip(b" \t\r\n\0")
    return stop, ("bad-line",) if rest else ("nul-bytes",)


def _read_members(
    data: Data, root: int, member: str, sound: Mapping[str, msgspec.Raw]
) -> Generator[Element, None, _Members]:
    found = _Members(end=root + 1)
    values = _Values(data)
    pos = root + 1
    while (named := _named(data, pos))[0]:
        key, start = _key(named[0]), named[1]
        raw = sound.get(key)
        if raw is not None and not data.startswith(raw, start):
            raw = None  # the name stands there twice
        if key == member and data[start : start + 1] == b"[":
            items = _Values(data, () if raw is None else _items_of(raw))
            found.messages = yield from _read_list(data, start + 1, items)
            if not found.messages.closed:
                return found
            end = found.messages.end + 1
        else:
            if data[start : start + 1] == b"{":
                found.objects.append((key, start))
            behind = values.end_of(start) if raw is None else start + len(memoryview(raw))
            if behind is None:
                return found
            end = behind
            found.whole[key] = (start, end)
        found.end = end
        sign, pos = _separator(data, end)
        if sign != b",":
            if sign == b"}":
                found.end, found.closed = pos, True
            return found
    last = blank_end(data, pos)
    if data[last : last + 1] == b"}" and found.end == root + 1:
        found.end, found.closed = last + 1, True
    return found


def _key(quoted: bytes) -> str:
    text = quoted.decode("utf-8", "replace")
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text[1:-1]


def _read_list(data: Data, start: int, values: _Values) -> Generator[Element, None, _Items]:
    words: dict[str, None] = {}
    pos = last = start
    attempts, comma = 0, True
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
            if not reach.whole and (reach.torn or not sign or attempts >= _ATTEMPTS):
                words["torn-tail"] = None
                return _Items(start, last, False, tuple(words))
            if reach.whole:
                values.missed(reach.end - pos)
                element = Element(pos, reach.end, *read_value(data[pos : reach.end]))
            else:
                attempts += 1
                words["bad-line"] = None
                end = _broken_end(all_of(data), pos, reach.end)
                element = Element(pos, end, UNREADABLE, ("bad-line",))
        yield element
        last = element.end
        sign, behind = _separator(data, last)
        comma = sign == b","
        pos = behind if comma else last


_Bytes: TypeAlias = "msgspec.Raw | memoryview | bytes"


def _items_of(raw: _Bytes) -> Sequence[msgspec.Raw]:
    """The values of a list, unread, each with its very bytes; none where it is not sound, or too large."""
    try:
        return decode_items(raw) if len(memoryview(raw)) <= AT_ONCE else ()
    except DOUBTS:
        return ()


def _members_of(raw: _Bytes) -> Mapping[str, msgspec.Raw]:
    """The values of an object, unread, by name; none where it is not sound, or too large."""
    try:
        return decode_members(raw) if len(memoryview(raw)) <= AT_ONCE else {}
    except DOUBTS:
        return {}


class _Values:
    """Sound values by position, with the decoder's speed.

    `coming` are the values that will be asked for, in order, where they are known. Else a window of the
    bytes is decoded one to one: the structure of JSON is ASCII, so positions are bytes, and only a value
    that holds other bytes has to be decoded again.
    """

    def __init__(self, data: Data, coming: Iterable[msgspec.Raw] = ()) -> None:
        self._data = data
        self._coming = iter(coming)
        self._text = ""
        self._from = 0
        self._patience = _UNSOUND

    def at(self, pos: int) -> Element | None:
        """The element at `pos`; None for one that is not sound or larger than the window."""
        raw = next(self._coming, None)
        if raw is not None:
            try:
                return Element(pos, pos + len(memoryview(raw)), decode_fast(raw))
            except DOUBTS:
                pass
        if self._patience <= 0:
            return None
        element = self._read(pos) if pos - self._from < len(self._text) else None
        if element is None and self._from + len(self._text) < len(self._data):
            self._text = self._data[pos : pos + _WINDOW].decode("latin-1")
            self._from = pos
            element = self._read(pos)
        return element

    def _read(self, pos: int) -> Element | None:
        try:
            value, end = decode_window(self._text, pos - self._from)
            if end == len(self._text) and isinstance(value, int | float):
                return None  # more digits may follow
            end += self._from
            raw = self._data[pos:end]
            return Element(pos, end, value if raw.isascii() else decode_sound(raw))
        except (ValueError, RecursionError):
            return None

    def end_of(self, pos: int) -> int | None:
        """Behind the whole value at `pos`; None when it is torn or no JSON."""
        element = self.at(pos)
        if element is not None:
            return element.end
        reach = scan(all_of(self._data), pos)
        if not reach.whole:
            return None
        self.missed(reach.end - pos)
        return reach.end

    def missed(self, length: int) -> None:
        """A whole value of that many bytes was found where the decoder saw none."""
        self._patience -= length < _WINDOW


def read_value(raw: bytes) -> tuple[Any, tuple[str, ...]]:
    """A value of a document with its damage; unlike a record of a line it may lie on several."""
    with suppress(ValueError, RecursionError):
        return decode_sound(raw), ()
    try:
        return parse(raw)
    except ValueError:
        return UNREADABLE, ("bad-line",)


def _broken_end(data: bytes, start: int, stopped: int) -> int:
    """Where the bytes end that begin at `start` and are no JSON; always behind `start`.

    `stopped` is where reading failed. A message that begins there lost what was before it.
    """
    near = _message_start.search(data, max(start + 1, stopped - _NEAR), stopped + _NEAR)
    if near is not None and scan(data, near.start()).whole:
        return _without_gap(data, start, near.start())
    try:
        end = skip(data, start, MAX_DEPTH)
    except ValueError:
        end = start
    if end > start and (end == len(data) or _separator(data, end)[0]):
        return end
    later = _message_start.search(data, max(stopped, start + 1))
    return len(data) if later is None else _without_gap(data, start, later.start())


def _without_gap(data: bytes, start: int, end: int) -> int:
    return start + max(1, len(data[start:end].rstrip(b" \t\r\n,")))
