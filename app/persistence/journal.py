"""The journal: saves the history of an open session to disk while a person works.

One file for each program and session, in the folder for state: JSON lines that are only appended to. The
first tells which file the steps are for and under which pipeline, each other one what was done, undone or
done again. It is readable by its owner only, since it holds what a person wrote and the texts that were
given. While a program works it holds a lock on its journal, so that another one neither offers these
steps nor writes into them; the lock goes with the process, however that ends. What nobody holds any more
was left behind, and is offered when the file is opened again.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from app import __version__
from app.errors import HandcompactError
from app.export.files import PRIVATE, discard, make_folder, sync_folder
from app.export.locks import try_lock
from app.formats.source import ENDS, FileSource, Source
from app.opening import Opened
from app.pipeline import Pipeline
from app.pipeline_data import as_reference
from app.settings import state_dir
from app.work.history import Operation
from app.work.replaying import looks_of

VERSION: Final = 1
MAX_BYTES: Final = 64 << 20
"""Limit per journal: steps that would exceed it are not saved, and the person is told."""
MAX_FILES: Final = 100
MAX_DAYS: Final = 60
SYNC_SECONDS: Final = 1.0
"""Minimum time between two fsyncs; what was not synced is lost only if the machine goes down."""
ENDING: Final = ".jsonl"


def journal_dir() -> Path:
    """The folder of the journals."""
    return state_dir() / "journals"


class SourceIdentity(Struct, frozen=True):
    """Identifies the state of a file at the time steps were made for it."""

    file: str
    """Its path with links resolved; its name if it has no path."""
    size: int
    begins: str
    """Hash of its first bytes."""
    ends: str
    """Hash of its last bytes."""


def identity_of(source: Source) -> SourceIdentity:
    """The identity of an open session. Reads both ends only: a session can have half a gigabyte."""
    name = str(source.path.resolve()) if isinstance(source, FileSource) else source.name
    return SourceIdentity(name, source.size, *hashes_of(source, source.size))


def hashes_of(source: Source, size: int) -> tuple[str, str]:
    ends = (source.read(0, min(ENDS, size)), source.read(max(0, size - ENDS), min(ENDS, size)))
    begins, end = (hashlib.blake2s(data).hexdigest() for data in ends)
    return begins, end


def stem_of(file: str) -> str:
    """The prefix of the journal names of a file."""
    return hashlib.blake2s(file.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


class Journal:
    """Writes the history of one open session to disk whenever it changes."""

    def __init__(self, told: Callable[[str], None] = lambda _: None) -> None:
        """`told` is called once with a line of text if steps cannot be saved; work goes on without them."""
        self._told = told
        self._lock = threading.RLock()
        self._opened: Opened | None = None
        self._identity: SourceIdentity | None = None
        self._path: Path | None = None
        self._file = -1
        self._size = 0
        self._synced = 0.0
        self._operations: tuple[Operation, ...] = ()
        """The operations written so far, undone ones last."""
        self._pipeline: Pipeline | None = None
        self._has_complained = False
        self._is_full = False

    @property
    def path(self) -> Path | None:
        """Path of the journal; None if there are no steps or they cannot be saved."""
        return self._path

    def follow(self, opened: Opened) -> None:
        """Save the steps of this session from now on, instead of those of the one before."""
        with self._lock:
            if self._opened is not None:
                self._opened.workspace.watcher = None
            before, self._path = self._path, None
            self._let_go()
            self._opened, self._identity = opened, None
            opened.workspace.watcher = self.write
            self.write()
            if before is not None and (self._path is not None or not self._has_work):
                discard(before)

    @property
    def _has_work(self) -> bool:
        opened = self._opened
        return opened is not None and bool(opened.workspace.history.done) and not opened.workspace.is_written

    def write(self) -> None:
        """Write what is new. Never raises: a journal that fails must not stop the person's work."""
        with self._lock:
            if self._opened is None or self._is_full:
                return
            if not self._has_work:
                self._remove()
                return
            try:
                self._append(self._opened)
            except (OSError, HandcompactError, ValueError) as error:
                self._give_up(error)

    def discard(self) -> None:
        """Forget the steps: they were exported, or the person does not want them."""
        with self._lock:
            self._stop()
            self._remove()

    def close(self) -> None:
        """Leave the steps on disk, to be offered when the file is opened again."""
        with self._lock:
            self._stop()
            if self._file >= 0:
                with suppress(OSError):
                    os.fsync(self._file)
            self._let_go()

    def _stop(self) -> None:
        if self._opened is not None:
            self._opened.workspace.watcher = None
            self._opened = None

    # Writing

    def _append(self, opened: Opened) -> None:
        history = opened.workspace.history
        done, undone = history.done, history.undone
        if self._file < 0 or self._pipeline is not opened.workspace.pipeline:
            self._begin(opened)
        operations = (*done, *undone)
        same = _shared(self._operations, operations)
        lines = [self._line(opened, number, operations[number]) for number in range(same, len(operations))]
        if len(self._operations) > len(operations) or len(done) != len(operations) or not lines:
            lines.append({"total": len(operations), "done": len(done)})
        self._put(lines)
        self._operations = operations
        self._sync()

    def _line(self, opened: Opened, number: int, operation: Operation) -> dict[str, Any]:
        looks = looks_of(opened.workspace.session, operation.keys)
        return {"number": number, "at": round(time.time(), 3), "do": operation.as_json(), "looks": looks}

    def _begin(self, opened: Opened) -> None:
        """Continue in a new file; the old one is removed once the new one has its first line."""
        if self._identity is None:
            self._identity = identity_of(opened.source)
        folder = journal_dir()
        make_folder(folder)
        clean(folder)
        self._let_go()
        old, pipeline = self._path, opened.workspace.pipeline
        path = folder / f"{stem_of(self._identity.file)}-{os.getpid()}-{os.urandom(4).hex()}{ENDING}"
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, PRIVATE)
        self._size, self._synced = 0, 0.0
        self._operations, self._pipeline = (), pipeline
        try:
            try_lock(self._file)
            self._put([_head(self._identity, opened)])
            sync_folder(folder)
        except BaseException:
            self._let_go()
            discard(path)
            raise
        self._path = path
        if old is not None:
            discard(old)

    def _put(self, lines: list[dict[str, Any]]) -> None:
        data = b"".join(json.dumps(line, ensure_ascii=True).encode() + b"\n" for line in lines)
        if self._size + len(data) > MAX_BYTES:
            self._is_full = True
            raise ValueError(f"they exceed {MAX_BYTES >> 20} MiB")
        written = 0
        while written < len(data):
            written += os.write(self._file, data[written:])
        self._size += len(data)

    def _sync(self) -> None:
        """fsync in a thread of its own, as some disks are slow, and not too often."""
        now = time.monotonic()
        if now - self._synced < SYNC_SECONDS:
            return
        self._synced = now
        threading.Thread(target=_sync_file, args=(self._path,), daemon=True).start()

    # Ending

    def _give_up(self, error: Exception) -> None:
        """Say once that steps are not kept; what is on disk stays, as far as it is whole."""
        if self._file >= 0:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
        # The next step tries anew, with a file of its own.
        self._operations = ()
        self._let_go()
        if not self._has_complained:
            self._has_complained = True
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self._told(f"your steps cannot be saved in {journal_dir()}: {reason}; the program keeps working")

    def _let_go(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file, self._pipeline = -1, None

    def _remove(self) -> None:
        path, self._path = self._path, None
        self._operations = ()
        self._let_go()
        if path is not None:
            with suppress(OSError):
                discard(path)


def _head(identity: SourceIdentity, opened: Opened) -> dict[str, Any]:
    pipeline = opened.workspace.pipeline
    return {
        "journal": VERSION,
        "program": __version__,
        "file": identity.file,
        "size": identity.size,
        "begins": identity.begins,
        "ends": identity.ends,
        "leaf": opened.leaf,
        "origin": pipeline.origin,
        "pipeline": as_reference(pipeline, local=True),
    }


def _shared(written: tuple[Operation, ...], now: tuple[Operation, ...]) -> int:
    """The number of leading operations that are the same."""
    for place, (one, other) in enumerate(zip(written, now, strict=False)):
        if one is not other and one != other:
            return place
    return min(len(written), len(now))


def _sync_file(path: Path) -> None:
    """Sync through a descriptor of its own: a copy of the writer's would keep its lock for as long."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def clean(folder: Path) -> None:
    """Remove unlocked journals: those older than `MAX_DAYS`, and the oldest over `MAX_FILES`."""
    newest = sorted(((_modified(path), path) for path in folder.glob(f"*{ENDING}")), reverse=True)
    oldest_kept = time.time() - MAX_DAYS * 86_400
    for place, (modified, path) in enumerate(newest):
        if (place >= MAX_FILES or modified < oldest_kept) and not is_held(path):
            with suppress(OSError):
                discard(path)


def is_held(path: Path) -> bool:
    """Whether a program is writing this journal now (holds its lock)."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return True
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
