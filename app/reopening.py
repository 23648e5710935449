"""Noticing that an open session's file has changed, and reloading it with the steps replayed."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from app.display import counted
from app.errors import HandcompactError, InputError
from app.export.manifests import is_as_written
from app.formats import detect, open_source
from app.formats.source import FileSource, Source, identity_of
from app.opening import Opened
from app.work.replaying import looks_of, replay
from app.work.workspace import Workspace


class SinceOpened(StrEnum):
    """What happened to a file since it was opened."""

    GREW = "grew"
    """More was appended, as agents do."""
    CHANGED = "changed"
    """It was replaced or rewritten."""
    REPLACED = "replaced"
    """An export in place replaced it, and it holds what the export wrote."""
    GONE = "gone"


def changed_since(source: Source) -> SinceOpened | None:
    """What happened to a source's file, by one stat; None if it is unchanged or the source is not a file."""
    if not isinstance(source, FileSource):
        return None
    try:
        now = identity_of(source.path.stat())
    except OSError:
        return SinceOpened.GONE
    then = source.identity
    if (now.size, now.mtime_ns, now.inode, now.device) == (then.size, then.mtime_ns, then.inode, then.device):
        return None
    same_file = (now.device, now.inode) == (then.device, then.inode)
    return (
        SinceOpened.GREW if same_file and now.size > then.size and source.is_whole() else SinceOpened.CHANGED
    )


def is_own_work(source: FileSource) -> bool:
    """Whether an export replaced a source's file and it is still as written; reads the whole file."""
    try:
        with FileSource(source.path) as there:
            return is_as_written(there)
    except (OSError, HandcompactError):
        return False  # only a check: the reload reports the error


class Reopened(Struct, frozen=True):
    """A reloaded session."""

    opened: Opened
    more: int
    """Messages added to the live segment; negative if there are fewer now."""
    lost: tuple[str, ...]
    """What could not be replayed, as messages for the person."""

    @property
    def told(self) -> str:
        """The outcome in one line."""
        if self.more:
            came = f"{counted(abs(self.more), 'message')} {'more' if self.more > 0 else 'fewer'}"
        else:
            came = "reloaded: no new messages"
        return f"{came}; not reapplied: {', '.join(self.lost)}" if self.lost else came


def reopen(opened: Opened, watch: Callable[[Source], None] = lambda _: None) -> Reopened:
    """Reload the file of an open session and replay its steps as far as they still fit.

    `watch` gets the source before it is read; its `reached` is the progress.
    Raises InputError if the file can no longer be read as a session; the open one is then unchanged.
    """
    old = opened.workspace
    if not isinstance(opened.source, FileSource):
        raise InputError("a session from standard input cannot be reloaded")
    source = open_source(opened.source.name)
    watch(source)
    source.marks = opened.source.marks
    kind = detect(source)
    lost = []
    try:
        session = kind.read(source, opened.leaf)
    except InputError:
        if opened.leaf is None:
            raise
        session = kind.read(source)
        lost.append("the chosen branch is gone")
    source.reached = source.size
    new = Workspace(
        session,
        old.pipeline,
        exact=old.estimator.exact,
        new_id=old.new_id,
        root=old.root,
        index=old.index,
    )
    keys = (key for operation in old.history.done for key in operation.keys)
    lost += [misfit.words for misfit in replay(old.history.done, looks_of(old.session, keys), new)]
    more = len(session.live) - len(old.session.live)
    return Reopened(replace(opened, workspace=new, source=source), more, tuple(lost))
