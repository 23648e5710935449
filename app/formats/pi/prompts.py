"""The system prompts of a session: which of their parts are kept, and their combined form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.formats.pi.added import replayed
from app.formats.pi.edits import without_blocks
from app.formats.pi.log import PiLog
from app.formats.tree_rows import Edit
from app.model import Message, Role, Session, Text


class Prompts:
    """The system prompts among the live messages, before and after the rewrite."""

    def __init__(self, session: Session, wanted: Sequence[Message], log: PiLog) -> None:
        self._log = log
        self._old = [message for message in session.live if message.role is Role.SYSTEM]
        self._new = {message.key: message for message in wanted if message.role is Role.SYSTEM}

    @property
    def gone(self) -> list[int]:
        """The entries that hold only a removed prompt."""
        return [
            message.records[0]
            for message in self._old
            if message.key not in self._new and not self._log.nodes[message.records[0]].hides
        ]

    def edits(self) -> Mapping[int, Edit]:
        """Entry index -> the change of its prompt."""
        found: dict[int, Edit] = {}
        for message in self._old:
            node = self._log.nodes[message.records[0]]
            new = self._new.get(message.key)
            if new is None and not node.hides:
                continue
            blocks = {block.key: block for block in new.blocks} if new is not None else {}
            gone = [block for block in message.blocks if block.key not in blocks]
            pairs = [(block, blocks[block.key]) for block in message.blocks if block.key in blocks]
            changed = [now for was, now in pairs if now is not was and isinstance(now, Text)]
            if gone or changed:
                path = ("systemMessage",) if node.hides else ("message",)
                found[node.index] = without_blocks(gone, changed, path)
        return found

    def replayed(self) -> dict[str, Any] | None:
        """The combined form of the kept prompts, for a new compaction."""
        values = []
        edits = self.edits()
        for message in self._old:
            node = self._log.nodes[message.records[0]]
            if message.key not in self._new:
                continue
            entry = self._log.value(node.index)
            edit = edits.get(node.index)
            entry = edit(entry) if edit is not None else entry
            values.append(entry["systemMessage" if node.hides else "message"])
        return replayed(values)
