"""Collects the block changes of one stage and applies them in a single pass.

The rules that hold for every stage are kept here, so that no stage can forget one: protected
blocks are left alone (and counted), a replacement that is not shorter is not made, and no change is
made once the target is met. The size is kept as a running sum: nothing is counted twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from app.display import counted
from app.model import (
    Block,
    Image,
    Message,
    Role,
    Text,
    ToolResult,
    ToolUse,
    chars_of,
    text_of,
    with_text,
)
from app.stages.base import Change, ChangeKind, Context, Messages, PlannedFile, StageResult
from app.tokens.base import Estimator


@dataclass(frozen=True, slots=True)
class ResultAt:
    """A tool_result with its place in the conversation and the call it answers."""

    message: int
    block: int
    result: ToolResult
    call: ToolUse | None

    @property
    def tool(self) -> str:
        """The tool's name; empty when no call of this id is there."""
        return self.call.name if self.call else ""


def results_of(messages: Messages) -> Iterator[ResultAt]:
    """Every tool_result that a client gave back, in order; provider-run tools are not among them.

    A call is looked up in the whole conversation and the last of equal ids counts, as in
    react-agent-mini.
    """
    calls = {
        block.id: block for message in messages for block in message.blocks if isinstance(block, ToolUse)
    }
    for i, message in enumerate(messages):
        if message.role not in (Role.USER, Role.TOOL):
            continue
        for j, block in enumerate(message.blocks):
            if isinstance(block, ToolResult) and not block.server:
                yield ResultAt(i, j, block, calls.get(block.tool_use_id))


class Rules(Protocol):
    """What a stage or a hand edit says of how its changes are to be made."""

    @property
    def protect(self) -> bool:
        """Whether protected blocks are left alone; pinned ones always are."""

    @property
    def only_if_smaller(self) -> bool:
        """Whether results are only replaced by shorter ones."""

    def target(self, context: Context) -> int:
        """Tokens at which no more changes are made; 0: no such stop."""


