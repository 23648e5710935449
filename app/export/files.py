"""Writing files so that a crash leaves the old one whole or the new one whole, never a part."""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TypeAlias

from msgspec import Struct

from app.errors import NameTaken, WriteFailed

PRIVATE = 0o600
PRIVATE_FOLDER = 0o700
STAGING_PREFIX = ".handcompact-"
"""Names of files that are not finished begin with this, so that a later start can name strays."""

_NO_FOLDER_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF, errno.EACCES)
_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class StagedFile(Struct, frozen=True):
    """A file that is written and synced but does not yet bear its name."""

    path: Path
    size: int
    sha256: str


def unfinished_name() -> str:
    """A name that no other file has, and that says it is not finished, and whose."""
    return f"{STAGING_PREFIX}{os.getpid()}-{os.urandom(6).hex()}"


def make_folder(folder: Path) -> list[Path]:
    """Make a private folder with its parents; returns those that were not there, the outermost first.

    Raises WriteFailed; none is left then.
    """
    new: list[Path] = []
    try:
        new += itertools.takewhile(lambda path: not path.exists(), (folder, *folder.parents))
        if new:
            folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    except OSError as error:
        for path in new:
            remove_if_empty(path)
        raise _failed(folder, error) from error
    return new[::-1]


def stage(folder: Path, pieces: Iterable[bytes], mode: int = PRIVATE) -> StagedFile:
    """Write a new unnamed file into `folder`, with this mode from its first byte, and sync it.

    Raises WriteFailed; nothing is left behind then.
    """
    path = folder / unfinished_name()
    digest = hashlib.sha256()
    size = 0
    try:
        with os.fdopen(_new_private(path), "wb") as file:
            if mode != PRIVATE:
                path.chmod(mode)
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        discard(path)
        raise _failed(folder, error) from error
    except BaseException:
        discard(path)
        raise
    return StagedFile(path, size, digest.hexdigest())


def publish_new(staged: StagedFile, target: Path) -> None:
    """Give a staged file its name; raises NameTaken, or WriteFailed if it cannot be given."""
    local = beside(staged, target).path
    try:
        _give_name(local, target)
    except OSError as error:
        raise _failed(target, error) from error
    finally:
        discard(local)
    _keep_name(target)


def names_of(folder: Path, stem: str, extension: str) -> Iterator[Path]:
    """`stem`, `stem-2`, `stem-3` ...: names for a file that takes the first that is free."""
    yield folder / f"{stem}{extension}"
    for number in itertools.count(2):
        yield folder / f"{stem}-{number}{extension}"


def publish_free(staged: StagedFile, names: Iterable[Path]) -> Path:
    """Give a staged file that lies in their folder the first of these names that is free.

    Raises WriteFailed.
    """
    try:
        for target in names:
            try:
                _give_name(staged.path, target)
            except FileExistsError:
                continue
            except OSError as error:
                raise _failed(target, error) from error
            _keep_name(target)
            return target
    finally:
        discard(staged.path)
    raise AssertionError("counting does not end")


def _give_name(local: Path, target: Path) -> None:
    """Name a file without ever replacing another; raises OSError."""
    try:
        os.link(local, target)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        # The best left on such a file system is to look first.
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error
        local.rename(target)


def publish_over(staged: StagedFile, target: Path) -> None:
    """Put a staged file in the place of an existing one, at once; raises WriteFailed."""
    local = beside(staged, target).path
    try:
        local.replace(target)
    except OSError as error:
        discard(local)
        raise _failed(target, error) from error
    # Whichever of the two a crash leaves here is whole, and there is no way back.
    with suppress(OSError):
        sync_folder(target.parent)


def append(target: Path, data: bytes) -> None:
    """Write behind the end of a file, durably; raises OSError."""
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)), "ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _keep_name(target: Path) -> None:
    """Make a new name durable, or take it back; raises WriteFailed."""
    try:
        sync_folder(target.parent)
    except OSError as error:
        discard(target)
        raise _failed(target, error) from error


