"""Words that a person rewrote or took out, in the copies of them that an agent keeps beside what it sends.

Without this the old words of a message stay in its file, in records that only the agent's own display reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from app.formats.base import Rewrite
from app.formats.repairs import replaced
from app.model import JsonPath, Message, Text

REMOVED: Final = "[removed]"
"""What a copy says of words that are gone."""

Words = Mapping[str, str]
"""What a text said -> what it says now."""


def lost_words(rewrite: Rewrite, before: Sequence[Message]) -> Words:
    """What messages said that they say no more, of the live ones `before`; results are not among it.

    A text that was taken out leaves `REMOVED`. What a boundary hides stays in the file and is not lost,
    nor is what another message says too.
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
    """`value` with the new words wherever a member of one of these names says all of the old ones."""
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
