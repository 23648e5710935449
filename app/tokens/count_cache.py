"""A cache of token counts on disk, so that a session opened again is counted at once.

A row holds the digest of a text, its number of tokens, its kind and how many strings in it look like
keys, never the text. The file may be deleted at any time; a damaged one, or one of another version, is
recreated, and if nothing can be written the program counts without a cache.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final
from zlib import crc32

from app import __version__
from app.tokens.encode import TextFacts
from app.tokens.text_class import TextClass

FILE: Final = "counts-3.db"
"""The number is the version of the table and of how texts are split (`app.tokens.encode.pieces`)."""

MOST: Final = 1_000_000
"""Rows that are kept, in about 40 MB; above that the least recently used quarter is deleted."""

WAITING: Final = 4_096
"""New counts that are collected before they are written together."""

PATIENCE: Final = 2.0
"""Seconds to wait for another process's lock on the file before going on without writing."""

_DAY: Final = 86_400
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS counts"
    " (text BLOB PRIMARY KEY, tokens INTEGER NOT NULL, kind INTEGER, secrets INTEGER, day INTEGER NOT NULL)"
    " WITHOUT ROWID"
)
_SHAPES: Final = crc32(__version__.encode()) >> 1
"""The program version that classified a text: another one knows other kinds and keys, and redoes it."""

_KINDS: Final[Mapping[object, TextClass]] = dict(enumerate(TextClass))
_NUMBERS: Final[Mapping[TextClass, int]] = {kind: number for number, kind in enumerate(TextClass)}
_ASKED: Final = "SELECT tokens, kind, secrets, day FROM counts WHERE text = ?"


class KeptCounts:
    """The counts in one file. Thread-safe, and safe to use by several processes at once.

    The file is opened on first use. Nothing here ever raises: without a file nothing is known.
    """

    def __init__(self, path: Path, *, most: int = MOST, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._most = most
        self._today = int(clock() // _DAY)
        self._lock = threading.Lock()
        self._new: dict[bytes, TextFacts] = {}
        self._seen: set[bytes] = set()
        """Digests looked up now whose row has an earlier day of last use."""
        self._rows = most
        """Upper bound of the number of rows; they are counted when it exceeds the limit, as at first."""
        self._database: sqlite3.Connection | None = None
        self._tried = False

    def get(self, text: bytes) -> TextFacts | None:
        """The facts stored for a digest; None if there are none."""
        with self._lock:
            if text in self._new:
                return self._new[text]
            database = self._opened()
            if database is None:
                return None
            try:
                found = database.execute(_ASKED, (text,)).fetchone()
            except sqlite3.Error as error:
                self._give_up(error)
                return None
            if found is None:
                return None
            tokens, kind, secrets, day = found
            if not _is_count(tokens) or not (secrets is None or _is_count(secrets)):
                return None
            if day != self._today:
                self._seen.add(text)
            return TextFacts(tokens, _KINDS.get(kind), secrets)

    def put(self, text: bytes, known: TextFacts) -> None:
        """Store the facts about a text; they are written in batches, at the latest by `flush`."""
        with self._lock:
            self._new[text] = known
            if len(self._new) >= WAITING:
                self._write()

    def flush(self) -> None:
        """Write the collected counts."""
        with self._lock:
            self._write()

    def close(self) -> None:
        """Write the collected counts and close the file; a later lookup opens it again."""
        with self._lock:
            self._write()
            if self._database is not None:
                self._database.close()
            self._database, self._tried = None, False

    def _write(self) -> None:
        if not (self._new or self._seen):
            return
        database = self._opened()
        rows = [
            (text, known.tokens, known.kind and _NUMBERS[known.kind], known.secrets, self._today)
            for text, known in self._new.items()
        ]
        seen = [(self._today, text) for text in self._seen]
        self._new, self._seen = {}, set()
        if database is None:
            return
        try:
            database.execute("BEGIN IMMEDIATE")
            with database:
                database.executemany("INSERT OR REPLACE INTO counts VALUES (?, ?, ?, ?, ?)", rows)
                database.executemany("UPDATE counts SET day = ? WHERE text = ?", seen)
                self._make_room(database, len(rows))
        except sqlite3.Error as error:
            self._give_up(error)

    def _make_room(self, database: sqlite3.Connection, added: int) -> None:
        self._rows += added
        if self._rows <= self._most:
            return
        # Counting scans all rows, so it is done only when there may be too many.
        self._rows = database.execute("SELECT count(*) FROM counts").fetchone()[0]
        if self._rows > self._most:
            left = self._most * 3 // 4
            database.execute(
                # A day in the future was written with a wrong clock: the row's age is unknown.
                "DELETE FROM counts WHERE text IN"
                " (SELECT text FROM counts ORDER BY CASE WHEN day > ? THEN 0 ELSE day END LIMIT ?)",
                (self._today, self._rows - left),
            )
            self._rows = left

    # The file

    def __del__(self) -> None:
        # Closed here because Python 3.13 warns about an unclosed database. At interpreter exit modules may
        # be gone, so no module global is used.
        if self._database is not None:
            self._database.close()

    def _opened(self) -> sqlite3.Connection | None:
        if not self._tried:
            self._tried = True
            try:
                self._database = self._open()
            except sqlite3.OperationalError:
                pass  # read-only, or locked by another process for too long: no reason to discard it
            except (sqlite3.Error, OSError):
                self._database = self._made_anew()
        return self._database

    def _made_anew(self) -> sqlite3.Connection | None:
        with suppress(sqlite3.Error, OSError):
            self.path.unlink()
            return self._open()
        return None

    def _open(self) -> sqlite3.Connection:
        """Open or create the file; raises sqlite3.Error or OSError."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        database = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            # What a crash loses is counted again.
            database.execute("PRAGMA synchronous = OFF")
            database.execute(_TABLE)
            database.execute(_ASKED, (b"",)).fetchone()
            if database.execute("PRAGMA user_version").fetchone()[0] != _SHAPES:
                database.execute("UPDATE counts SET kind = NULL, secrets = NULL")
                database.execute(f"PRAGMA user_version = {_SHAPES}")
        except BaseException:
            database.close()
            raise
        return database

    def _give_up(self, error: sqlite3.Error) -> None:
        """Stop using the file; a damaged one is recreated by the next process."""
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
        self._database = None
        if not isinstance(error, sqlite3.OperationalError):
            with suppress(OSError):
                self.path.unlink()


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value >= 0
