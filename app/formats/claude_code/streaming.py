"""Streaming what a file would send without building a session: only the records' order is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from app.formats.claude_code.blocks import RecordBlocks
from app.formats.claude_code.graph import Branch
from app.formats.claude_code.messages import join, message_of
from app.formats.claude_code.nodes import Node
from app.formats.claude_code.reader import indexed
from app.formats.claude_code.request import Value, at_place, outgoing
from app.formats.claude_code.transcript import Transcript
from app.formats.lines import LineReader
from app.formats.source import Source
from app.model import Author, Block, Content, HeldValue, JsonPath, Message, SendStatus, Text

_CACHE_BYTES: Final = 256 << 10
"""Enough for the records of one message, which are read together."""

_SOME: Final[tuple[Block, ...]] = (Text("", HeldValue(""), Author.INJECTED),)
"""Placeholder for the blocks of a record that has some, until they are read."""


def sent(source: Source) -> Iterator[tuple[str, Value]]:
    """What `ClaudeCode.request` yields for the live messages of a file, each read lazily."""
    outline = Outline(source)
    way = outline.way(None)
    del outline.graph  # only the branch is needed from here on
    for message in outgoing(outline.messages(way)):
        content = [at_place(block, outline) for _, block in message.items]
        yield message.key, {"role": str(message.role), "content": content}


class Outline(Transcript):
    """A transcript whose nodes have blocks only while their message is read."""

    def __init__(self, source: Source) -> None:
        super().__init__(source, _CACHE_BYTES)
        self._reader = RecordBlocks(self)
        for node, _ in indexed(LineReader(source), self):
            self.nodes.append(node)
            node.blocks = _SOME if node.blocks else ()
            node.time = node.model = node.usage = None

    def content(self, record: int, path: JsonPath, value: Any) -> Content:
        """The value itself, held only as long as its block."""
        return HeldValue(value)

    def messages(self, way: Branch) -> Iterator[Message]:
        """The messages of a branch; use each before the next."""
        for group in join(way.nodes):
            for node in group:
                node.blocks = self._blocks(node)
            yield message_of(group, SendStatus.LIVE)
            for node in group:
                node.blocks = _SOME

    def _blocks(self, node: Node) -> tuple[Block, ...]:
        record = self.value(node.index)
        read = self._reader.of_message if node.talk else self._reader.of_attachment
        return read(node.index, node.key, record)
