"""Writing a session as an opencode export: rows to messages of one document."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.opencode.added import Neighbours, made_message
from app.formats.opencode.ids import after, with_names
from app.formats.opencode.names import INFO
from app.formats.opencode.nodes import Node
from app.formats.opencode.plan import Plan, Planner, Row
from app.formats.opencode.transcript import Transcript, transcript_of
from app.formats.opencode.values import changed_message
from app.formats.plain.layout import Piece
from app.formats.plain.session import DAMAGE
from app.formats.reshape import reshape
from app.formats.source import chunks
from app.model import Role, Session


def rewrite(session: Session, wish: Rewrite) -> Rewriting:
    """Plan the file that holds `wish`; see `app.formats.base.Format.rewrite`."""
    records = transcript_of(session)
    plan = Planner(session, wish, records).plan()
    added = sum(row.record is None for row in plan.rows)
    changed = sum(row.record is not None and _is_changed(row) for row in plan.rows)
    kept = len(plan.rows) - added - changed
    in_place = [row.record for row in plan.rows] == [node.record for node in records.nodes]
    damage = tuple(notice for notice in records.notices if notice.word in DAMAGE)
    repairs = (*damage, *plan.repairs)
    nothing = (
        in_place and not (added or changed or repairs) and wish.session_id is None and wish.title is None
    )
    if nothing:
        return Rewriting(lambda: chunks(records.source), kept, 0, 0, 0)
    writer = _Writer(records, plan, wish)
    return Rewriting(writer.pieces, kept, changed, added, records.listed - kept - changed, repairs)


def _is_changed(row: Row) -> bool:
    return row.wanted is not None and row.wanted.changed


class _Writer:
    """Writes the bytes of one export."""

    def __init__(self, records: Transcript, plan: Plan, wish: Rewrite) -> None:
        self._records = records
        self._plan = plan
        self._wish = wish
        self._beside = self._neighbours()

    def pieces(self) -> Iterator[bytes]:
        """The bytes of the file."""
        elsewhere: dict[int, bytes] = {}
        if self._records.info_record is not None:
            raw, old = self._records.raw(self._records.info_record), self._records.info
            new = old if self._wish.title is None else {**old, "title": self._wish.title}
            elsewhere[self._records.info_record] = with_names(reshape(raw, old, new), self._plan.names)
        return self._records.write(self._messages(), elsewhere)

    def _messages(self) -> Iterator[Piece]:
        for row in self._plan.rows:
            yield self._made(row) if row.record is None else self._kept(row, row.record)

    def _kept(self, row: Row, record: int) -> Piece:
        if not _is_changed(row) and not self._plan.names and not self._records[record].damage:
            return record
        raw = self._records.sound_bytes(record)
        if row.wanted is not None and row.wanted.changed:
            old = self._records.value(record)
            raw = reshape(raw, old, changed_message(old, row.wanted, self._make_id))
        return with_names(raw, self._plan.names)

    def _made(self, row: Row) -> bytes:
        assert row.wanted is not None
        told = row.wanted is self._plan.asked or row.wanted is self._plan.summary
        boundary = self._wish.boundary if told else None
        return self._records.style.written(made_message(row.wanted, self._beside, self._make_id, boundary))

    def _make_id(self, before: str, behind: str | None, number: int) -> str:
        names = self._plan.names
        following = None if behind is None else names.get(behind, behind)
        return after(names.get(before, before), following, "prt", number, self._beside.session)

    def _neighbours(self) -> Neighbours:
        last = partial(_last_info, self._records)
        session = self._wish.session_id or str(self._records.info.get("id", ""))
        return Neighbours(last(Role.USER), last(Role.ASSISTANT), session)


def _last_info(records: Transcript, role: Role) -> dict[str, Any]:
    """The `info` of the newest sent message with a role that is not a compaction."""
    nodes: list[Node] = [n for n in records.nodes if n.role is role and not (n.summary or n.compacts)]
    info: dict[str, Any] = records.value(nodes[-1].record)[INFO] if nodes else {}
    return info
