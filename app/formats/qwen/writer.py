"""Writing a session as a Qwen Code file: rows to bytes, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from app.formats.base import Rewrite, Rewriting
from app.formats.members import with_text
from app.formats.qwen.chat import chat_of
from app.formats.qwen.nodes import Node
from app.formats.qwen.plan import Planner
from app.formats.source import chunks
from app.formats.tree_rows import IdFields, Row, written
from app.model import Session

NAMING: Final = IdFields("uuid", "parentUuid")


def rewrite(session: Session, wish: Rewrite) -> Rewriting:
    """Plan the file that holds `wish`; see `app.formats.base.Format.rewrite`."""
    chat = chat_of(session)
    plan = Planner(session, wish, chat).plan()
    made = sum(row.node is None for row in plan.rows)
    changed = sum(row.node is not None and row.edited for row in plan.rows)
    kept = len(plan.rows) - changed - made
    dropped = len(chat) - kept - changed
    in_place = [row.node.index if row.node else -1 for row in plan.rows] == list(range(len(chat)))
    nothing = in_place and not (changed or plan.repairs) and wish.session_id is None

    def pieces() -> Iterator[bytes]:
        if nothing:
            return chunks(chat.source)
        return written(plan.rows, chat, NAMING, partial(_finished, wish.session_id))

    return Rewriting(pieces, kept, changed, made, dropped, plan.repairs)


def _finished(session_id: str | None, row: Row[Node], line: bytes) -> bytes:
    """A line with the new session's id, which every record holds; new ones have it already."""
    named = row.node is not None and row.node.session is not None
    return line if session_id is None or not named else with_text(line, "sessionId", session_id)
