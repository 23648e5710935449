"""Building the compaction record that starts the history: the agent's own, or one that an export adds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from app.formats.codex.boundaries import compacted_payload
from app.formats.codex.names import COMPACTED, HISTORY, HISTORY_METADATA, RETAINED
from app.formats.codex.rollout import Rollout, place_of
from app.formats.codex.rows import Row, Value
from app.formats.responses.blocks import text_in
from app.formats.responses.outgoing import Outgoing, Sender
from app.model import Author, Block, Boundary, Message, Text


class Head:
    """The items inside the last compaction of the new file."""

    def __init__(self, items: Sequence[Outgoing], sender: Sender, rollout: Rollout) -> None:
        self._items = items
        self._sender = sender
        self._rollout = rollout

    def made(self, boundary: Boundary) -> Row:
        """A new compaction with these items."""
        return Row(made=partial(self._made_record, boundary))

    def governing(self, *, whole: bool) -> Row | None:
        """The file's own last compaction, changed if its items changed; None if there is none.

        `whole`: it has to hold all of its history itself.
        """
        record = self._rollout.replay.top.compaction
        if record is None:
            return None
        row = Row(record)
        prefix = [place_of(node) for node in self._rollout.prefix]
        changed = [out.home for out in self._items] != prefix or any(out.changed for out in self._items)
        bare = not isinstance(self._rollout.value(record)["payload"].get(HISTORY), list)
        if changed or (whole and bare):
            row.edits += (partial(self._with_history, record),)
        return row

    def _made_record(self, boundary: Boundary) -> Value:
        stands = (out for out in self._items if out.home is None and stands_for(out.message, boundary))
        summary = next(stands, None)
        message = "" if summary is None else words_of(self._sender.value(summary))
        history = [self._sender.value(out) for out in self._items]
        return {"type": COMPACTED, "payload": compacted_payload(boundary, message, history)}

    def _with_history(self, record: int, old: Value) -> Value:
        """A compaction record's value with these items as its history."""
        payload = dict(old["payload"])
        before = payload.get(HISTORY)
        before = before if isinstance(before, list) else []
        # Items that were rolled back later stay: the log still contains the rollback.
        undone = [Outgoing(None, place_of(node)) for node in self._rollout.replay.top.undone]
        items = [*self._items, *undone]
        numbers = [self._number(out, record) for out in items]
        payload[HISTORY] = [
            before[number] if number is not None and not out.changed else self._sender.value(out)
            for number, out in zip(numbers, items, strict=True)
        ]
        beside = payload.get(HISTORY_METADATA)
        if isinstance(beside, list) and len(beside) == len(before) and None not in numbers:
            payload[HISTORY_METADATA] = [beside[number] for number in numbers if number is not None]
        else:
            payload.pop(HISTORY_METADATA, None)
        if payload.get("message"):
            payload["message"] = self._summary(record, payload)
        gone = [item for number, item in enumerate(before) if number not in numbers]
        if isinstance(payload.get(RETAINED), dict):
            payload[RETAINED] = _without(payload[RETAINED], gone)
        return {**old, "payload": payload}

    @staticmethod
    def _number(out: Outgoing, record: int) -> int | None:
        """The index of an item in the record's own history."""
        home = out.home
        if home is None or home.record != record or len(home.path) < 3:
            return None
        number = home.path[2]
        return number if isinstance(number, int) else None

    def _summary(self, record: int, payload: Value) -> str:
        """The compaction's message: the current summary; empty if it was removed."""
        message: str = payload["message"]
        if any(words_of(item) == message for item in payload[HISTORY]):
            return message
        summaries = {block.key for node in self._rollout.prefix for block in node.blocks if _sums_up(block)}
        for out in self._items:
            blocks = out.message.blocks if out.message is not None else ()
            if out.home is not None and any(b.key in summaries for b in blocks):
                return words_of(self._sender.value(out))
        return ""


def _without(retained: Value, gone: Sequence[Any]) -> Value:
    """A compaction's retained words, which the next compaction keeps, without those of removed items."""
    ids = {item.get("id") for item in gone if isinstance(item, dict)} - {None}
    return {
        name: [n for n in notes if not (isinstance(n, dict) and n.get("message_id") in ids)]
        if isinstance(notes, list)
        else notes
        for name, notes in retained.items()
    }


def stands_for(message: Message | None, boundary: Boundary | None) -> bool:
    """Whether a message was made to replace what a boundary hides."""
    made = message.boundary if message is not None else None
    return made is not None and boundary is not None and made.key == boundary.key


def _sums_up(block: Block) -> bool:
    return isinstance(block, Text) and block.author is Author.SUMMARY


def words_of(item: Any) -> str:
    """The texts of a message or of a tool's output, joined."""
    holder = item if isinstance(item, dict) else {}
    content = holder.get("content", holder.get("output"))
    if isinstance(content, dict):
        content = content.get("content")
    if isinstance(content, str):
        return content
    texts = (text_in(part) for part in content) if isinstance(content, list) else ()
    return "".join(text for text in texts if text is not None)
