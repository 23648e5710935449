"""Writing a session as a Claude Code file: rows to bytes, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.claude_code.added import title_record
from app.formats.claude_code.changes import changed_record
from app.formats.claude_code.nodes import Node
from app.formats.claude_code.plan import Plan, Planner
from app.formats.claude_code.rows import Row
from app.formats.claude_code.second_copies import slimmed
from app.formats.claude_code.transcript import Transcript, transcript_of
from app.formats.lines import mend, parse_record
from app.formats.members import with_text
from app.formats.reshape import reshape
from app.formats.source import chunks
from app.formats.splice import encode
from app.formats.times import stamped
from app.model import Session, ToolResult


def rewrite(session: Session, wish: Rewrite) -> Rewriting:
    """Plan the file that holds `wish`; see `app.formats.base.Format.rewrite`."""
    records = transcript_of(session)
    plan = Planner(session, wish, records).plan()
    records.graph.let_go()
    nodes = [_node(line, records) for line in plan.lines]
    made = nodes.count(None) + (wish.title is not None)
    changed = sum(
        node is not None and (isinstance(line, Row) or _is_slimmed(node, wish))
        for line, node in zip(plan.lines, nodes, strict=True)
    )
    kept = len(nodes) - changed - (made - (wish.title is not None))
    dropped = len(records) - kept - changed
    in_place = all(node is not None and node.index == at for at, node in enumerate(nodes))
    nothing = in_place and not (made or changed or dropped or plan.repairs) and wish.session_id is None

    def pieces() -> Iterator[bytes]:
        return chunks(records.source) if nothing else _lines(plan, records, session, wish)

    return Rewriting(pieces, kept, changed, made, dropped, plan.repairs)


def _node(line: Row | int, records: Transcript) -> Node | None:
    return records.nodes[line] if isinstance(line, int) else line.node


def _row(line: Row | int, records: Transcript) -> Row:
    if isinstance(line, Row):
        return line
    node = records.nodes[line]
    return Row(node, uuid=node.uuid)


def _is_slimmed(node: Node, wish: Rewrite) -> bool:
    return wish.slim and any(isinstance(block, ToolResult) for block in node.blocks)


def _lines(plan: Plan, records: Transcript, session: Session, wish: Rewrite) -> Iterator[bytes]:
    for line in plan.lines:
        raw = _line(_row(line, records), records, wish.session_id)
        yield (slimmed(raw) if wish.slim else raw) + b"\n"
    if wish.title is not None:
        yield encode(title_record(wish.title, wish.session_id or session.session_id)) + b"\n"


def _line(row: Row, records: Transcript, session_id: str | None) -> bytes:
    if row.node is None:
        return encode(_made(row, session_id))
    raw = as_read = records.raw(row.node.index)
    if records.damage(row.node.index):
        raw = mend(raw)
    if b"\n" in raw:
        # In sound JSON a raw line end can only be between values.
        raw = raw.replace(b"\n", b" ")
    if row.edited:
        old = records.value(row.node.index) if raw is as_read else parse_record(raw)
        raw = reshape(raw, old, changed_record(old, row, records))
    return raw if session_id is None or row.node.session is None else with_text(raw, "sessionId", session_id)


def _made(row: Row, session_id: str | None) -> dict[str, Any]:
    record = row.made() if row.made is not None else {}
    record["parentUuid"] = row.parent_uuid
    record |= {"uuid": row.uuid, "timestamp": stamped(row.time or 0.0)}
    return record if session_id is None else {**record, "sessionId": session_id}
