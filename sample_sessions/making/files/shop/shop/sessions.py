"""Sessions of visitors, kept in memory; a real store has the same methods."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_hex

LIFETIME = 8 * 60 * 60  # seconds: one working day


@dataclass
class Session:
    """What the shop remembers of one browser."""

    id: str
    user: str | None = None
    data: dict[str, str] = field(default_factory=dict)
    seen: float = 0.0


class SessionStore:
    """All open sessions by their id."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._sessions: dict[str, Session] = {}

    def open(self, session_id: str | None) -> Session:
        """The session of that id while it is alive, else a new one."""
        session = self._sessions.get(session_id or "")
        if session is None or self._now() - session.seen > LIFETIME:
            session = Session(id=token_hex(16))
            self._sessions[session.id] = session
        session.seen = self._now()
        return session

    def rotate(self, session: Session, user: str) -> Session:
        """A fresh session for a visitor who has just logged in.

        Nothing of the old session is carried over: somebody else may have planted it.
        """
        del self._sessions[session.id]
        fresh = self.open(None)
        fresh.user = user
        return fresh

    def close(self, session: Session) -> None:
        self._sessions.pop(session.id, None)

    def __len__(self) -> int:
        return len(self._sessions)


def cookie(session: Session) -> dict[str, str]:
    """The cookie that brings the visitor back to this session."""
    return {"sid": session.id}
