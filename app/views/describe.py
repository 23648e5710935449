"""Full details of one row: its text, the reason of its verdict, and what the steps do to it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from app.display import counted, human_bytes, human_number
from app.formats.store import text_of_value
from app.model import (
    Block,
    Boundary,
    Image,
    Opaque,
    Record,
    Session,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    text_of,
)
from app.pretty_json import pretty_json
from app.stages.base import Change, ChangeKind
from app.views.listing import UNREADABLE, Item, role_of, states_of
from app.views.outlook import Outlook
from app.views.problems import damage_words
from app.work.rows import BlockRow
from app.work.workspace import Status

USUAL_FIELDS = frozenset(
    {"type", "message", "uuid", "parentUuid", "sessionId", "timestamp", "role", "content", "isSidechain"}
)
"""Fields of a record that hold the conversation itself."""
FIELDS_NAMED = 12


class Fact(Struct, frozen=True):
    """Something about a row: a label and its words, session text in them as it is."""

    label: str
    text: str


class Description(Struct, frozen=True):
    """What a detail pane shows. All texts are session text: not safe for a terminal."""

    heading: str
    text: str
    facts: tuple[Fact, ...]


def describe(item: Item, seen: Outlook) -> Description:
    """Describe a row. Reads its record, so call it in a thread for a large one."""
    match item:
        case BlockRow():
            block = seen.block(item) or item.block
            return Description(heading(item, seen), readable(block), tuple(_facts(item, seen)))
        case Boundary():
            return Description("compaction", boundary_text(item), tuple(_boundary_facts(item, seen)))
        case Record():
            raw = seen.workspace.session.records.raw(item.index).decode("utf-8", "replace")
            damage = ", ".join(map(damage_words, item.damage)) or "no JSON object"
            facts = (Fact("damage", damage), Fact("record", f"line {item.line}, kept byte for byte"))
            return Description(f"line {item.line} cannot be read", raw, facts)


def size_of(item: Item, session: Session) -> int:
    """Bytes that `describe` has to read for a row."""
    record = record_of(item)
    return 0 if record is None or record >= len(session.records) else session.records[record].length


def record_of(item: Item) -> int | None:
    """Index of the record that contains a row."""
    match item:
        case BlockRow():
            place = item.block.place
            return place.record if place else next(iter(item.message.records), None)
        case Boundary():
            return item.record
        case Record():
            return item.index


def raw_record(item: Item, session: Session) -> str | None:
    """The record of a row from the file, pretty-printed; None for rows that a stage made."""
    record = record_of(item)
    if record is None or record >= len(session.records):
        return None
    raw = session.records.raw(record).decode("utf-8", "replace")
    return raw if session.records[record].kind == UNREADABLE else pretty_json(raw)


def heading(row: BlockRow, seen: Outlook) -> str:
    """`#3 tool_result  Read src/cart.py  8,912 tokens`."""
    what = " ".join(part for part in (row.tool, row.path) if part)
    tokens, is_exact = seen.workspace.counter.tokens(seen.block(row) or row.block)
    size = f"{'' if is_exact else '~'}{counted(tokens, 'token')}"
    return "  ".join(part for part in (f"#{row.number} {role_of(row)}", what, size) if part)


def readable(block: Block) -> str:
    """A block's text for reading; for content that is not text, a line that describes it."""
    match block:
        case ToolUse():
            return _arguments(block)
        case ToolResult():
            parts = [_part(part) for part in block.parts]
            return "\n".join(parts) if parts else "(no content)"
        case Thinking() if not block.content.chars:
            kind = "hidden by the provider" if block.redacted else "not kept by the agent"
            seal = human_number(block.signature_chars)
            return f"(thinking: its text is {kind}; its signature has {seal} characters)"
        case Image() | Opaque():
            return _part(block)
        case _:
            return text_of(block)


def _arguments(call: ToolUse) -> str:
    """A call's arguments, texts of several lines with their lines; other than an object is shown as JSON."""
    value = call.input.value()
    if not isinstance(value, dict):
        return value if isinstance(value, str) else pretty_json(call.input.read())
    return "\n".join(_argument(name, argument) for name, argument in value.items())


