"""Collects the block changes of one stage and applies them in a single pass.

The rules that hold for every stage are kept here, so that no stage can forget one: protected
blocks are left alone (and counted), a replacement that is not shorter is not made, and no change is
made once the target is met. What is not changed costs nothing, and sizes are measured only where
somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from msgspec.structs import replace

from app.display import counted
from app.model import Block, Placeholder, Text, ToolResult, text_of, with_text
from app.stages.base import Change, ChangeKind, Context, Messages, PlannedFile, StageResult
from app.stages.survey import ResultAt as ResultAt
from app.stages.survey import extent
from app.tokens.base import Estimator

_CLEARED: Final = ChangeKind.CLEARED
_KEEPS_OTHERS: Final = frozenset({ChangeKind.CUT, ChangeKind.SAVED, ChangeKind.EDITED})


class Rules(Protocol):
    """The options of a stage or hand edit that govern its changes."""

    @property
    def protect(self) -> bool:
        """Whether protected blocks are left alone; pinned ones always are."""

    @property
    def only_if_smaller(self) -> bool:
        """Whether results are only replaced by shorter ones."""

    def target(self, context: Context) -> int:
        """Size in tokens at which no more changes are made; 0: no target."""


class Draft:
    """The changes that one stage or edit wants to make to one conversation."""

    def __init__(self, rules: Rules, messages: Messages, context: Context, *, sized: bool = True) -> None:
        """`sized` says whether sizes are needed: counting a whole session is slow."""
        self.messages = messages
        self.context = context
        self.protection = context.protection if rules.protect else context.protection.only_pinned()
        self._kept_words = self.protection.text
        self.protected = 0
        self.not_smaller = 0
        survey = context.survey(messages)
        self.size_before = survey.total(context.estimator) if sized else 0
        self.target = rules.target(context)
        """Size in tokens at which no more changes are made; 0 if there is no target."""
        self._only_if_smaller = rules.only_if_smaller
        self._changes: list[Change] = []
        self._messages: list[int] = []
        """The message of each change,"""
        self._blocks: list[int] = []
        """and the block in it."""
        self._files: list[PlannedFile] = []
        self._size = _Size(context.estimator, self.size_before)
        self._tokens = self._size
        if self.target and not (sized and context.counts is context.estimator):
            self._tokens = _Size(context.counts, survey.total(context.counts))

    @property
    def changed(self) -> int:
        """Blocks that this draft changes."""
        return len(self._changes)

    @property
    def size(self) -> int:
        """Size with the changes so far, in the unit of the pipeline's estimator."""
        return self._size.after(self._changes)

    @property
    def freed(self) -> int:
        """Size removed by the changes so far, by the estimator for people."""
        counts = self.context.counts
        return -sum(_growth(counts, c.before, c.after) for c in self._changes if c.before is not None)

    @property
    def is_met(self) -> bool:
        """Whether the stage's target size is reached."""
        return self.target > 0 and self._tokens.after(self._changes) <= self.target

    @property
    def newest(self) -> Block | None:
        """The new block of the newest change; None if that dropped a block, or there is none yet."""
        return self._changes[-1].after if self._changes else None

    def set_text(
        self, at: ResultAt, text: str, kind: ChangeKind, reason: str, file: PlannedFile | None = None
    ) -> bool:
        """Replace a result's text unless a rule forbids it; returns whether it was done.

        Images and unknown parts stay if the text is cut, saved or edited, and are dropped otherwise.
        """
        if len(text) == at.chars and text == text_of(at.result):
            return False
        new, carried = with_text(at.result, text), 0
        if kind in _KEEPS_OTHERS:
            new, carried = _keeping_others(at.result, new), at.carried
        return self._put(at, new, len(text), carried, kind, reason, file)

    def clear(self, at: ResultAt, placeholder: Placeholder, reason: str) -> bool:
        """Replace a result by a placeholder unless a rule forbids it; returns whether it was done.

        Called for whole sessions, so the checks that need only lengths come first.
        """
        old, chars = at.result, len(placeholder.text)
        if chars == at.chars and placeholder.text == text_of(old):
            return False
        if old.key in self._kept_words:
            self.protected += 1
            return False
        new = replace(old, parts=placeholder.parts)
        if self._only_if_smaller and 4 * chars >= at.chars and not self._is_shorter(new, chars, 0, at):
            self.not_smaller += 1
            return False
        self._note(at.message, at.block, Change(old.key, _CLEARED, reason, old, new))
        return True

    def put(
        self,
        at: ResultAt,
        new: ToolResult,
        kind: ChangeKind,
        reason: str,
        file: PlannedFile | None = None,
    ) -> bool:
        """Replace a result unless a rule forbids it; returns whether it was done."""
        chars, carried, *_ = extent(new)
        return self._put(at, new, chars, carried, kind, reason, file)

    def _put(
        self,
        at: ResultAt,
        new: ToolResult,
        chars: int,
        carried: int,
        kind: ChangeKind,
        reason: str,
        file: PlannedFile | None,
    ) -> bool:
        """`chars` and `carried` are those of the new one, as in `ResultAt`."""
        old = at.result
        if self.protection.keeps_text(old.key):
            self.protected += 1
            return False
        if self._only_if_smaller and not self._is_shorter(new, chars, carried, at):
            self.not_smaller += 1
            return False
        self._note(at.message, at.block, Change(old.key, kind, reason, old, new))
        if file is not None:
            self._files.append(file)
        return True

    def change(self, message: int, block: int, new: Block, kind: ChangeKind, reason: str) -> bool:
        """Replace a block by another of any length, unless its text is protected."""
        old = self.messages[message].blocks[block]
        if self.protection.keeps_text(old.key):
            self.protected += 1
            return False
        self._note(message, block, Change(old.key, kind, reason, old, new))
        return True

    def drop(self, message: int, block: int, reason: str) -> bool:
        """Drop a block unless it is protected; returns whether it was done.

        A message with no blocks left is dropped too.
        """
        old = self.messages[message].blocks[block]
        if self.protection.keeps_place(old.key):
            self.protected += 1
            return False
        self._note(message, block, Change(old.key, ChangeKind.DROPPED, reason, old, None))
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
            self._changed_messages(),
            tuple(self._changes),
            trace=trace,
            files=tuple(self._files),
            note="; ".join(filter(None, (note, self._how_far()))),
            protected=self.protected,
            size_before=self.size_before,
        )

    def _note(self, message: int, block: int, change: Change) -> None:
        self._messages.append(message)
        self._blocks.append(block)
        self._changes.append(change)

    def _is_shorter(self, new: ToolResult, chars: int, carried: int, at: ResultAt) -> bool:
        """Whether it has fewer characters, and no more of what the pipeline measures.

        Somewhat fewer characters can be more tokens; a fourth of them is not.
        """
        more = carried - at.carried
        # A text has at least as many units as code points and at most twice as many: few are read here.
        if 2 * chars + more >= at.chars and not self._has_less_text(new, at.result, more):
            return False
        is_near = 4 * chars >= at.chars and more >= 0
        size = self.context.estimator.block
        return not is_near or size(new) <= size(at.result)

    def _has_less_text(self, new: ToolResult, old: ToolResult, more: int) -> bool:
        length = self.context.estimator.length
        return length(text_of(new)) + more < length(text_of(old))

    def _changed_messages(self) -> Messages:
        touched: dict[int, list[Block | None]] = {}
        messages = list(self.messages)
        # The newest change of a block comes last.
        for i, j, change in zip(self._messages, self._blocks, self._changes, strict=True):
            message = messages[i]
            if change.after is not None and len(message.blocks) == 1:  # as most with a result have
                messages[i] = replace(message, blocks=(change.after,))
                continue
            blocks = touched.get(i)
            if blocks is None:
                blocks = touched[i] = [*message.blocks]
            blocks[j] = change.after
        emptied = False
        for i, blocks in touched.items():
            left = tuple([block for block in blocks if block is not None])
            messages[i] = replace(messages[i], blocks=left)
            emptied = emptied or not left
        if not emptied:
            return tuple(messages)
        return tuple([m for i, m in enumerate(messages) if m.blocks or i not in touched])

    def _how_far(self) -> str:
        if not self.target:
            return ""
        met = "is met" if self.is_met else "is not met yet"
        tokens = self._tokens.after(self._changes)
        return f"the target of {self.target:,} {met}: {tokens:,} {self.context.counts.unit}"

    def _why_idle(self, idle: str) -> str:
        if self.not_smaller:
            return f"no replacement would be shorter ({self.not_smaller} tried)"
        if self.protected:
            return f"all that could change is protected ({counted(self.protected, 'block')})"
        return idle


class _Size:
    """The size of a conversation with the changes so far, measured lazily."""

    def __init__(self, measure: Estimator, before: int) -> None:
        self._measure = measure
        self._size = before
        self._measured = 0

    def after(self, changes: Sequence[Change]) -> int:
        """The size after these changes, which must extend those of the previous call."""
        while self._measured < len(changes):
            change = changes[self._measured]
            self._size += _growth(self._measure, change.before, change.after)
            self._measured += 1
        return self._size


def _growth(measure: Estimator, old: Block | None, new: Block | None) -> int:
    return (0 if new is None else measure.block(new)) - (0 if old is None else measure.block(old))


def _keeping_others(result: ToolResult, new: ToolResult) -> ToolResult:
    """The new result with the images and unknown parts of the old one."""
    others = tuple(part for part in result.parts if not isinstance(part, Text))
    return replace(new, parts=new.parts + others) if others else new
