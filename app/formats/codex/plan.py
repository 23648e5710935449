"""Planning an export as rows, before any byte is written.

The wanted history has a head, inside the last compaction, and a tail, whose items are records of their
own. A new compaction takes everything before the tail into its own history; the records that it hides
stay above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import partial
from typing import Final

from msgspec import Struct

from app.formats.base import Rewrite
from app.formats.codex.heads import Head, stands_for, words_of
from app.formats.codex.layout import date, number, placed, without_old
from app.formats.codex.names import ITEM
from app.formats.codex.nodes import Node
from app.formats.codex.rollout import Rollout
from app.formats.codex.rows import Edit, Line, Row, Value, record_of, row_at
from app.formats.codex.second_copies import WORD_NAMES, clearing
from app.formats.damage import file_repairs
from app.formats.repairs import replaced
from app.formats.responses.names import OUTPUTS, kind_of
from app.formats.responses.outgoing import Outgoing, Sender
from app.formats.text_copies import lost_words, says_any, with_words
from app.model import Block, Notice, Place, Session, ToolResult, ToolUse

_END: Final = 1 << 62


class Plan(Struct, frozen=True):
    """The lines of the new file, and the repairs."""

    lines: list[Line]
    repairs: tuple[Notice, ...]


class Planner:
    """Plans one export of a session."""

    def __init__(self, session: Session, rewrite: Rewrite, rollout: Rollout) -> None:
        self._session = session
        self._rewrite = rewrite
        self._rollout = rollout
        self._sender = Sender(session, rollout)
        self._own = {node.record: node for node in rollout.replay.top.nodes}
        """The items after the compaction, by record."""

    def plan(self) -> Plan:
        """The lines in their new order, with all changes to them."""
        boundary = self._rewrite.boundary
        wanted, repairs = self._sender.mended(
            self._rewrite.messages, self._rewrite, sound=self._rewrite.faulty == frozenset()
        )
        kept = {out.home for out in wanted if out.home is not None}
        hidden = set() if boundary is None else self._hidden(kept)
        head, tail = self._split(wanted, max((home.record for home in hidden), default=-1))
        copied = self._copied(head, tail)
        stay = {home.record for home in (*kept, *hidden) if self._is_own(home)}
        dropped = [node for record, node in self._own.items() if record not in stay]
        start = Head(head, self._sender, self._rollout)
        made = None if boundary is None else start.made(boundary)
        governing = None if boundary is not None else start.governing(whole=self._rewrite.drop_old)
        gone = {node.record for node in dropped} | copied | self._twins(dropped)
        lines = placed(self._rollout, [self._line(out) for out in tail], made, governing, gone)
        compaction = made or governing
        if self._rewrite.drop_old and compaction is not None:
            lines = without_old(lines, compaction, self._rollout)
        self._edit(lines, tail)
        number(lines, self._rollout)
        date(lines, self._rollout)
        return Plan(lines, (*file_repairs(self._session.notices), *repairs))

    def _hidden(self, kept: Set[Place]) -> set[Place]:
        """The dropped items that stay above a new compaction: all except parts of kept messages.

        The result of a call that was removed from a reply is removed with it.
        """
        hidden: set[Place] = set()
        taken: set[str] = set()
        for message in self._session.live:
            homes = [self._home(block) for block in message.blocks]
            if any(home in kept for home in homes):
                gone = zip(homes, message.blocks, strict=True)
                taken.update(b.id for home, b in gone if home not in kept and isinstance(b, ToolUse))
            elif not all(isinstance(b, ToolResult) and b.tool_use_id in taken for b in message.blocks):
                hidden.update(home for home in homes if self._is_own(home))
        return hidden

    def _is_own(self, home: Place) -> bool:
        node = self._own.get(home.record)
        return node is not None and node.path == home.path

    def _home(self, block: Block) -> Place:
        assert block.place is not None
        return self._rollout.home(block.place)

    def _split(
        self, wanted: Sequence[Outgoing], last_hidden: int
    ) -> tuple[Sequence[Outgoing], Sequence[Outgoing]]:
        """Split into the items inside a compaction, and those that are records of their own after it."""
        start = len(wanted)
        while start > 0 and self._is_tail(wanted[start - 1], last_hidden):
            start -= 1
        return wanted[:start], wanted[start:]

    def _copied(self, head: Sequence[Outgoing], tail: Sequence[Outgoing]) -> set[int]:
        """Records after the compaction of items that are now inside it: they would count twice."""
        made = self._rewrite.boundary is not None
        start = next((out.home.record for out in tail if out.home is not None), _END) if made else -1
        homes = (out.home for out in head if out.home is not None and self._is_own(out.home))
        return {home.record for home in homes if home.record > start}

    def _is_tail(self, out: Outgoing, last_hidden: int) -> bool:
        if out.home is not None:
            return self._is_own(out.home) and out.home.record > last_hidden
        return not stands_for(out.message, self._rewrite.boundary)

    def _line(self, out: Outgoing) -> Line:
        if out.home is None:
            return Row(made=partial(_made_item, out.value or {}))
        return Row(out.home.record, item=out) if out.changed else out.home.record

    def _twins(self, dropped: Iterable[Node]) -> set[int]:
        """The events that show dropped items, unless something else of their call is left."""
        blocks = [block for message in self._rewrite.messages for block in message.blocks]
        called = {block.id for block in blocks if isinstance(block, ToolUse)}
        called |= {block.tool_use_id for block in blocks if isinstance(block, ToolResult)}
        names = {name for node in dropped for name in _names(node)} - called
        return {record for name in names for record in self._rollout.twins.get(name, ())}

    def _edit(self, lines: list[Line], tail: Sequence[Outgoing]) -> None:
        """Update the copies of changed items, and set the newest usage to the new size of the context."""
        edits: dict[int, list[Edit]] = {}
        for record, edit in self._beside(tail):
            edits.setdefault(record, []).append(edit)
        for record in self._rollout.copies if self._rewrite.slim else ():
            edits.setdefault(record, [clearing("")])
        words = lost_words(self._rewrite, self._session.live)
        for record in self._rollout.said if words else ():
            if says_any(self._rollout.value(record), words, WORD_NAMES):
                edits.setdefault(record, []).append(partial(with_words, words=words, names=WORD_NAMES))
        counted, tokens = self._rollout.counted, self._rewrite.context_tokens
        if tokens is not None and counted is not None:
            edits.setdefault(counted, []).append(partial(_with_usage, max(1, tokens)))
        for place, line in enumerate(lines):
            if (at := record_of(line)) is not None and at in edits:
                row_at(lines, place).edits += tuple(edits[at])

    def _beside(self, tail: Sequence[Outgoing]) -> Iterator[tuple[int, Edit]]:
        """The edits that update copies of changed outputs."""
        for out in self._rewrite.looked(tail):
            if out.home is None or not out.changed:
                continue
            value = self._sender.value(out)
            if kind_of(value) not in OUTPUTS:
                continue
            text = words_of(value)
            if text == words_of(self._rollout.item(out.home)):
                continue
            for record in self._rollout.twins.get(str(value.get("call_id")), ()):
                yield record, clearing(text)


def _names(node: Node) -> Iterable[str]:
    """The ids by which events show an item."""
    if not node.key.startswith("@"):
        yield node.key
    for block in node.blocks:
        if isinstance(block, ToolUse):
            yield block.id
        elif isinstance(block, ToolResult):
            yield block.tool_use_id


def _made_item(item: Value) -> Value:
    return {"type": ITEM, "payload": item}


def _with_usage(tokens: int, record: Value) -> Value:
    """A `token_count` whose last call has `tokens` input tokens; the client adds its output."""
    last = record["payload"]["info"]["last_token_usage"]
    output = last.get("output_tokens")
    output = output if isinstance(output, int) else 0
    new = {**last, "input_tokens": tokens, "total_tokens": tokens + output}
    cached = last.get("cached_input_tokens")
    if isinstance(cached, int):
        new["cached_input_tokens"] = min(cached, tokens)
    return replaced(record, ("payload", "info", "last_token_usage"), new)  # type: ignore[no-any-return]
