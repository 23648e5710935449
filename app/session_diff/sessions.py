"""Two sessions compared message by message: what both send, and what only one does.

They may be of any two formats. Messages pair by ids where both have them (a record's own id, a call's
id), else by content; an id made of a place in a file is none. Where the formats differ, both are cut
into the same pieces first: each result stands alone, and what one side says in a row is one message.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.diff import TextDiff, text_rows
from app.model import (
    Author,
    Block,
    Image,
    Message,
    Opaque,
    Part,
    Role,
    Session,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    blocks_of,
    compact_json,
)
from app.session_diff.pairing import Item, pair_items
from app.tokens.counter import Counter
from app.views.describe import readable

WORDS_COMPARED = 2_000
"""Lines or words of a message by which it is told how much two have in common."""
FEW_WORDS = 4


class Fate(StrEnum):
    """What happened to a message or a block between the first session and the second."""

    KEPT = "kept"
    CHANGED = "changed"
    GONE = "gone"
    ADDED = "added"


class Side(Struct, frozen=True):
    """One message of one session."""

    message: Message
    number: int
    """0-based among all messages of the session, as `report` counts."""


class ContrastRow(Struct, frozen=True):
    """A message of either session, or of both."""

    fate: Fate
    before: Side | None
    after: Side | None

    @property
    def side(self) -> Side:
        """The newer side that there is."""
        found = self.after or self.before
        assert found is not None, "a row has a side"
        return found


class BlockRow(Struct, frozen=True):
    """A block of a message that differs; `diff` is made when it is asked for."""

    fate: Fate
    before: Block | None
    after: Block | None

    @property
    def block(self) -> Block:
        found = self.after or self.before
        assert found is not None, "a row has a side"
        return found

    def diff(self, *, full: bool = False) -> TextDiff:
        """The texts of both sides line by line; reads them."""
        before = "" if self.before is None else readable(self.before)
        after = "" if self.after is None else readable(self.after)
        return text_rows(before, after, full=full)


@dataclass(frozen=True)
class Contrast:
    """Two sessions and the rows of both."""

    before: Session
    after: Session
    rows: tuple[ContrastRow, ...]

    @property
    def is_same(self) -> bool:
        """Whether both send the same."""
        return all(row.fate is Fate.KEPT for row in self.rows)

    def count(self, fate: Fate) -> int:
        """Rows of one fate."""
        return sum(row.fate is fate for row in self.rows)


def contrast(before: Session, after: Session) -> Contrast:
    """Pair the messages that both sessions send. Reads every text once."""
    is_foreign = before.format != after.format
    old, new = (list(_sides(session, split=is_foreign)) for session in (before, after))
    old_items = [_item(side, is_foreign) for side in old]
    new_items = [_item(side, is_foreign) for side in new]
    words = lru_cache(maxsize=4_096)(_words)

    def likeness(i: int, j: int) -> float:
        return _overlap(words(old[i].message), words(new[j].message))

    pairs = pair_items(old_items, new_items, likeness)
    rows = []
    i = j = 0
    for a, b in (*pairs, (len(old), len(new))):
        rows += [ContrastRow(Fate.GONE, side, None) for side in old[i:a]]
        rows += [ContrastRow(Fate.ADDED, None, side) for side in new[j:b]]
        if a < len(old):
            fate = Fate.KEPT if old_items[a].print == new_items[b].print else Fate.CHANGED
            rows.append(ContrastRow(fate, old[a], new[b]))
        i, j = a + 1, b + 1
    return Contrast(before, after, tuple(rows))


def block_rows(row: ContrastRow) -> list[BlockRow]:
    """The blocks of a message that differ, in order."""
    old = row.before.message.blocks if row.before else ()
    new = row.after.message.blocks if row.after else ()
    old_items, new_items = [_block_item(block) for block in old], [_block_item(block) for block in new]

    def likeness(i: int, j: int) -> float:
        return _overlap(_words_of([old[i]]), _words_of([new[j]]))

    rows = []
    i = j = 0
    for a, b in (*pair_items(old_items, new_items, likeness), (len(old), len(new))):
        rows += [BlockRow(Fate.GONE, block, None) for block in old[i:a]]
        rows += [BlockRow(Fate.ADDED, None, block) for block in new[j:b]]
        if a < len(old) and old_items[a].print != new_items[b].print:
            rows.append(BlockRow(Fate.CHANGED, old[a], new[b]))
        i, j = a + 1, b + 1
    return rows


def blocks_to_count(found: Contrast) -> list[Block]:
    """Every block of both sessions that is sent."""
    return [block for session in (found.before, found.after) for m in session.live for block in m.blocks]


def contrast_json(found: Contrast, counter: Counter, *, full: bool) -> dict[str, Any]:
    """The object that `diff --json` prints; `full` unfolds the lines."""
    before, after = (counter.total(session.live)[0] for session in (found.before, found.after))
    return {
        "a": _session_json(found.before, before),
        "b": _session_json(found.after, after),
        "estimator": counter.exact.describe(),
        "same": found.is_same,
        **{str(fate): found.count(fate) for fate in Fate},
        "tokens_before": before,
        "tokens_after": after,
        "messages": [_row_json(row, counter, full) for row in found.rows],
    }


def _session_json(session: Session, tokens: int) -> dict[str, Any]:
    return {
        "path": session.name,
        "format": session.format,
        "messages": len(session.live),
        "tokens": tokens,
    }


def _row_json(row: ContrastRow, counter: Counter, full: bool) -> dict[str, Any]:
    blocks = [] if row.fate is Fate.KEPT else block_rows(row)
    return {
        "fate": str(row.fate),
        "role": str(row.side.message.role),
        "before": _side_json(row.before, counter),
        "after": _side_json(row.after, counter),
        "blocks": [_block_json(block, counter, full) for block in blocks],
    }


def _side_json(side: Side | None, counter: Counter) -> dict[str, Any] | None:
    if side is None:
        return None
    tokens = counter.message(side.message)[0]
    return {"message": side.number, "key": side.message.key, "tokens": tokens}


def _block_json(row: BlockRow, counter: Counter, full: bool) -> dict[str, Any]:
    diff = row.diff(full=full)
    return {
        "fate": str(row.fate),
        "kind": row.block.kind,
        "tool": row.block.name if isinstance(row.block, ToolUse) else None,
        "tokens_before": counter.tokens(row.before)[0] if row.before else 0,
        "tokens_after": counter.tokens(row.after)[0] if row.after else 0,
        "lines_added": diff.added,
        "lines_removed": diff.removed,
        "lines": [
            {"sign": str(line.kind), "text": line.text, "folded": len(line.folded)} for line in diff.rows
        ],
    }


# What a message is known by


def _sides(session: Session, *, split: bool) -> Iterator[Side]:
    numbers = {id(message): number for number, message in enumerate(session.messages)}
    sides = (Side(message, numbers[id(message)]) for message in session.live)
    if not split:
        return sides
    calls = [block.id for _, block in blocks_of(session.live) if isinstance(block, ToolUse)]
    pieces = (piece for side in sides for piece in _pieces(side))
    return _joined(_in_order(pieces, {ident: place for place, ident in enumerate(calls)}))


def _in_order(sides: Iterable[Side], calls: Mapping[str, int]) -> Iterator[Side]:
    """The results of a batch in the order of their calls: among themselves, providers take any."""
    for is_result, run in groupby(sides, key=lambda side: side.message.role is Role.TOOL):
        held = list(run)
        yield from sorted(held, key=lambda side: _place(side, calls)) if is_result else held


def _place(side: Side, calls: Mapping[str, int]) -> int:
    block = side.message.blocks[0]
    return calls.get(block.tool_use_id, len(calls)) if isinstance(block, ToolResult) else len(calls)


def _pieces(side: Side) -> Iterator[Side]:
    """A message cut so that each result stands alone, in its order."""
    held: list[Block] = []
    for block in side.message.blocks:
        if isinstance(block, ToolResult) and not block.server:
            if held:
                yield replace(side, message=replace(side.message, blocks=tuple(held)))
                held = []
            yield replace(side, message=replace(side.message, role=Role.TOOL, blocks=(block,)))
        else:
            held.append(block)
    if held:
        yield replace(side, message=replace(side.message, blocks=tuple(held)))


def _joined(sides: Iterator[Side]) -> Iterator[Side]:
    """What one side says in a row, as one message."""
    held: Side | None = None
    for side in sides:
        if held is not None and side.message.role is held.message.role is not Role.TOOL:
            blocks = (*held.message.blocks, *side.message.blocks)
            held = replace(held, message=replace(held.message, blocks=blocks))
            continue
        if held is not None:
            yield held
        held = side
    if held is not None:
        yield held


def _item(side: Side, is_foreign: bool) -> Item:
    message = side.message
    items = [_block_item(block) for block in message.blocks]
    own = () if is_foreign or message.key.startswith("@") else (message.key,)
    digest = hashlib.blake2b(str(message.role).encode(), digest_size=16)
    for item in items:
        digest.update(item.print)
    ids = (*own, *(name for item in items for name in item.ids))
    return Item(ids, digest.digest(), str(message.role))


def _block_item(block: Block) -> Item:
    ids: tuple[str, ...] = ()
    if isinstance(block, ToolUse) and block.id:
        ids = (f"call {block.id}",)
    elif isinstance(block, ToolResult) and block.tool_use_id:
        ids = (f"result {block.tool_use_id}",)
    digest = hashlib.blake2b(block.kind.encode(), digest_size=16)
    for piece in _said(block):
        digest.update(b"\0" + piece.encode("utf-8", "surrogatepass"))
    kind = "marker" if isinstance(block, Text) and block.author is Author.MARKER else block.kind
    return Item(ids, digest.digest(), kind)


def _said(block: Block | Part) -> Iterator[str]:
    """What a block says to the model; ids, places and seals are left out."""
    match block:
        case ToolUse():
            yield block.name
            yield _arguments(block)
        case ToolResult():
            for part in block.parts:
                yield part.kind
                yield from _said(part)
        case Image():
            yield block.media_type
            yield block.data.read()
        case Opaque():
            yield block.type
            yield block.content.read()
        case Text() | Thinking():
            yield block.content.read()


def _arguments(call: ToolUse) -> str:
    """A call's arguments, the same however the format spells them."""
    value = call.input.value()
    return value if isinstance(value, str) else compact_json(_sorted(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _words(message: Message) -> frozenset[str]:
    return _words_of(message.blocks)


def _words_of(blocks: Sequence[Block]) -> frozenset[str]:
    """Lines of a text, or its words where it has few lines."""
    text = "\n".join(readable(block) for block in blocks)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    found = lines if len(lines) > 4 else text.split()
    return frozenset(found[:WORDS_COMPARED])


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the smaller set that the other has, too: a text that was cut is still the same one.

    Of very few words that says nothing, so there it is the share of both.
    """
    whole = min(len(one), len(other)) if min(len(one), len(other)) >= FEW_WORDS else len(one | other)
    return len(one & other) / whole if whole else 0.0