class Draft:
    """The changes that one stage or edit wants to make to one conversation."""

    def __init__(self, rules: Rules, messages: Messages, context: Context, *, sized: bool = True) -> None:
        """`sized` says whether anybody asks for sizes: to count a whole session takes long."""
        self.messages = messages
        self.context = context
        self.protection = context.protection if rules.protect else context.protection.only_pinned()
        self.protected = 0
        self.not_smaller = 0
        self.size_before = context.estimator.total(messages) if sized else 0
        self.size = self.size_before
        """In the pipeline's measure, with the changes so far."""
        self.target = rules.target(context)
        """Tokens at which no more changes are made; 0 where there is no such stop."""
        self._tokens = context.counts.total(messages) if self.target else 0
        self._only_if_smaller = rules.only_if_smaller
        self._new: dict[int, dict[int, Block | None]] = defaultdict(dict)
        self._changes: list[Change] = []
        self._files: list[PlannedFile] = []
        self._measured: tuple[Block | None, Block | None, int] = (None, None, 0)

    @property
    def changed(self) -> int:
        """Blocks that this draft changes."""
        return len(self._changes)

    @property
    def freed(self) -> int:
        """Tokens that the changes so far take out, as people are told sizes."""
        counts = self.context.counts
        return -sum(_growth(counts, c.before, c.after) for c in self._changes if c.before is not None)

    @property
    def is_met(self) -> bool:
        """Whether the conversation is as small as the stage was told to make it."""
        return self.target > 0 and self._tokens <= self.target

    def now(self, at: ResultAt) -> Block:
        """A result as the changes so far leave it."""
        return self._new.get(at.message, {}).get(at.block) or at.result

    def set_text(
        self, at: ResultAt, text: str, kind: ChangeKind, reason: str, file: PlannedFile | None = None
    ) -> bool:
        """Give a result another text unless a rule forbids it; says whether it was done.

        Pictures and unknown parts stay where a text is cut, saved or edited, and go where it is cleared.
        """
        new = with_text(at.result, text)
        if kind in (ChangeKind.CUT, ChangeKind.SAVED, ChangeKind.EDITED):
            new = _keeping_others(at.result, new)
        if chars_of(new) == chars_of(at.result) and text_of(new) == text_of(at.result):
            return False
        return self.put(at, new, kind, reason, file)

    def put(
        self,
        at: ResultAt,
        new: ToolResult,
        kind: ChangeKind,
        reason: str,
        file: PlannedFile | None = None,
    ) -> bool:
        """Put another result in a result's place unless a rule forbids it; says whether it was done."""
        old = at.result
        if self.protection.keeps_text(old.key):
            self.protected += 1
            return False
        if self._only_if_smaller and not self._is_shorter(new, old):
            self.not_smaller += 1
            return False
        self._replace(at.message, at.block, old, new)
        self._changes.append(Change(old.key, kind, reason, old, new))
        if file is not None:
            self._files.append(file)
        return True

    def change(self, message: int, block: int, new: Block, kind: ChangeKind, reason: str) -> bool:
        """Put another block in a block's place, however long, unless its words are protected."""
        old = self.messages[message].blocks[block]
        if self.protection.keeps_text(old.key):
            self.protected += 1
            return False
        self._replace(message, block, old, new)
        self._changes.append(Change(old.key, kind, reason, old, new))
        return True

    def drop(self, message: int, block: int, reason: str) -> bool:
        """Take a block out unless it is protected; says whether it was done.

        A message of which nothing is left goes too.
        """
        old = self.messages[message].blocks[block]
        if self.protection.keeps_place(old.key):
            self.protected += 1
            return False
        self._replace(message, block, old, None)
        self._changes.append(Change(old.key, ChangeKind.DROPPED, reason, old, None))
        return True

    def finish(self, *, trace: tuple[str, ...] = (), idle: str = "", note: str = "") -> StageResult:
        """The stage's result; `idle` says why nothing was done, when nothing was."""
        if not self._changes:
            return StageResult(
                self.messages,
                note=self._why_idle(idle),
                protected=self.protected,
                size_before=self.size_before,
            )
        return StageResult(
            tuple(self._changed_messages()),
            tuple(self._changes),
            trace=trace,
            files=tuple(self._files),
            note="; ".join(filter(None, (note, self._how_far()))),
            protected=self.protected,
            size_before=self.size_before,
        )

    def _replace(self, message: int, block: int, old: Block, new: Block | None) -> None:
        self._new[message][block] = new
        self.size += self._growth(old, new)
        if self.target:
            self._tokens += _growth(self.context.counts, old, new)

    def _growth(self, old: Block, new: Block | None) -> int:
        """What a change adds in the pipeline's measure; the newest pair is measured once."""
        before, after, growth = self._measured
        if before is not old or after is not new:
            growth = _growth(self.context.estimator, old, new)
            self._measured = (old, new, growth)
        return growth

    def _is_shorter(self, new: ToolResult, old: ToolResult) -> bool:
        """Whether it has fewer characters, and no more of what the pipeline measures.

        Somewhat fewer characters can be more tokens; a fourth of them is not.
        """
        if not self._has_less_text(new, old):
            return False
        is_near = 4 * chars_of(new) >= chars_of(old) and _carried(new) >= _carried(old)
        return not is_near or self._growth(old, new) <= 0

    def _has_less_text(self, new: ToolResult, old: ToolResult) -> bool:
        more = _carried(new) - _carried(old)
        # A text has at least as many units as code points and at most twice as many: few are read here.
        if 2 * chars_of(new) + more < chars_of(old):
            return True
        length = self.context.estimator.length
        return length(text_of(new)) + more < length(text_of(old))

    def _changed_messages(self) -> Iterator[Message]:
        for i, message in enumerate(self.messages):
            new = self._new.get(i)
            if new is None:
                yield message
                continue
            blocks = (new.get(j, block) for j, block in enumerate(message.blocks))
            left = tuple(block for block in blocks if block is not None)
            if left:
                yield replace(message, blocks=left)

    def _how_far(self) -> str:
        if not self.target:
            return ""
        met = "is met" if self.is_met else "is not met yet"
        return f"the target of {self.target:,} {met}: {self._tokens:,} {self.context.counts.unit}"

    def _why_idle(self, idle: str) -> str:
        if self.not_smaller:
            return f"no replacement would be shorter ({self.not_smaller} tried)"
        if self.protected:
            return f"all that could change is protected ({counted(self.protected, 'block')})"
        return idle


def _growth(measure: Estimator, old: Block, new: Block | None) -> int:
    return (0 if new is None else measure.block(new)) - measure.block(old)


def _carried(result: ToolResult) -> int:
    """What a result holds beside its texts, in characters: pictures as they are sent, unknown parts."""
    return sum(
        part.data.chars if isinstance(part, Image) else part.content.chars
        for part in result.parts
        if not isinstance(part, Text)
    )


def _keeping_others(result: ToolResult, new: ToolResult) -> ToolResult:
    """The new result with the pictures and unknown parts of the old one."""
    others = tuple(part for part in result.parts if not isinstance(part, Text))
    return replace(new, parts=new.parts + others) if others else new
