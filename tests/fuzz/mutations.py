"""Sessions damaged at random: as JSON where a line is JSON, as lines, and as bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

ODD: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 1.5, 10**30, -(10**19), "", " ", "x", "\ud800", "\0", "\u2028", "a\nb", [],
    {}, [None], [[]], [{}], {"": None}, {"type": "text"}, [{"type": "text", "text": None}], {"role": "user"},
    "2026-01-01T00:00:00Z", [1, "a"], "[/x]", "user", "assistant", "tool_result", "function_call", "../../x",
)  # fmt: skip
RAW: Final = (
    b"NaN", b"1e999", b"9" * 5000, b"[" * 1500, b"\xff\xfe", b"\xef\xbb\xbf", b"\0" * 40, b"\r\n", b"}{",
    b"\\", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\ud83d", b"\\u0000", b" \t\r\n", b"{}",
)  # fmt: skip


def mutate(data: bytes, chance: Random, others: Sequence[bytes] = ()) -> bytes:
    """`data` with one to four things gone wrong; `others` lend their records."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 4))):
        change = chance.choice(_WAYS)
        data = change(data, chance, others)
    return data


def _values(data: bytes, chance: Random, others: Sequence[bytes]) -> bytes:
    """A few values of one record or of the whole document become others."""
    lines = _lines(data)
    number = chance.randrange(len(lines))
    value = _parsed(lines[number])
    if value is None:
        return _bytes(data, chance, others)
    places = list(_places(value))
    for holder, key in chance.sample(places, min(len(places), chance.choice((1, 1, 2, 5)))):
        _change(holder, key, chance, places)
    lines[number] = json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return b"\n".join(lines)


def _change(holder: Any, key: Any, chance: Random, places: list[tuple[Any, Any]]) -> None:
    """One member gone, doubled, replaced, or taken from elsewhere in the record."""
    if (isinstance(holder, list) and not key < len(holder)) or (
        isinstance(holder, dict) and key not in holder
    ):
        return
    match chance.randrange(5):
        case 0:
            del holder[key]
        case 1:
            other, at = chance.choice(places)
            taken = other[at] if isinstance(other, dict) and at in other else chance.choice(ODD)
            # A copy: a value that holds itself is no JSON.
            holder[key] = json.loads(json.dumps(taken))
        case 2 if isinstance(holder, list):
            holder.insert(key, json.loads(json.dumps(holder[key])))
        case 2:
            holder[chance.choice((*map(str, holder), "type", "id", "x"))] = json.loads(
                json.dumps(holder[key])
            )
        case _:
            holder[key] = chance.choice(ODD)


def _records(data: bytes, chance: Random, others: Sequence[bytes]) -> bytes:
    """Lines go, come twice, change places, are glued, cut, or come from another session."""
    lines = _lines(data)
    here, there = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(7):
        case 0:
            del lines[here]
        case 1:
            lines.insert(there, lines[here])
        case 2:
            lines[here], lines[there] = lines[there], lines[here]
        case 3 if here + 1 < len(lines):
            lines[here] += lines.pop(here + 1)
        case 4:
            lines[here] = lines[here][: chance.randrange(len(lines[here]) + 1)]
        case 5 if others:
            lines.insert(here, chance.choice(_lines(chance.choice(others))))
        case _:
            lines.insert(here, chance.choice(RAW))
    return b"\n".join(lines)


def _names(data: bytes, chance: Random, others: Sequence[bytes]) -> bytes:
    """One string that stands in two places becomes another everywhere: ids meet, part, or run in circles."""
    words = [part for part in data[:200_000].split(b'"')[1::2] if 2 < len(part) < 80]
    if len(words) < 2:
        return _bytes(data, chance, others)
    return data.replace(
        b'"%b"' % chance.choice(words), b'"%b"' % chance.choice(words), chance.choice((1, 2, -1))
    )


def _bytes(data: bytes, chance: Random, _others: Sequence[bytes]) -> bytes:
    """Bytes go, come, or are others."""
    start = chance.randrange(len(data) + 1)
    end = min(len(data), start + chance.choice((0, 1, 1, 4, 50)))
    middle = chance.choice((b"", chance.choice(RAW), chance.randbytes(3), data[start:end] * 2))
    return data[:start] + middle + data[end:]


def _printed(data: bytes, chance: Random, others: Sequence[bytes]) -> bytes:
    """A document is printed for people, and a line of it goes, comes twice, or is cut."""
    value = _parsed(data)
    if not isinstance(value, dict | list):
        return _bytes(data, chance, others)
    lines = json.dumps(value, indent=chance.choice((1, 2, "\t"))).encode().split(b"\n")
    here = chance.randrange(len(lines))
    match chance.randrange(5):
        case 0:
            del lines[here]
        case 1:
            lines.insert(here, lines[here])
        case 2:
            lines[here] = lines[here][: chance.randrange(len(lines[here]) + 1)]
        case 3:
            del lines[here:]
        case _:
            lines[here] = _bytes(lines[here], chance, others)
    return b"\n".join(lines)


_WAYS: Final[tuple[Callable[[bytes, Random, Sequence[bytes]], bytes], ...]] = (
    _values, _values, _values, _values, _records, _records, _names, _bytes, _printed,
)  # fmt: skip


def _lines(data: bytes) -> list[bytes]:
    """The lines; a document that is printed over many lines is one."""
    if data.count(b"\n") > 1 and _parsed(data) is not None:
        return [data]
    return data.split(b"\n")


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from _places(inner)
