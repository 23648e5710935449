"""The sessions of opencode, which are in a database and not in files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.discovery.found_session import MAX_TITLE, OPENCODE, FoundSession, Subagent
from app.formats.opencode.database import children_of, measures_of, sessions_in
from app.formats.opencode.names import PREFIX
from app.settings import opencode_store


def stored_sessions(store: Path) -> list[FoundSession]:
    """Every top-level session in the store, under a name that can be opened."""
    return [
        FoundSession(
            f"{PREFIX}{each.ident}",
            OPENCODE,
            each.folder,
            (each.title or each.ident)[:MAX_TITLE],
            each.modified,
            0,
            is_read=False,
        )
        for each in sessions_in(store)
    ]


def measured(found: FoundSession) -> FoundSession:
    """A session of the store with its number of messages, its newest context size, and its subagents."""
    messages, tokens, subagents = measures_of(opencode_store(), found.name.removeprefix(PREFIX))
    return replace(found, messages=messages, tokens=tokens, subagents=subagents, is_read=True)


def stored_subagents(name: str) -> list[Subagent]:
    """The subagents' sessions of a session, oldest first."""
    return [
        Subagent(Path(f"{PREFIX}{each.ident}"), each.ident, each.title[:MAX_TITLE], each.modified, 0)
        for each in children_of(opencode_store(), name.removeprefix(PREFIX))
    ]
