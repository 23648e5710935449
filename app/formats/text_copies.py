"""Updating the unsent copies that an agent keeps of texts that a person rewrote or removed.

Without this the old words of a message stay in its file, in records that only the agent's own display reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from app.formats.base import Rewrite
from app.formats.repairs import replaced
from app.model import JsonPath, Message, Text

REMOVED: Final = "[removed]"
"""Replaces the copy of a removed text."""

Words = Mapping[str, str]
"""Old text -> new text."""


def lost_words(rewrite: Rewrite, before: Sequence[Message]) -> Words:
    """Texts of the live messages `before` that changed or were removed; tool results are not included.

    A removed text maps to `REMOVED`. Texts hidden by a boundary stay in the file and do not count, nor do
    texts that another message also has.
    """
    now = {block.key: block for message in rewrite.messages for block in message.blocks}
    words = {}
    for block in (block for message in before for block in message.blocks if isinstance(block, Text)):
        new = now.get(block.key)
        if new is block or (new is None and rewrite.boundary is not None):
            continue
        words[block.content.read()] = new.content.read() if isinstance(new, Text) else REMOVED
    lengths = set(map(len, words))
    for other in now.values() if words else ():
        if isinstance(other, Text) and other.content.chars in lengths:
            words.pop(other.content.read(), None)
    return words


def with_words(value: Any, words: Words, names: Collection[str]) -> Any:
    """`value` with the new text in every member with one of these names that equals an old text."""
    for path, text in _told(value, names):
        if text in words:
            value = replaced(value, path, words[text])
    return value


def says_any(value: Any, words: Words, names: Collection[str]) -> bool:
    """Whether `with_words` would change anything."""
    return any(text in words for _, text in _told(value, names))


def _told(value: Any, names: Collection[str]) -> Iterator[tuple[JsonPath, str]]:
    todo: list[tuple[JsonPath, Any]] = [((), value)]
    while todo:
        path, current = todo.pop()
        if isinstance(current, str):
            if path and path[-1] in names:
                yield path, current
        elif isinstance(current, dict):
            todo.extend(((*path, key), inner) for key, inner in current.items())
        elif isinstance(current, list):
            todo.extend(((*path, number), inner) for number, inner in enumerate(current))
