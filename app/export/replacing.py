"""Replaces a file that an agent may be writing to, without losing what it writes.

Agents honour no lock, and no system call replaces a file only if it is unchanged. So the old file keeps a
second hard link under a temp name. What was appended to it after the last check is carried over to the new
file; if that fails, the old file is renamed back, or at least kept under its temp name.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from app.errors import FileChanged, RefusedError, WriteFailed
from app.export.files import StagedFile, append, discard, publish_over, stage, sync_folder, unfinished_name
from app.formats.source import FileSource, FileState, identity_of
from app.running import old_writers_of, sees_writers

PATIENCE_SECONDS: Final = 0.5
"""How long to wait for a program that has the old file open. An agent that opens its file once per record has
it open for microseconds, unless it is paused at that moment."""
_BLIND_SECONDS: Final = 0.05
"""How long to wait where the system cannot tell which programs have a file open."""
_PAUSE_SECONDS: Final = 0.01


def put_over(staged: StagedFile, target: Path, source: FileSource, *, carries: bool) -> Replaced:
    """Rename a staged file, on the target's file system, over the target.

    `carries` says whether bytes appended to the old file are to be appended to the new one.
    Raises FileChanged or WriteFailed; the old file then still has its name.
    """
    old = _second_name(target, staged.path.with_name(unfinished_name()))
    try:
        if old is not None and not _is_same(old, source):
            raise FileChanged(f"{target} was replaced meanwhile: nothing was written, reopen it")
        publish_over(staged, target)
    except BaseException:
        if old is not None:
            discard(old)
        raise
    return Replaced(source, target, old, carries=carries)


class Replaced:
    """A file that was just replaced by a new one."""

    def __init__(self, source: FileSource, target: Path, old: Path | None, *, carries: bool) -> None:
        self._source = source
        self._target = target
        self._old = old
        """The old file's temp name; None if the file system has no hard links."""
        self._carries = carries
        self.carried = 0
        """Bytes appended to the old file after it was last checked, and now appended to the new one."""

    def carry_over(self) -> None:
        """Append to the new file what was appended to the old one up to the replacement.

        Raises FileChanged or WriteFailed if that is not possible; the old file is then renamed back.
        """
        if problem := self._carry():
            self._take_back()
            raise problem

    def settle(self) -> tuple[str, ...]:
        """Wait briefly for programs that have the old file open, carry over their writes, and delete it.

        Returns the programs that still have it open for writing, as far as known. Raises WriteFailed if
        something cannot be carried over; the old file then stays under its temp name.
        """
        writers = self._writers()
        if self._carry():
            raise WriteFailed(
                f"{self._target} was replaced, but what another program wrote to the old file meanwhile could"
                f" not be copied over: the old file is now {self._kept()}"
            )
        if self._old is not None:
            discard(self._old)
        return writers

    def _carry(self) -> RefusedError | None:
        """Append the old file's new bytes to the new file; returns the error if that is not possible."""
        became = self._source.became()
        if became is FileState.SAME:
            return None
        if became is FileState.OTHER or not self._carries or not self._ends_a_line():
            return FileChanged(
                f"{self._target} was written to while it was being replaced: it is unchanged, reopen it"
            )
        late = b"".join(self._source.held_now(self._source.size + self.carried))
        try:
            append(self._target, late)
        except OSError as error:
            return WriteFailed(
                f"{self._target} was not replaced: {len(late):,} bytes written to it meanwhile"
                f" could not be added to the new session ({error.strerror or error}); it is unchanged"
            )
        self.carried += len(late)
        return None

    def _ends_a_line(self) -> bool:
        """Whether the source ended with a complete line: otherwise the new bytes would continue a record."""
        return self._source.read(self._source.size - 1, 1) in (b"\n", b"")

    def _writers(self) -> tuple[str, ...]:
        if not sees_writers():
            time.sleep(_BLIND_SECONDS)
        old = self._source.identity
        until = time.monotonic() + PATIENCE_SECONDS
        while (found := old_writers_of(self._target, old.inode, old.device)) and time.monotonic() < until:
            time.sleep(_PAUSE_SECONDS)
        return found

    def _take_back(self) -> None:
        old = self._kept()
        try:
            old.replace(self._target)
            sync_folder(self._target.parent)
        except OSError as error:
            raise WriteFailed(
                f"{self._target} was replaced although it was written to meanwhile, and could not be restored"
                f" ({error.strerror or error}): the old file is {old}, move it there"
            ) from error

    def _kept(self) -> Path:
        """The old file under its temp name, or a copy of it made from the open file. Raises WriteFailed."""
        if self._old is None:
            self._old = stage(self._target.parent, self._source.held_now(), self._source.identity.mode).path
        return self._old


def _second_name(path: Path, name: Path) -> Path | None:
    try:
        os.link(path, name)
    except OSError:
        # FAT and some network file systems have no hard links: fall back on the open file and the backup.
        return None
    return name


def _is_same(path: Path, source: FileSource) -> bool:
    now = identity_of(path.stat())
    return (now.inode, now.device) == (source.identity.inode, source.identity.device)
