"""A session whose file went on while it was open: noticing it, and reading it again with the steps kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from app.display import counted
from app.errors import InputError
from app.formats import detect, open_source
from app.formats.source import FileSource, Source, identity_of
from app.history import Deed, Operation, edit_of
from app.model import Block, Message, Session, blocks_of, chars_of, preview_of
from app.opening import Opened
from app.workspace import Workspace


class Since(StrEnum):
    """What became of a file since it was opened."""

    GREW = "grew"
    """More was appended, as agents do."""
    CHANGED = "changed"
    """It was replaced or rewritten."""
    GONE = "gone"


def changed_since(source: Source) -> Since | None:
    """What became of a source's file, by one stat; None when it is as it was, or is no file."""
    if not isinstance(source, FileSource):
        return None
    try:
        now = identity_of(source.path.stat())
    except OSError:
        return Since.GONE
    then = source.identity
    if (now.size, now.mtime_ns, now.inode, now.device) == (then.size, then.mtime_ns, then.inode, then.device):
        return None
    same_file = (now.device, now.inode) == (then.device, then.inode)
    return Since.GREW if same_file and now.size > then.size and source.is_whole() else Since.CHANGED


@dataclass(frozen=True, slots=True)
class Reopened:
    """A session that was read again."""

    opened: Opened
    more: int
    """Messages that came to the live segment; fewer than before is below 0."""
    lost: tuple[str, ...]
    """What could not be done again, in words."""

    @property
    def told(self) -> str:
        """What came of it, in one line."""
        came = f"{counted(self.more, 'message')} more" if self.more >= 0 else f"{-self.more} messages fewer"
        return f"{came}; not done again: {', '.join(self.lost)}" if self.lost else came


def reopen(opened: Opened) -> Reopened:
    """Read the file of an open session again, and do again what was done to it as far as it still fits.

    Raises InputError when the file cannot be read as a session any more; nothing is lost then.
    """
    old = opened.workspace
    if not isinstance(opened.source, FileSource):
        raise InputError("a session from standard input cannot be read again")
    source = open_source(opened.source.name)
    kind = detect(source)
    lost = []
    try:
        session = kind.read(source, opened.leaf)
    except InputError:
        if opened.leaf is None:
            raise
        session = kind.read(source)
        lost.append("the chosen branch is gone")
    new = Workspace(
        session,
        old.pipeline,
        exact=old.estimator.exact,
        new_id=old.new_id,
        root=old.root,
    )
    lost += replay(old, new)
    more = len(session.live) - len(old.session.live)
    return Reopened(replace(opened, workspace=new, source=source), more, tuple(lost))


def replay(old: Workspace, new: Workspace) -> Iterator[str]:
    """Do in one workspace what was done in another; yields what does not fit, in words.

    A key fits when its block is still the same: in a format that knows its messages by their place in
    the file, another block may stand there now.
    """
    stays = _same(old.session, new.session)
    for operation in old.history.done:
        made = {key for message in new.messages for key in _keys(message)} - _all_keys(new.session)
        kept = tuple(key for key in operation.keys if key in stays or key in made)
        if operation.keys and not kept and operation.deed is not Deed.UNCHANGED:
            yield operation.words
            continue
        if gone := len(operation.keys) - len(kept):
            yield f"{counted(gone, 'block')} of: {operation.words}"
        operation = replace(operation, keys=kept)
        if _fits(new, operation):
            new.do(operation)
        else:
            yield operation.words


def _fits(workspace: Workspace, operation: Operation) -> bool:
    if operation.deed is Deed.EDIT:
        return bool(workspace.try_edit(edit_of(operation)).changes)
    return workspace.why_not(operation.deed, operation.step, operation.keys) is None


def _same(old: Session, new: Session) -> set[str]:
    """Keys of the blocks that are the same in both, and of the messages that hold such a block."""
    before = {block.key: block for _, block in blocks_of(old.messages)}
    stays = set()
    for message, block in blocks_of(new.messages):
        other = before.get(block.key)
        if other is not None and _looks(block) == _looks(other):
            stays |= {block.key, message.key}
    return stays


def _looks(block: Block) -> tuple[str, int, str]:
    return block.kind, chars_of(block), preview_of(block)


def _all_keys(session: Session) -> set[str]:
    return {key for message in session.messages for key in _keys(message)}


def _keys(message: Message) -> Iterable[str]:
    return (message.key, *(block.key for block in message.blocks))
