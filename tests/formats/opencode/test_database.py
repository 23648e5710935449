"""Sessions in opencode's own database are listed and opened, and nothing there is touched."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.discovery.folders import discover
from app.errors import UnreadableFile
from app.formats import detect, fresh_id, open_session, open_source
from app.formats.opencode.ids import fresh_session_id
from app.settings import opencode_store
from tests.formats.opencode.records import (
    OLD_ID,
    Value,
    assistant,
    document,
    export,
    request,
    texts,
    tool,
    user,
)


def store(path: Path, value: Value, parent: str | None = None) -> Path:
    """A database that holds a session, as the client keeps it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE IF NOT EXISTS session (id text, slug text, project_id text, parent_id text,"
            " directory text, title text, version text, permission text, time_created integer,"
            " time_updated integer)"
        )
        database.execute(
            "CREATE TABLE IF NOT EXISTS message (id, session_id, time_created integer, data text)"
        )
        database.execute("CREATE TABLE IF NOT EXISTS part (id, message_id, session_id, data text)")
        info = value["info"]
        row = (
            info["id"],
            "s",
            "p",
            parent,
            "/w",
            info["title"],
            "1",
            '[{"action":"deny"}]',
            1_000,
            2_000_000,
        )
        database.execute("INSERT INTO session VALUES (?,?,?,?,?,?,?,?,?,?)", row)
        for message in value["messages"]:
            told = {
                name: message["info"][name] for name in message["info"] if name not in ("id", "sessionID")
            }
            ident = message["info"]["id"]
            held = (ident, info["id"], told["time"]["created"], json.dumps(told))
            database.execute("INSERT INTO message VALUES (?,?,?,?)", held)
            for part in message["parts"]:
                said = {name: part[name] for name in part if name not in ("id", "sessionID", "messageID")}
                held = (part["id"], ident, info["id"], json.dumps(said))
                database.execute("INSERT INTO part VALUES (?,?,?,?)", held)
    return path


VALUE = document(user("Read it."), assistant("Yes.", tool("a", "text of a")), user("Thanks."), title="Mine")


def test_a_session_is_opened_by_its_name(home: Path) -> None:
    path = store(opencode_store(), VALUE)
    before = path.read_bytes()
    session, source = open_session(f"opencode:{OLD_ID}")
    assert (session.format, session.name, session.title) == ("opencode", f"opencode:{OLD_ID}", "Mine")
    assert request(session) == request(
        export(user("Read it."), assistant("Yes.", tool("a", "text of a")), user("Thanks."))
    )
    assert detect(source).name == "opencode"
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["opencode.db"]


def test_sessions_are_found_without_those_of_sub_agents(home: Path) -> None:
    store(opencode_store(), VALUE)
    store(opencode_store(), document(user("x"), id="ses_of_a_sub_agent", title="Sub"), parent=OLD_ID)
    found = [entry for entry in discover().sessions if not entry.is_sample]
    assert [
        (str(entry.path), entry.agent, entry.project, entry.title, entry.modified) for entry in found
    ] == [(f"opencode:{OLD_ID}", "opencode", "/w", "Mine", 2_000.0)]
    assert [shelf.found for shelf in discover().shelves if shelf.agent == "opencode"] == [1]


def test_what_a_client_has_just_written_is_seen(home: Path) -> None:
    path = store(opencode_store(), VALUE)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("UPDATE session SET title = 'Newer'")
        database.commit()
        assert open_session(f"opencode:{OLD_ID}")[0].title == "Newer"


@pytest.mark.parametrize("data", [None, b"", b"no database at all", b"SQLite format 3\0" + b"x" * 200])
def test_a_store_that_cannot_be_read_is_said(home: Path, data: bytes | None) -> None:
    if data is not None:
        opencode_store().parent.mkdir(parents=True)
        opencode_store().write_bytes(data)
    assert [entry for entry in discover().sessions if not entry.is_sample] == []
    with pytest.raises(UnreadableFile):
        open_source(f"opencode:{OLD_ID}")


def test_a_name_that_is_not_there_is_said(home: Path) -> None:
    store(opencode_store(), VALUE)
    with pytest.raises(UnreadableFile, match="contains no session 'ses_x'"):
        open_source("opencode:ses_x")


def test_damaged_rows_cost_themselves_only(home: Path) -> None:
    path = store(opencode_store(), VALUE)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE part SET data = '{\"type\":' WHERE data LIKE '%text of a%'")
        database.execute("UPDATE message SET data = NULL WHERE data LIKE '%assistant%'")
    assert texts(open_session(f"opencode:{OLD_ID}")[0]) == ["Read it.", "Thanks."]


def test_a_new_session_gets_an_id_as_its_agent_makes_them() -> None:
    made = fresh_id(export(user("x")))
    assert made is not None and len(made) == len(OLD_ID) and made.startswith("ses_")
    assert fresh_session_id()[:16] <= made[:16], "the newest sorts first"
