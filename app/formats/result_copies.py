"""Clearing the extra copies of a tool's result in a file, which are never sent, with the sent one.

Without this a file with every result cleared is as big as before (anthropics/claude-code#21120).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from app.formats.repairs import replaced
from app.model import JsonPath

LONG: Final = 200
"""Code points from which a text that is contained in the result counts as a copy of it."""


def without_copies(twin: Any, before: str, after: str, known: Sequence[JsonPath] = ()) -> Any:
    """`twin` with its first copy of `before` replaced by `after`, and all other copies emptied.

    `known` are the paths at which a tool keeps its text, which always count as copies; elsewhere a text
    counts if it is `LONG` and contained in `before`. Everything else stays.
    """
    paths = [path for path in known if isinstance(value_at(twin, path), str)]
    paths += [p for p, text in _strings(twin) if p not in paths and len(text) >= LONG and text in before]
    for path in paths:
        twin = replaced(twin, path, after)
        after = ""
    return twin


def value_at(value: Any, path: JsonPath) -> Any:
    """The value at a path of object keys; None if there is none."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _strings(value: Any) -> Iterator[tuple[JsonPath, str]]:
    todo: list[tuple[JsonPath, Any]] = [((), value)]
    while todo:
        path, current = todo.pop()
        if isinstance(current, str):
            yield path, current
        elif isinstance(current, dict):
            todo.extend(((*path, key), inner) for key, inner in current.items())
        elif isinstance(current, list):
            todo.extend(((*path, number), inner) for number, inner in enumerate(current))
