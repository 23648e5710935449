"""A session written as a Claude Code file: rows to bytes, one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from app.formats.base import Rewrite, Rewriting
from app.formats.claude_code.changes import changed_record
from app.formats.claude_code.made import stamped, title_record
from app.formats.claude_code.plan import Plan, Planner
from app.formats.claude_code.rows import Row
from app.formats.claude_code.transcript import Transcript, transcript_of
from app.formats.lines import mend, parse_record
from app.formats.reshape import reshape
from app.formats.source import chunks
from app.formats.splice import encode, splice
from app.model import Session

_NAME: Final = b'"sessionId"'
_session_id = re.compile(rb'("sessionId"[ \t]*+:[ \t]*+)"(?:[^"\\]|\\.)*+"')


def rewrite(session: Session, wish: Rewrite) -> Rewriting:
    """The file that holds `wish`; see `app.formats.base.Format.rewrite`."""
    records = transcript_of(session)
    plan = Planner(session, wish, records).plan()
    made = sum(row.node is None for row in plan.rows) + (wish.title is not None)
    changed = sum(row.node is not None and row.edited for row in plan.rows)
    kept = len(plan.rows) - changed - (made - (wish.title is not None))
    dropped = len(records) - kept - changed
    in_place = all(row.node is not None and row.node.index == at for at, row in enumerate(plan.rows))
    nothing = in_place and not (made or changed or dropped or plan.repairs) and wish.session_id is None

    def pieces() -> Iterator[bytes]:
        return chunks(records.source) if nothing else _lines(plan, records, session, wish)

    return Rewriting(pieces, kept, changed, made, dropped, plan.repairs)


def _lines(plan: Plan, records: Transcript, session: Session, wish: Rewrite) -> Iterator[bytes]:
    for row in plan.rows:
        yield _line(row, records, wish.session_id) + b"\n"
    if wish.title is not None:
        yield encode(title_record(wish.title, wish.session_id or session.session_id)) + b"\n"


def _line(row: Row, records: Transcript, session_id: str | None) -> bytes:
    if row.node is None:
        return encode(_made(row, session_id))
    raw = records.raw(row.node.index)
    if records[row.node.index].damage:
        raw = mend(raw)
    if b"\n" in raw:
        # In sound JSON a line end can only stand between values.
        raw = raw.replace(b"\n", b" ")
    if row.edited:
        old = parse_record(raw)
        raw = reshape(raw, old, changed_record(old, row, records))
    return raw if session_id is None or row.node.session is None else with_session(raw, session_id)


def _made(row: Row, session_id: str | None) -> dict[str, Any]:
    record = row.made() if row.made is not None else {}
    record["parentUuid"] = row.parent.uuid if row.parent is not None else None
    record |= {"uuid": row.uuid, "timestamp": stamped(row.time or 0.0)}
    return record if session_id is None else {**record, "sessionId": session_id}


def with_session(raw: bytes, session_id: str) -> bytes:
    """A record that has a `sessionId`, with another one; every other byte stays."""
    if raw.count(_NAME) == 1:
        return _session_id.sub(lambda found: found[1] + encode(session_id), raw, count=1)
    return splice(raw, {("sessionId",): encode(session_id)})
