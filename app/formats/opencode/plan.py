"""Planning an export as rows, before any byte is written.

A new compaction goes before what is kept and after what it hides, as all versions of the client accept. The
client orders messages by time and id, so new and moved ones get a time and id that place them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from app.formats.anthropic_repairs import mend_anthropic
from app.formats.base import Rewrite
from app.formats.drafts import drafts
from app.formats.opencode.ids import after, renamed
from app.formats.opencode.names import INFO, PARTS
from app.formats.opencode.nodes import Node
from app.formats.opencode.request import Sender, as_sent
from app.formats.opencode.transcript import Transcript
from app.formats.opencode.wanted import WantedMessage, gather
from app.formats.repairs import as_notices
from app.model import Notice, Role, Session

_FIRST: Final = "msg_000000000000"


class Row(Struct, eq=False):
    """One message of the new file."""

    record: int | None = None
    wanted: WantedMessage | None = None
    """Its wanted content; None for a message that is kept unchanged."""


class Plan(Struct, frozen=True):
    """The rows of the new file, and the repairs."""

    rows: list[Row]
    names: dict[str, str]
    """Old id -> new id."""
    repairs: tuple[Notice, ...]
    asked: WantedMessage | None = None
    """The user message that starts a new compaction."""
    summary: WantedMessage | None = None


class Planner:
    """Plans one export of a session."""

    def __init__(self, session: Session, rewrite: Rewrite, records: Transcript) -> None:
        self._session = session
        self._rewrite = rewrite
        self._records = records
        self._seed = rewrite.session_id or session.session_id or session.name
        self._names = self._renamed()

    def plan(self) -> Plan:
        """The rows in their new order, with all changes to them."""
        sender = Sender(self._session)
        messages, looked = self._rewrite.messages, self._rewrite.looked
        mending = mend_anthropic(lambda: looked(sender.pairs(messages)))
        wished = drafts(lambda: looked(sender.outgoing(messages)), mending, sender.value_of)
        wanted = gather(looked(wished), sender, self._records.by_record, as_sent(messages))
        self._set_usage(wanted)
        asked, summary = self._compaction(wanted)
        if asked is not None:
            for each in wanted:
                each.be_plain()
        rows = self._rows(wanted if asked is not None else self._in_file_order(wanted), asked)
        self._place(rows)
        self._adopt(rows, asked, summary)
        return Plan(rows, self._names, tuple(as_notices(mending.repairs, self._lines())), asked, summary)

    def _lines(self) -> Callable[[str], int | None]:
        lines = {m.key: self._records[m.records[0]].line for m in self._session.messages if m.records}
        return lines.get

    def _renamed(self) -> dict[str, str]:
        """New ids for a new session: the client ignores an import of ids that it already has."""
        if self._rewrite.session_id is None:
            return {}
        idents: list[str] = []
        for index in self._rewrite.looked(range(self._records.listed)):
            value = self._records.value(index)
            if isinstance(value, dict):
                parts = value.get(PARTS)
                holders = [value.get(INFO), *(parts if isinstance(parts, list) else ())]
                idents += [
                    str(h["id"]) for h in holders if isinstance(h, dict) and isinstance(h.get("id"), str)
                ]
        names = renamed(idents, self._rewrite.session_id)
        if self._session.session_id is not None:
            names[self._session.session_id] = self._rewrite.session_id
        return names

    def _set_usage(self, wanted: Sequence[WantedMessage]) -> None:
        """Set the newest usage to the new size of the context, since the client relies on it."""
        tokens = self._rewrite.context_tokens
        if tokens is None:
            return
        for each in reversed(wanted):
            if each.node is not None and each.node.usage is not None and each.node.usage.context:
                each.tokens = max(1, tokens)
                return

    def _compaction(
        self, wanted: Sequence[WantedMessage]
    ) -> tuple[WantedMessage | None, WantedMessage | None]:
        """The user message and the summary of a new compaction."""
        boundary = self._rewrite.boundary
        if boundary is None:
            return None, None
        for one, other in pairwise(wanted):
            message = one.message
            if message is not None and message.boundary is not None and message.boundary.key == boundary.key:
                return one, other
        return None, None

    def _rows(self, wanted: Sequence[WantedMessage], asked: WantedMessage | None) -> list[Row]:
        """The rows: unsent messages stay where they are, those that a new compaction hides above it."""
        undone = [node for node in self._records.nodes if node in self._records.undone]
        rows = [Row(_record(each), each) for each in wanted]
        if asked is not None:
            kept = {each.node for each in wanted} | set(undone)
            hidden = [node for node in self._records.nodes if node not in kept]
            old = [] if self._rewrite.drop_old else [Row(node.record) for node in hidden]
            return [*old, *rows, *(Row(node.record) for node in undone)]
        for node in self._unsent(wanted):
            at = next((n for n, row in enumerate(rows) if self._order(row) > node.order), len(rows))
            rows.insert(at, Row(node.record))
        return rows

    def _unsent(self, wanted: Sequence[WantedMessage]) -> list[Node]:
        """The unsent messages that are kept; those that a compaction hides are removed with it."""
        kept = {each.node for each in wanted}
        live = set(self._records.history.live)
        is_whole = self._is_whole(wanted)
        return [
            node
            for node in self._records.nodes
            if node not in kept
            and (node in self._records.undone or (node not in live and is_whole) or _says_nothing(node))
        ]

    def _is_whole(self, wanted: Sequence[WantedMessage]) -> bool:
        """Whether the current compaction, if any, is kept as one, with its summary."""
        governing = self._records.history.compaction
        if governing is None:
            return True
        kept = [each.node for each in wanted if each.node is not None]
        asks = any(each.node is governing and each.compacts for each in wanted)
        return asks and any(node.summary and node.parent == governing.ident for node in kept)

    def _in_file_order(self, wanted: Sequence[WantedMessage]) -> list[WantedMessage]:
        """The messages, with those sent after a compaction but stored before it put back before it."""
        governing = self._records.history.compaction
        at = next((n for n, each in enumerate(wanted) if each.node is governing), -1)
        if governing is None or at < 0 or not any(n.ident == governing.tail for n in self._records.nodes):
            return list(wanted)
        if not self._is_whole(wanted):
            wanted[at].tail = ""
            return list(wanted)
        places: list[tuple[tuple[int, str], int]] = []
        last = (-1, "")
        for number, each in enumerate(wanted):
            last = each.node.order if each.node is not None else last
            places.append((last, number))
        ordered = [wanted[number] for _, number in sorted(places)]
        first = next((each for each in ordered[: ordered.index(wanted[at])] if each.node is not None), None)
        tail = first.node.ident if first is not None and first.node is not None else ""
        if tail != governing.tail:
            wanted[at].tail = tail
        return ordered

    def _order(self, row: Row) -> tuple[int, str]:
        node = self._records.by_record.get(row.record) if row.record is not None else None
        return node.order if node is not None else (-1, "")

    def _place(self, rows: Sequence[Row]) -> None:
        """Give new and moved messages ids and times that place them where the rows have them."""
        reached = (-1, "")
        made = 0
        for number, row in enumerate(rows):
            order = self._new_order(row)
            if order is not None and order > reached:
                reached = order
                continue
            if row.wanted is None:
                continue
            following = next(
                (o for r in rows[number + 1 :] if (o := self._new_order(r)) and o > reached), None
            )
            made += 1
            created = reached[0] if reached[0] >= 0 else max(0, following[0] - 1 if following else 0)
            before = reached[1] or _FIRST
            row.wanted.created = created
            row.wanted.ident = after(before, following[1] if following else None, "msg", made, self._seed)
            reached = created, row.wanted.ident

    def _new_order(self, row: Row) -> tuple[int, str] | None:
        """The client's sort key of a message of the file, with its new id."""
        node = self._records.by_record.get(row.record) if row.record is not None else None
        return None if node is None else (node.created, self._names.get(node.ident, node.ident))

    def _adopt(self, rows: Sequence[Row], asked: WantedMessage | None, summary: WantedMessage | None) -> None:
        """Make each reply name an existing user message as its parent."""
        idents = {self._ident(row) for row in rows}
        last = ""
        for row in rows:
            ident = self._ident(row)
            node = self._records.by_record.get(row.record) if row.record is not None else None
            role = node.role if node is not None else row.wanted.role if row.wanted is not None else Role.USER
            if role is Role.USER:
                last = ident
            elif row.wanted is not None and last:
                parent = "" if node is None else self._names.get(node.parent, node.parent)
                if parent not in idents:
                    row.wanted.parent = last
        if asked is not None and summary is not None:
            summary.parent = asked.ident

    def _ident(self, row: Row) -> str:
        if row.wanted is not None and row.wanted.ident:
            return row.wanted.ident
        order = self._new_order(row)
        return "" if order is None else order[1]


def _says_nothing(node: Node) -> bool:
    """Whether a message has nothing that is sent, and so cannot be wanted."""
    return node.failed or not any(node.blocks)


def _record(wanted: WantedMessage) -> int | None:
    return None if wanted.node is None else wanted.node.record
