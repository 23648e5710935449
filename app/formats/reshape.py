"""Updating a record's bytes to a changed value without touching the parts that are equal.

`reshape(raw, old, new)` compares two JSON values and applies the differences to the bytes of the first.
Equal members and items keep their bytes, with their order, whitespace and number spelling; new ones are
written compactly. So a writer only has to build the value that it wants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from app.formats.splice import Item, compact_items, compact_members, encode, items

_NEAR: Final = 24
"""Number of unmatched old items that are compared with a new one."""


def reshape(raw: bytes, old: Any, new: Any) -> bytes:
    """JSON bytes of `new`, made from `raw`, the bytes of `old` without surrounding whitespace.

    Whatever the differences are, the result parses to `new`. Raises ValueError if `raw` is not JSON.
    """
    if same(old, new):
        return raw
    if isinstance(old, dict) and isinstance(new, dict):
        return _reshape_object(raw, old, new)
    if isinstance(old, list) and isinstance(new, list):
        return _reshape_list(raw, old, new)
    return encode(new)


def same(old: Any, new: Any) -> bool:
    """Whether two JSON values are equal, `1`, `1.0` and `true` told apart at the top."""
    return old is new or (type(old) is type(new) and bool(old == new))


def _reshape_object(raw: bytes, old: dict[str, Any], new: dict[str, Any]) -> bytes:
    if compact := compact_members(raw):
        kept = [
            b'"%s":%s' % (key.encode(), reshape(value, old.get(key), new[key]))
            for key, value in compact.items()
            if key in new
        ]
        added = [_member(key, encode(value)) for key, value in new.items() if key not in compact]
        return b"{%s}" % b",".join(kept + added)
    members = list(items(raw, 0))
    last = {member.key: number for number, member in enumerate(members)}
    chosen: list[tuple[int | None, bytes]] = []
    for number, member in enumerate(members):
        key = str(member.key)
        if key not in new:
            continue
        text = raw[member.start : member.end]
        if number == last[key]:
            text = reshape(text, old.get(key), new[key])
        chosen.append((number, raw[member.begin : member.start] + text))
    chosen += [(None, _member(key, encode(value))) for key, value in new.items() if key not in last]
    return _joined(raw, members, chosen)


def _member(key: str, value: bytes) -> bytes:
    return encode(key) + b":" + value


def _reshape_list(raw: bytes, old: list[Any], new: list[Any]) -> bytes:
    origins = list(zip(align(old, new), new, strict=True))
    if compact := compact_items(raw):
        texts = [encode(it) if at is None else reshape(compact[at], old[at], it) for at, it in origins]
        return b"[%s]" % b",".join(texts)
    members = list(items(raw, 0))
    chosen: list[tuple[int | None, bytes]] = []
    for origin, item in origins:
        if origin is None:
            chosen.append((None, encode(item)))
        else:
            text = raw[members[origin].start : members[origin].end]
            chosen.append((origin, reshape(text, old[origin], item)))
    return _joined(raw, members, chosen)


def _joined(raw: bytes, members: Sequence[Item], chosen: Sequence[tuple[int | None, bytes]]) -> bytes:
    """The container `raw` with only the chosen members: (index of the old member or None, bytes)."""
    if not chosen:
        return raw[:1] + raw[-1:]
    usual = raw[members[0].end : members[1].begin] if len(members) > 1 else b","
    pieces = [raw[: members[0].begin] if members else raw[:1]]
    for position, (number, text) in enumerate(chosen):
        if position and number:
            pieces.append(raw[members[number - 1].end : members[number].begin])
        elif position:
            pieces.append(usual)
        pieces.append(text)
    pieces.append(raw[members[-1].end :] if members else raw[-1:])
    return b"".join(pieces)


def align(old: Sequence[Any], new: Sequence[Any]) -> list[int | None]:
    """For each item of `new` the index of the item of `old` that it comes from, each used at most once.

    Identical objects are matched first; the rest in order if their numbers agree, else by similarity. A
    wrong guess costs bytes that could have been kept, nothing else.
    """
    places = {id(item): number for number, item in enumerate(old) if isinstance(item, dict | list)}
    origins: list[int | None] = [places.pop(id(item), None) for item in new]
    taken = {origin for origin in origins if origin is not None}
    free = [number for number in range(len(old)) if number not in taken]
    unmatched = [number for number, origin in enumerate(origins) if origin is None]
    if len(free) == len(unmatched):
        for number, origin in zip(unmatched, free, strict=True):
            origins[number] = origin
        return origins
    for number in unmatched:
        best = max(free[:_NEAR], key=lambda place: _likeness(old[place], new[number]), default=None)
        if best is not None and _likeness(old[best], new[number]) > 0:
            origins[number] = best
            free.remove(best)
    return origins


def _likeness(old: Any, new: Any, levels: int = 2) -> int:
    """How many members two objects share, nested objects counted to `levels`."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return int(same(old, new))
    shared = [(value, new[key]) for key, value in old.items() if key in new]
    found = sum(one is other or _equal_word(one, other) for one, other in shared)
    if levels > 1:
        inner = [(one, other) for one, other in shared if isinstance(one, dict) and one is not other]
        found += sum(_likeness(one, other, levels - 1) for one, other in inner if isinstance(other, dict))
    return found


def _equal_word(one: Any, other: Any) -> bool:
    """Whether two values are the same short string, such as a type or an id."""
    return isinstance(one, str) and len(one) <= 100 and one == other
