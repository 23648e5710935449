"""Reading a rollout into a Session: one pass over the rows, then the replayed history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.formats.codex.names import COMPACTED, ITEM, META, NAME, TYPES
from app.formats.codex.nodes import Node
from app.formats.codex.rollout import Rollout, in_file_order
from app.formats.notices import Notices
from app.formats.responses.entries import messages_of
from app.formats.responses.notices import tell_items
from app.formats.source import Source
from app.model import Author, Boundary, Facts, Message, Notice, Role, SendStatus, Session, Text

TITLE_CHARS = 120


def read(source: Source) -> Session:
    """The session of a file; see `app.formats.base.Format.read`."""
    rollout = Rollout(source)
    rows = rollout.load()
    live = rollout.live
    if live and rollout.replay.top.compaction is not None:
        live[0].boundary = rollout.boundaries[rollout.replay.top.compaction]
    messages = tuple(messages_of(_in_order(rollout), rollout.meter.usages))
    sent = [message for message in messages if message.standing is SendStatus.LIVE]
    heading = rollout.heading
    return Session(
        format=NAME,
        name=source.name,
        records=rollout,
        messages=messages,
        boundaries=tuple(_boundaries(rollout)),
        facts=_facts(rollout, live, rows.bad_lines),
        notices=(*rows.notices, *_notices(rollout, live)),
        session_id=heading.session_id,
        title=heading.title or first_words(messages),
        model=next((m.model for m in reversed(sent) if m.model), None) or heading.model,
        cwd=heading.cwd,
        usage=rollout.meter.total,
        window=rollout.meter.window,
        last_usage=next((m.usage for m in reversed(sent) if m.usage and m.usage.context), None),
    )


def first_words(messages: Sequence[Message]) -> str | None:
    """The first line that the person typed, at most `TITLE_CHARS` code points."""
    for message in messages:
        for block in message.blocks:
            if isinstance(block, Text) and block.author is Author.USER:
                line = block.content.preview.strip().partition("\n")[0]
                return line[:TITLE_CHARS] or None
    return None


def _in_order(rollout: Rollout) -> list[Node]:
    """Every item that is shown, in file order; of older compactions only the summary, not the copies."""
    replay = rollout.replay
    nodes = rollout.live + replay.undone + rollout.unsent
    held = {id(node) for node in nodes}
    for segment in replay.past():
        nodes += [node for node in segment.nodes if id(node) not in held]
        nodes += _past_summary(rollout, segment.compaction)
    return sorted(nodes, key=in_file_order)


def _past_summary(rollout: Rollout, compaction: int | None) -> Iterator[Node]:
    for node in rollout.summaries.get(-1 if compaction is None else compaction, ()):
        node.standing = SendStatus.BEFORE_BOUNDARY
        node.boundary = rollout.boundaries[node.record]
        yield node


def _boundaries(rollout: Rollout) -> list[Boundary]:
    """The compactions and markers of the current history, in file order."""
    segments = [rollout.replay.top, *rollout.replay.past()]
    found = [rollout.boundaries[s.compaction] for s in segments if s.compaction is not None]
    markers = [node.boundary for s in segments for node in s.nodes if node.boundary is not None]
    found += [marker for marker in markers if not marker.hides]
    return sorted(found, key=lambda boundary: boundary.record or 0)


def _facts(rollout: Rollout, live: Sequence[Node], bad_lines: Sequence[int]) -> Facts:
    hidden = (index for index, kind in enumerate(rollout.kinds) if kind not in (ITEM, COMPACTED))
    return Facts(
        records=len(rollout) - rollout.kinds.count("unreadable"),
        bad_lines=tuple(bad_lines),
        conversation=sum(node.role is not Role.SYSTEM for node in live),
        messages=len(live),
        branches=1 if live else 0,
        hidden_bytes=sum(map(rollout.length, hidden)),
    )


def _notices(rollout: Rollout, live: Sequence[Node]) -> tuple[Notice, ...]:
    told = Notices(rollout)
    for index, kind in enumerate(rollout.kinds):
        if kind not in TYPES and kind not in ("", "unreadable"):
            told.add("unknown-record-type", index, kind)
    first = next((index for index, kind in enumerate(rollout.kinds) if kind != "unreadable"), None)
    if first is not None and rollout.kinds[first] != META:
        told.add("no-session-meta", first, "Codex cannot resume a file that does not begin with it")
    older = [r for r in rollout.boundaries if r != rollout.replay.top.compaction]
    if older:
        size = sum(rollout[record].length for record in older)
        copies = "1 earlier compaction" if len(older) == 1 else f"{len(older)} earlier compactions"
        told.add("superseded-history", older[0], f"{copies} with {size:,} bytes of copied history, not sent")
    tell_items(live, told)
    return tuple(told.all())