def discard(path: Path) -> None:
    """Remove a file that is not needed; one that is not there, nor can be, is fine."""
    with suppress(FileNotFoundError, NotADirectoryError):
        path.unlink()


def remove_if_empty(folder: Path) -> None:
    """Remove a folder that nothing lies in."""
    with suppress(OSError):
        folder.rmdir()


def sync_folder(folder: Path) -> None:
    """Make names in a folder durable, where the platform and the file system can; raises OSError."""
    if os.name == "nt":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise


def beside(staged: StagedFile, target: Path) -> StagedFile:
    """The staged file on the target's file system: itself, or a synced copy next to the target, in its stead.

    Raises WriteFailed; neither is there then.
    """
    try:
        if staged.path.stat().st_dev == target.parent.stat().st_dev:
            return staged
        with staged.path.open("rb") as file:
            mode = staged.path.stat().st_mode & 0o7777
            copy = stage(target.parent, iter(lambda: file.read(1 << 20), b""), mode)
    except OSError as error:
        discard(staged.path)
        raise _failed(target, error) from error
    discard(staged.path)
    return copy


Made: TypeAlias = Callable[[Path, PurePath], "tuple[PurePath, Iterable[bytes]] | None"]
"""What a copy of a file with this name in its folder is called and holds; None leaves it out."""


def copy_folder(source: Path, target: Path, made_of: Made | None = None) -> tuple[Path, ...]:
    """Copy a folder's plain files under a new name, whole or not at all; returns the files made.

    `made_of` makes other bytes of them. Raises WriteFailed, and what it raises.
    """
    building = target.parent / unfinished_name()
    made: list[Path] = []
    try:
        for file in sorted(source.rglob("*")):
            if file.is_symlink() or not file.is_file():
                continue
            inner: PurePath = file.relative_to(source)
            pieces: Iterable[bytes] = _pieces(file)
            if made_of is not None:
                if (other := made_of(file, inner)) is None:
                    continue
                inner, pieces = other
            (building / inner).parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            with os.fdopen(_new_private(building / inner), "wb") as out:
                out.writelines(pieces)
            made.append(target / inner)
        if made:
            building.rename(target)
            try:
                sync_folder(target.parent)
            except OSError:
                shutil.rmtree(target, ignore_errors=True)
                raise
    except OSError as error:
        raise _failed(target, error) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return tuple(made)


def encoded(text: str) -> bytes:
    """A text in UTF-8; lone surrogates are preserved."""
    return text.encode("utf-8", "surrogatepass")


def holds(path: Path, text: str) -> bool:
    """Whether a file already holds exactly this text, e.g. from an earlier export of the session."""
    data = encoded(text)
    try:
        return path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def _pieces(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while piece := stream.read(1 << 20):
            yield piece


def _new_private(path: Path) -> int:
    """Create a file that only its owner can read from the start; returns its descriptor."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), PRIVATE)


def _failed(path: Path, error: OSError) -> WriteFailed:
    reasons = {
        errno.ENOSPC: "the disk is full: free some space and try again",
        errno.EDQUOT: "your disk quota is used up: free some space and try again",
        errno.EROFS: "the file system is read-only: choose another place",
        errno.EACCES: "permission denied: choose another place or change the permissions",
        errno.EPERM: "permission denied: choose another place or change the permissions",
        errno.EEXIST: "it already exists: choose another name",
        errno.ENAMETOOLONG: "the name is too long: choose a shorter one",
        errno.ENOENT: "its folder does not exist: create it or choose another place",
        errno.ENOTDIR: "part of the path is not a folder: choose another place",
        errno.EISDIR: "it is a folder: give a file name",
    }
    why = reasons.get(error.errno or 0, f"{error.strerror or error}")
    kind = NameTaken if error.errno == errno.EEXIST else WriteFailed
    return kind(f"{path} could not be written: {why}")
