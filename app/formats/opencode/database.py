"""Read-only access to opencode's own store: a session in it as the document that an export writes.

The store is an SQLite file in the client's data folder. It is opened so that no file is created beside it:
a store that nobody has open is read directly, one with a write-ahead log through that log.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from msgspec import Struct

from app.errors import UnreadableFile
from app.formats.opencode.names import INFO, MESSAGES, PARTS
from app.formats.splice import encode

_PATIENCE: Final = 2.0
"""Seconds to wait for a client that is writing."""

_INFO: Final = (
    ("id", "id"), ("slug", "slug"), ("projectID", "project_id"), ("directory", "directory"), ("path", "path"),
    ("parentID", "parent_id"), ("title", "title"), ("agent", "agent"), ("version", "version"),
    ("cost", "cost"),
)  # fmt: skip
"""Members of a session's `info`, and their columns in the database."""

_AS_JSON: Final = (("model", "model"), ("permission", "permission"), ("revert", "revert"))


class Listed(Struct, frozen=True):
    """A session in the store; texts are session text and not safe for a terminal."""

    ident: str
    title: str
    folder: str
    modified: float
    """Seconds since 1970."""


def sessions_in(store: Path) -> list[Listed]:
    """The top-level sessions in the store, newest first; those of sub-agents are left out.

    Empty if there is no store, or it cannot be read.
    """
    return _listed(store, "parent_id IS NULL", ())


def children_of(store: Path, ident: str) -> list[Listed]:
    """The sessions of a session's sub-agents, oldest first; empty if they cannot be read."""
    return _listed(store, "parent_id = ?", (ident,))[::-1]


def measures_of(store: Path, ident: str) -> tuple[int | None, int | None, int]:
    """A session's number of messages, newest recorded context (tokens), and number of sub-agents.

    None for what is not recorded, or if the store cannot be read.
    """
    try:
        with closing(_opened(store)) as database:
            ask = (ident,)
            count = database.execute("SELECT count(*) FROM message WHERE session_id = ?", ask).fetchone()[0]
            newest = database.execute(
                "SELECT data FROM message WHERE session_id = ? ORDER BY time_created DESC LIMIT 8", ask
            ).fetchall()
            under = database.execute("SELECT count(*) FROM session WHERE parent_id = ?", ask).fetchone()[0]
    except (sqlite3.Error, OSError):
        return None, None, 0
    return count, next((tokens for row in newest if (tokens := _context(_value(row[0])))), None), under


def _context(info: Any) -> int:
    """Input and output tokens of a reply together."""
    tokens = info.get("tokens") if isinstance(info, dict) else None
    if not isinstance(tokens, dict):
        return 0
    cache = tokens.get("cache")
    counts = [tokens.get("input"), tokens.get("output"), tokens.get("reasoning")]
    counts += [cache.get("read"), cache.get("write")] if isinstance(cache, dict) else []
    return sum(count for count in counts if isinstance(count, int) and count > 0)


def _listed(store: Path, which: str, values: tuple[str, ...]) -> list[Listed]:
    query = f"SELECT id, title, directory, time_updated FROM session WHERE {which} ORDER BY time_updated DESC"
    try:
        with closing(_opened(store)) as database:
            rows = database.execute(query, values).fetchall()
    except (sqlite3.Error, OSError):
        return []
    return [
        Listed(str(i), str(title), str(folder), (moment or 0) / 1000) for i, title, folder, moment in rows
    ]


def exported(store: Path, ident: str) -> bytes:
    """A session in the store as the document that `opencode export` writes.

    Raises UnreadableFile if there is no such session, or the store cannot be read.
    """
    try:
        with closing(_opened(store)) as database:
            row = database.execute("SELECT * FROM session WHERE id = ?", (ident,)).fetchone()
            if row is None:
                raise UnreadableFile(f"{store} contains no session {ident!r}: see `handcompact list`")
            return b"".join(_document(database, row))
    except (sqlite3.Error, OSError) as error:
        raise UnreadableFile(
            f"{store} cannot be read ({error}): expected the database of opencode"
        ) from error


def _opened(store: Path) -> sqlite3.Connection:
    """The store, opened for reading; raises OSError or sqlite3.Error."""
    if not store.is_file():
        raise FileNotFoundError(store)
    log = store.with_name(f"{store.name}-wal")
    how = "mode=ro" if log.exists() else "immutable=1"
    database = sqlite3.connect(f"file:{quote(str(store))}?{how}", uri=True, timeout=_PATIENCE)
    database.row_factory = sqlite3.Row
    return database


def _document(database: sqlite3.Connection, session: sqlite3.Row) -> Iterator[bytes]:
    yield b'{\n"%b": %b,\n"%b": [' % (INFO.encode(), encode(_info(session)), MESSAGES.encode())
    query = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
    gap = b"\n"
    for ident, data in database.execute(query, (session["id"],)):
        info = {**_value(data), "id": ident, "sessionID": session["id"]}
        parts = b",".join(_parts(database, session["id"], ident))
        yield b'%b{"%b":%b,"%b":[%b]}' % (gap, INFO.encode(), encode(info), PARTS.encode(), parts)
        gap = b",\n"
    yield b"\n]\n}\n"


def _parts(database: sqlite3.Connection, session: str, message: str) -> Iterator[bytes]:
    query = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"
    for ident, data in database.execute(query, (message,)):
        yield encode({**_value(data), "id": ident, "sessionID": session, "messageID": message})


def _info(row: sqlite3.Row) -> dict[str, Any]:
    known = set(row.keys())
    info = {name: row[column] for name, column in _INFO if column in known and row[column] is not None}
    info |= {name: _value(row[column]) for name, column in _AS_JSON if column in known and row[column]}
    info["time"] = {"created": row["time_created"], "updated": row["time_updated"]}
    return info


def _value(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
