"""Replays the operations of one workspace in another as far as they still apply, and reports the rest.

Operations name blocks by key. In formats that key messages by position another block may have that key by
now, so each key is stored with a fingerprint of its block: kind, length and a hash of its beginning. A key
whose block has another fingerprint does not apply; nothing is guessed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from app.display import counted
from app.errors import BadPipeline
from app.model import Block, Message, Session, chars_of, preview_of
from app.work.history import Operation, OpKind, edit_of
from app.work.workspace import Workspace

_LOOK_BYTES = 6


class NotApplied(Struct, frozen=True):
    """An operation that was not replayed, or not with all of its blocks."""

    operation: Operation
    gone: int = 0
    """Number of its blocks that are missing or have changed."""
    reason: str = ""
    """Why nothing of it was done; empty if the rest was."""

    @property
    def words(self) -> str:
        """`drop 2 blocks`, or `1 block of: drop 2 blocks` if the others were done."""
        words = self.operation.words
        return words if self.reason else f"{counted(self.gone, 'block')} of: {words}"

    @property
    def told(self) -> str:
        """`words` with the reason."""
        if self.reason:
            return f"{self.words}: {self.reason}"
        are = "is" if self.gone == 1 else "are"
        return f"{self.operation.words}: {counted(self.gone, 'block')} {are} missing or changed"


def look_of(block: Block) -> str:
    """The fingerprint of a block: kind, code points, and a hash of its beginning."""
    begins = preview_of(block).encode("utf-8", "surrogatepass")
    return f"{block.kind} {chars_of(block)} {hashlib.blake2s(begins, digest_size=_LOOK_BYTES).hexdigest()}"


def looks_of(session: Session, keys: Iterable[str]) -> dict[str, str]:
    """The fingerprints of the keys that name a block of the session, or a message (its first block)."""
    wanted = set(keys)
    found = {}
    for message in session.messages if wanted else ():
        if message.key in wanted and message.blocks:
            found[message.key] = look_of(message.blocks[0])
        for block in message.blocks:
            if block.key in wanted:
                found[block.key] = look_of(block)
    return found


def replay(operations: Iterable[Operation], looks: Mapping[str, str], new: Workspace) -> Iterator[NotApplied]:
    """Replay operations; yields those that do not apply. A key without a fingerprint only has to exist."""
    again = Replay(new, looks)
    for operation in operations:
        if (misfit := again.do(operation)) is not None:
            yield misfit


class Replay:
    """Replays operations one by one in a workspace."""

    def __init__(self, workspace: Workspace, looks: Mapping[str, str]) -> None:
        self._workspace = workspace
        self._looks = looks

    def do(self, operation: Operation) -> NotApplied | None:
        """Do one as far as it applies; None if all of it was done."""
        kept = tuple(self._fitting(operation.keys))
        gone = len(operation.keys) - len(kept)
        if gone and not kept and operation.kind is not OpKind.UNCHANGED:
            rows = "the block is" if gone == 1 else f"all {gone:,} blocks are"
            return NotApplied(operation, gone, f"{rows} missing or changed")
        fitting = operation if not gone else replace(operation, keys=kept)
        try:
            reason = self._why_not(fitting)
            if reason is None:
                fitting = self._in_full(fitting)
        except BadPipeline as error:
            reason = str(error)
        if reason is not None:
            return NotApplied(operation, gone, reason)
        self._workspace.do(fitting)
        return NotApplied(operation, gone) if gone else None

    def _fitting(self, keys: Iterable[str]) -> Iterator[str]:
        made: set[str] | None = None
        for key in keys:
            if key in self._there:
                if self._looks.get(key) == self._now.get(key):
                    yield key
            else:
                # Blocks made by an earlier step exist only once that step was replayed.
                made = set(_keys(self._workspace.messages)) if made is None else made
                if key in made:
                    yield key

    @cached_property
    def _there(self) -> frozenset[str]:
        return frozenset(_keys(self._workspace.session.messages))

    @cached_property
    def _now(self) -> Mapping[str, str]:
        """The present fingerprints of the blocks whose old ones are known."""
        return looks_of(self._workspace.session, self._looks)

    def _why_not(self, operation: Operation) -> str | None:
        workspace = self._workspace
        match operation.kind:
            case OpKind.EDIT:
                result = workspace.try_edit(edit_of(operation)).result
                return None if result.changes else result.note or "it would change nothing"
            case OpKind.OPTIONS:
                workspace.pipeline.with_options({operation.step: dict(operation.options)})
            case OpKind.RUN | OpKind.SKIP:
                return self._why_not_stage(operation)
        return workspace.why_not(operation.kind, operation.step, operation.keys)

    def _in_full(self, operation: Operation) -> Operation:
        """The operation as the workspace itself would record it, however it was written."""
        workspace = self._workspace
        match operation.kind:
            case OpKind.RUN | OpKind.SKIP:
                return replace(operation, step=self._next_stage)
            case OpKind.OPTIONS:
                options = dict(operation.options)
                changed = workspace.pipeline.with_options({operation.step: options})
                stage = next(planned.stage for planned in changed.steps if planned.name == operation.step)
                return replace(operation, options=tuple((name, getattr(stage, name)) for name in options))
        return operation

    @property
    def _next_stage(self) -> str:
        workspace = self._workspace
        return workspace.pipeline.steps[len(workspace.state.taken)].name

    def _why_not_stage(self, operation: Operation) -> str | None:
        workspace = self._workspace
        if reason := workspace.why_not(operation.kind):
            return reason
        if operation.step in ("", self._next_stage):
            return None
        return f"the next stage of {workspace.pipeline.name} is {self._next_stage}"


def _keys(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        yield message.key
        yield from (block.key for block in message.blocks)
