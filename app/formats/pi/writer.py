"""Writing a session as a pi file: rows to bytes, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from app.formats.base import Rewrite, Rewriting
from app.formats.lines import parse_record
from app.formats.members import with_text
from app.formats.pi.appending import Appended, appended
from app.formats.pi.log import PiLog, log_of
from app.formats.pi.names import HEADER
from app.formats.pi.nodes import Node
from app.formats.pi.plan import Planner
from app.formats.reshape import reshape
from app.formats.source import chunks
from app.formats.splice import encode
from app.formats.tree_rows import IdFields, Row, written
from app.model import Session

NAMING: Final = IdFields("id", "parentId")


def rewrite(session: Session, wish: Rewrite) -> Rewriting:
    """Plan the file that holds `wish`; see `app.formats.base.Format.rewrite`."""
    log = log_of(session)
    addition = appended(session, wish, log)
    if addition is not None:
        return Rewriting(partial(_with_addition, log, addition), len(log), 0, len(addition.entries), 0)
    plan = Planner(session, wish, log).plan()
    made = sum(row.node is None for row in plan.rows)
    changed = sum(row.node is not None and row.edited for row in plan.rows)
    kept = len(plan.rows) - changed - made
    dropped = len(log) - kept - changed
    in_place = [row.node.index if row.node else -1 for row in plan.rows] == list(range(len(log)))
    nothing = in_place and not (changed or plan.repairs) and wish.session_id is None

    def pieces() -> Iterator[bytes]:
        if nothing:
            return chunks(log.source)
        return written(plan.rows, log, NAMING, partial(_finished, log, wish.session_id))

    return Rewriting(pieces, kept, changed, made, dropped, plan.repairs)


def _finished(log: PiLog, session_id: str | None, row: Row[Node], line: bytes) -> bytes:
    """A line with the new session's id, which only the header holds."""
    if session_id is None or row.node is None or row.node.kind != HEADER:
        return line
    if row.node.index != log.header_index:
        return line
    if "id" in log.header:
        return with_text(line, "id", session_id)
    header = parse_record(line)
    return reshape(line, header, {**header, "id": session_id})


def _with_addition(log: PiLog, addition: Appended) -> Iterator[bytes]:
    yield from chunks(log.source)
    if not addition.after_newline:
        yield b"\n"
    for entry in addition.entries:
        yield encode(entry) + b"\n"
