"""Read-only access to the bytes of a session file, piece by piece."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
from collections.abc import Iterator
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from app.errors import FileChanged, UnreadableFile

CHUNK = 1 << 17
"""Bytes that are read at once when a whole file is streamed."""
ENDS = 4096
"""Bytes at each end of a file that are compared to tell a rewrite from an append."""


class FileIdentity(Struct, frozen=True):
    """Stat fields that tell whether a file is still the one that was opened."""

    size: int
    mtime_ns: int
    inode: int
    device: int
    mode: int
    ctime_ns: int
    """Changes with every write, even if size and mtime were set back."""


class FileState(Enum):
    """What happened to an open file."""

    SAME = auto()
    LONGER = auto()
    """Bytes were appended."""
    OTHER = auto()
    """It was rewritten or truncated."""


class Source(Protocol):
    """Bytes that can be read at any offset."""

    name: str
    """The path as the person gave it, or `-`."""
    size: int
    marks: bool
    """Whether texts read from it get a mark (`app.content.mark_of`)."""
    reached: int
    """Progress of a reader from start to end, in bytes."""

    def read(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`."""


def chunks(source: Source, size: int = CHUNK) -> Iterator[bytes]:
    """The whole source in pieces of at most `size` bytes."""
    for offset in range(0, source.size, size):
        source.reached = offset
        yield source.read(offset, min(size, source.size - offset))
    source.reached = source.size


def sha256(source: Source) -> str:
    """The hex digest of all bytes."""
    digest = hashlib.sha256()
    for chunk in chunks(source):
        digest.update(chunk)
    return digest.hexdigest()


class BytesSource:
    """A source in memory: standard input, and tests."""

    marks = False
    reached = 0

    def __init__(self, data: bytes, name: str = "-") -> None:
        self.name = name
        self.size = len(data)
        self._data = data

    def read(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]


class FileSource:
    """A file kept open, so that a rename by its agent does not change what is read.

    The size is fixed on opening: what an agent appends later is not part of this session.
    """

    marks = False
    reached = 0

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.path = path
        self._lock = threading.Lock()
        try:
            self._file = open(path, "rb", buffering=0, opener=_open_at_once)  # noqa: SIM115 (it stays open)
        except OSError as error:
            raise UnreadableFile(_why(path, error)) from error
        info = os.fstat(self._file.fileno())
        if not stat.S_ISREG(info.st_mode):
            self._file.close()
            raise UnreadableFile(f"{path} is not a regular file: give a session file")
        self.identity = identity_of(info)
        self.size = info.st_size
        self._ends = self._read_ends()

    def read(self, offset: int, length: int) -> bytes:
        """As in `Source`; raises FileChanged if the file was truncated since it was opened."""
        length = min(length, self.size - offset)
        if length <= 0:
            return b""
        piece = self._read_at(offset, length)
        if len(piece) == length:
            return piece
        pieces = [piece]
        while piece and (length := length - len(piece)) > 0:
            offset += len(piece)
            pieces.append(piece := self._read_at(offset, length))
        if length > 0:
            raise changed_since_opened(self.name)
        return b"".join(pieces)

    def _read_at(self, offset: int, length: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._file.fileno(), length, offset)
        with self._lock:
            self._file.seek(offset)
            return self._file.read(length) or b""

    def is_whole(self) -> bool:
        """Whether the bytes that were opened are still there: at most, more were appended.

        Programs that rewrite a file often keep its inode, and then reads return other bytes.
        """
        now = identity_of(os.fstat(self._file.fileno()))
        if now == self.identity:
            return True
        return now.size >= self.size and self._read_ends() == self._ends

    def became(self) -> FileState:
        """What happened to the file since it was opened, even if it was renamed."""
        now = os.fstat(self._file.fileno())
        if (now.st_size, now.st_mtime_ns) == (self.identity.size, self.identity.mtime_ns):
            return FileState.SAME
        return FileState.LONGER if now.st_size > self.size and self.is_whole() else FileState.OTHER

    def held_now(self, offset: int = 0) -> Iterator[bytes]:
        """The file's current bytes from `offset` on, in pieces, even if it was renamed."""
        while piece := self._read_at(offset, CHUNK):
            offset += len(piece)
            yield piece

    def _read_ends(self) -> tuple[bytes, bytes]:
        return self.read(0, ENDS), self.read(max(0, self.size - ENDS), ENDS)

    def close(self) -> None:
        """Close the file; reading afterwards raises ValueError."""
        self._file.close()

    def __enter__(self) -> FileSource:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()


def changed_since_opened(name: str) -> FileChanged:
    """The error for an open session whose file no longer holds the bytes that were read."""
    return FileChanged(f"{name} was rewritten since it was opened: reopen it")


def identity_of(info: os.stat_result) -> FileIdentity:
    """The identity that a stat result shows."""
    mode = stat.S_IMODE(info.st_mode)
    # On Windows this is the creation time.
    ctime = 0 if os.name == "nt" else info.st_ctime_ns
    return FileIdentity(info.st_size, info.st_mtime_ns, info.st_ino, info.st_dev, mode, ctime)


def _open_at_once(path: str, flags: int) -> int:
    """Open without blocking: opening a pipe (refused later) would wait for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _why(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path} does not exist: give the path of a session file"
    if error.errno == errno.ENAMETOOLONG:
        return f"{path} is too long for a file name: give the path of a session file"
    if isinstance(error, IsADirectoryError) or path.is_dir():
        return f"{path} is a folder: give a session file, or `handcompact list` to see the sessions"
    if isinstance(error, PermissionError):
        return f"{path} cannot be read: permission denied; check its permissions"
    return f"{path} cannot be read ({error.strerror}): give a session file"