def _argument(name: str, value: object) -> str:
    if not isinstance(value, str):
        return f"{name}: {pretty_json(text_of_value(value))}"
    return f"{name}:\n{value}" if "\n" in value else f"{name}: {value}"


def _part(part: Text | Image | Opaque) -> str:
    match part:
        case Text():
            return part.content.read()
        case Image() if not part.media_type:
            return f"(image at {part.data.preview})"
        case Image():
            return f"(image: {part.media_type}, {human_bytes(part.data.size)} of base64)"
        case Opaque():
            return f"({part.type})\n{pretty_json(part.content.read())}"


def boundary_text(boundary: Boundary) -> str:
    """What a compaction did, in one line."""
    words = ["compaction", boundary.trigger]
    if boundary.strategy:
        words.append(boundary.strategy)
    if boundary.tokens_before is not None:
        after = "" if boundary.tokens_after is None else f" to {human_number(boundary.tokens_after)}"
        words.append(f"{human_number(boundary.tokens_before)}{after} tokens")
    if boundary.removed:
        words.append(f"{human_number(boundary.removed)} messages removed")
    if not boundary.hides:
        words.append("nothing before it is hidden")
    return ", ".join(words)


def _boundary_facts(boundary: Boundary, seen: Outlook) -> Iterator[Fact]:
    if boundary.hides:
        yield Fact("why", "what is above is no longer sent to the model")
    if boundary.preserved:
        yield Fact("preserved", " to ".join(boundary.preserved))
    yield from _record_facts(boundary, seen)


def _facts(row: BlockRow, seen: Outlook) -> Iterator[Fact]:
    yield Fact(f"why {row.verdict}", row.reason)
    protection = seen.workspace.protection
    kept = protection.keeps_place(row.key)
    if row.key in seen.state.pins:
        yield Fact("pinned", "by you: no stage touches it")
    elif kept is not None:
        yield Fact("protected", kept)
    touches = seen.touches.get(row.key, ())
    for step, change in touches:
        word = "would be" if step.status is Status.PREVIEW else "was"
        yield Fact(step.label, f"{word} {_outcome(change, seen)}")
    if not touches and seen.ahead:
        yield Fact("stages", f"none of {seen.workspace.pipeline.name} changes it")
    others = [state for state in states_of(row, seen) if state not in ("pinned", "protected")]
    if others:
        yield Fact("state", ", ".join(others))
    yield from _record_facts(row, seen)


_OUTCOMES = {
    ChangeKind.CUT: "cut",
    ChangeKind.CLEARED: "cleared",
    ChangeKind.SAVED: "saved to a file",
    ChangeKind.STUB: "replaced by a pointer to the other copy",
    ChangeKind.EDITED: "edited",
    ChangeKind.DROPPED: "dropped",
    ChangeKind.MADE: "made",
}


def _outcome(change: Change, seen: Outlook) -> str:
    tokens = seen.workspace.block_tokens
    before = 0 if change.before is None else tokens(change.before)
    after = 0 if change.after is None else tokens(change.after)
    return f"{_OUTCOMES[change.kind]}, {human_number(before)} to {counted(after, 'token')}"


def _record_facts(item: Item, seen: Outlook) -> Iterator[Fact]:
    session = seen.workspace.session
    index = record_of(item)
    if index is None or index >= len(session.records):
        yield Fact("record", "none: made by a step")
        return
    record = session.records[index]
    yield Fact("record", f"line {human_number(record.line)}, {human_bytes(record.length)}, {record.key}")
    value = session.records.value(index)
    if isinstance(value, dict) and (others := [key for key in value if key not in USUAL_FIELDS]):
        more = f" and {len(others) - FIELDS_NAMED} more" if len(others) > FIELDS_NAMED else ""
        yield Fact("also kept", ", ".join(others[:FIELDS_NAMED]) + more)
