"""Putting a new file in the place of one that an agent may be writing, so that nothing it writes is lost.

No lock holds an agent off, and no call of the system replaces a file only if nobody wrote to it. So the old
file keeps a second, unfinished name until it is known what became of it. What was written to it after the
last look is carried over; where that cannot be, the old file gets its name back, or at least keeps the other.
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
"""How long one that has the old file open is waited for. An agent that opens its file for each record has it
open for microseconds, or for the moment for which it stands still just then."""
_BLIND_SECONDS: Final = 0.05
"""How long it is waited where nobody says who has a file open."""
_PAUSE_SECONDS: Final = 0.01


def put_over(staged: StagedFile, target: Path, source: FileSource, *, carries: bool) -> Replaced:
    """Put a staged file, which lies on the target's file system, in the place of the one that is open.

    `carries` is whether what is appended to the old one belongs behind the new one.
    Raises FileChanged or WriteFailed; the old one has its name then.
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
    """A file that lost its name to a new one a moment ago."""

    def __init__(self, source: FileSource, target: Path, old: Path | None, *, carries: bool) -> None:
        self._source = source
        self._target = target
        self._old = old
        """The other name of the old file; None where the file system has no second names."""
        self._carries = carries
        self.carried = 0
        """Bytes that came after the last look at the old file, and stand behind the new one now."""

    def carry_over(self) -> None:
        """Carry over what came until the moment of the replacement.

        Raises FileChanged or WriteFailed where that cannot be: the old file has its name again then.
        """
        if problem := self._carry():
            self._take_back()
            raise problem

    def settle(self) -> tuple[str, ...]:
        """Wait a moment for who has the old file open, carry over what they wrote, and let go of it.

        Returns who still has it open for writing, as far as that can be seen. Raises WriteFailed where
        something cannot be carried over: the old file stays then, under its other name.
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
        """Put what was appended behind the new file; what keeps it from that, if anything does."""
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
        """Whether what is appended is a record of its own: the rest of one could be put behind another."""
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
        """The old file, under its other name or as a copy. Raises WriteFailed."""
        if self._old is None:
            self._old = stage(self._target.parent, self._source.held_now(), self._source.identity.mode).path
        return self._old


def _second_name(path: Path, name: Path) -> Path | None:
    try:
        os.link(path, name)
    except OSError:
        # FAT and some network file systems have none: the open file and the backup have to do.
        return None
    return name


def _is_same(path: Path, source: FileSource) -> bool:
    now = identity_of(path.stat())
    return (now.inode, now.device) == (source.identity.inode, source.identity.device)
