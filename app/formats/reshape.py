"""A record's bytes made to say a changed value, touching nothing that says the same as before.

`reshape(raw, old, new)` compares two JSON values and carries the differences over into the bytes of the
first. Kept members and items keep their own bytes, with their order, blanks and number spelling; what
is new is written compactly. So a writer only has to build the value that it wants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from app.formats.splice import Ends, Item, closing, encode, walk

_NEAR: Final = 24
"""How many unmatched old items are compared with a new one."""


def reshape(raw: bytes, old: Any, new: Any) -> bytes:
    """JSON bytes of `new`, made from `raw`, which are the bytes of `old` without blanks around them.

    Whatever the differences are, the result parses to `new`. Raises ValueError when `raw` is not JSON.
    """
    return raw if same(old, new) else _Reshaper(raw).value(0, old, new)[0]


def same(old: Any, new: Any) -> bool:
    """Whether two JSON values are equal, `1`, `1.0` and `true` told apart at the top."""
    return old is new or (type(old) is type(new) and bool(old == new))


class _Reshaper:
    """Goes over the bytes once: what differs is gone into, all else is stepped over."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._ends = Ends(raw)

    def value(self, start: int, old: Any, new: Any) -> tuple[bytes, int]:
        """The bytes of `new` in the place of the value `old` at `start`, and where that one ends."""
        if not same(old, new) and self._opens(start, old):
            if isinstance(old, dict) and isinstance(new, dict):
                return self._object(start, old, new)
            if isinstance(old, list) and isinstance(new, list):
                return self._list(start, old, new)
        end = self._ends.of(start)
        return (self._raw[start:end] if same(old, new) else encode(new)), end

    def _opens(self, start: int, old: Any) -> bool:
        """Whether the container `old` can begin here; one that is too deep is given as a text."""
        return self._raw[start : start + 1] == (b"{" if isinstance(old, dict) else b"[")

    def _object(self, start: int, old: dict[str, Any], new: dict[str, Any]) -> tuple[bytes, int]:
        texts: dict[int, bytes] = {}

        def end_of(key: str | int, at: int) -> int:
            if key not in new:
                return self._ends.of(at)
            texts[at], end = self.value(at, old.get(str(key)), new[str(key)])
            return end

        members = list(walk(self._raw, start, end_of))
        # Of equal keys the last one counts, and only that one is what `old` says.
        last = {member.key: number for number, member in enumerate(members)}
        chosen: list[tuple[int | None, bytes]] = []
        for number, member in enumerate(members):
            if member.key in new:
                is_last = number == last[member.key]
                text = texts[member.start] if is_last else self._raw[member.start : member.end]
                chosen.append((number, self._raw[member.begin : member.start] + text))
        chosen += [
            (None, encode(key) + b":" + encode(value)) for key, value in new.items() if key not in last
        ]
        return self._joined(start, members, chosen)

    def _list(self, start: int, old: list[Any], new: list[Any]) -> tuple[bytes, int]:
        origins = align(old, new)
        kept = {origin: item for origin, item in zip(origins, new, strict=True) if origin is not None}
        texts: dict[int, bytes] = {}

        def end_of(number: str | int, at: int) -> int:
            place = int(number)
            if place not in kept:
                return self._ends.of(at)
            texts[place], end = self.value(at, old[place], kept[place])
            return end

        members = list(walk(self._raw, start, end_of))
        chosen = [
            (origin, texts[origin]) if origin in texts else (None, encode(item))
            for origin, item in zip(origins, new, strict=True)
        ]
        return self._joined(start, members, chosen)

    def _joined(
        self, start: int, members: Sequence[Item], chosen: Sequence[tuple[int | None, bytes]]
    ) -> tuple[bytes, int]:
        """The container holding only what was chosen: (number of the old member or None, bytes)."""
        raw, end = self._raw, closing(self._raw, start, members)
        if not chosen:
            return raw[start : start + 1] + raw[end - 1 : end], end
        usual = raw[members[0].end : members[1].begin] if len(members) > 1 else b","
        pieces = [raw[start : members[0].begin] if members else raw[start : start + 1]]
        for position, (number, text) in enumerate(chosen):
            if position and number:
                pieces.append(raw[members[number - 1].end : members[number].begin])
            elif position:
                pieces.append(usual)
            pieces.append(text)
        pieces.append(raw[members[-1].end : end] if members else raw[end - 1 : end])
        return b"".join(pieces), end


def align(old: Sequence[Any], new: Sequence[Any]) -> list[int | None]:
    """For each item of `new` the position of the item of `old` that it comes from, each used once.

    The very same objects are matched first, then what is left in order, then by likeness. A wrong guess
    costs bytes that could have been kept, nothing else.
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
    """How many members two objects have in common, and the objects in them."""
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
