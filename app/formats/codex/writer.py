"""Writing a session as a rollout: rows to bytes, one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.formats.base import Rewrite, Rewriting
from app.formats.codex.plan import Plan, Planner
from app.formats.codex.rollout import Rollout, rollout_of
from app.formats.codex.rows import Row, record_of
from app.formats.lines import mend, parse_record
from app.formats.repairs import replaced
from app.formats.reshape import reshape
from app.formats.responses.outgoing import said
from app.formats.source import chunks
from app.formats.splice import encode, splice
from app.formats.times import stamped
from app.model import JsonPath, Session

_ORDINAL: Final = re.compile(rb'(\{"timestamp":"[^"\\]*","ordinal":)-?[0-9]+(?=[,}])')
_NAMES: Final[tuple[JsonPath, ...]] = (("payload", "id"), ("payload", "session_id"))


def rewrite(session: Session, wish: Rewrite) -> Rewriting:
    """Plan the file that holds `wish`; see `app.formats.base.Format.rewrite`.

    A rollout has no title, so it is ignored.
    """
    rollout = rollout_of(session)
    plan = Planner(session, wish, rollout).plan()
    rows = [line for line in plan.lines if isinstance(line, Row)]
    made = sum(row.record is None for row in rows)
    changed = sum(row.record is not None and row.edited for row in rows)
    kept = len(plan.lines) - changed - made
    dropped = len(rollout) - kept - changed
    in_place = [record_of(line) for line in plan.lines] == list(range(len(rollout)))
    nothing = in_place and not (changed or plan.repairs) and wish.session_id is None

    def pieces() -> Iterator[bytes]:
        return chunks(rollout.source) if nothing else _lines(plan, rollout, wish.session_id)

    return Rewriting(pieces, kept, changed, made, dropped, plan.repairs)


def _lines(plan: Plan, rollout: Rollout, session_id: str | None) -> Iterator[bytes]:
    for line in plan.lines:
        yield _line(Row(line) if isinstance(line, int) else line, rollout, session_id) + b"\n"


def _line(row: Row, rollout: Rollout, session_id: str | None) -> bytes:
    if row.record is None:
        return encode(_made(row))
    raw = rollout.raw(row.record)
    if rollout[row.record].damage:
        raw = mend(raw)
    if b"\n" in raw:
        # In sound JSON a raw line end can only be between values.
        raw = raw.replace(b"\n", b" ")
    if row.edited:
        old = new = parse_record(raw)
        if row.item is not None and row.item.home is not None:
            new = replaced(new, row.item.home.path, said(row.item, rollout))
        for edit in row.edits:
            new = edit(new)
        raw = reshape(raw, old, new)
    if row.ordinal is not None:
        raw = with_ordinal(raw, row.ordinal)
    if session_id is not None and row.record in rollout.heading.metas:
        raw = with_session(raw, session_id, rollout.heading.session_id)
    return raw


def _made(row: Row) -> dict[str, object]:
    record = row.made() if row.made is not None else {}
    ordinal = {} if row.ordinal is None else {"ordinal": row.ordinal}
    return {"timestamp": stamped(row.time or 0.0), **ordinal, **record}


def with_ordinal(raw: bytes, ordinal: int) -> bytes:
    """A record with its ordinal replaced; every other byte stays."""
    number = str(ordinal).encode()
    found = _ORDINAL.match(raw)
    return found[1] + number + raw[found.end() :] if found else splice(raw, {("ordinal",): number})


def with_session(raw: bytes, session_id: str, old: str | None) -> bytes:
    """A `session_meta` with the session's old id replaced; every other byte stays."""
    payload = parse_record(raw)["payload"]
    paths = [path for path in _NAMES if path[-1] in payload and payload[path[-1]] == old]
    return splice(raw, {path: encode(session_id) for path in paths})
