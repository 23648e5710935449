"""Collects the block changes of one stage and applies them in a single pass.

The rules that hold for every stage are kept here, so that no stage can forget one: protected
blocks are left alone (and counted), and a replacement that is not shorter is not made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.model import Block, Role, ToolResult, ToolUse, text_of, with_text
from app.stages.base import Change, ChangeKind, Context, Messages, PlannedFile, Stage, StageResult


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


class Draft:
    """The changes that one stage wants to make to one conversation."""

    def __init__(self, stage: Stage, messages: Messages, context: Context) -> None:
        self.messages = messages
        self.context = context
        self.protection = context.protection if stage.protect else context.protection.only_pinned()
        self.protected = 0
        self.not_smaller = 0
        self.files: list[PlannedFile] = []
        self._only_if_smaller = stage.only_if_smaller
        self._new: dict[tuple[int, int], Block] = {}
        self._changes: list[Change] = []

    @property
    def changed(self) -> int:
        """Blocks that this draft changes."""
        return len(self._changes)

    def set_text(
        self, at: ResultAt, text: str, kind: ChangeKind, reason: str, file: PlannedFile | None = None
    ) -> bool:
        """Give a result another text unless a rule forbids it; says whether it was done."""
        result = at.result
        if self.protection.keeps_text(result.key):
            self.protected += 1
            return False
        old = text_of(result)
        if text == old:
            return False
        length = self.context.estimator.length
        if self._only_if_smaller and length(text) >= length(old):
            self.not_smaller += 1
            return False
        new = _keeping_pictures(result, text) if kind is ChangeKind.CUT else with_text(result, text)
        self._new[at.message, at.block] = new
        self._changes.append(Change(result.key, kind, reason, result, new))
        if file is not None:
            self.files.append(file)
        return True

    def finish(self, *, trace: tuple[str, ...] = (), idle: str = "", size_before: int = 0) -> StageResult:
        """The stage's result; `idle` says why nothing was done, when nothing was."""
        if not self._changes:
            return StageResult(
                self.messages, note=self._why_idle(idle), protected=self.protected, size_before=size_before
            )
        touched = {i for i, _ in self._new}
        messages = tuple(
            replace(
                message,
                blocks=tuple(self._new.get((i, j), block) for j, block in enumerate(message.blocks)),
            )
            if i in touched
            else message
            for i, message in enumerate(self.messages)
        )
        return StageResult(
            messages,
            tuple(self._changes),
            trace=trace,
            files=tuple(self.files),
            protected=self.protected,
            size_before=size_before,
        )

    def _why_idle(self, idle: str) -> str:
        if self.not_smaller:
            return f"{self.not_smaller} replacements would not be shorter, so none was made"
        if self.protected:
            return f"all {self.protected} candidates are protected"
        return idle


def _keeping_pictures(result: ToolResult, text: str) -> ToolResult:
    """The result with `text` in place of its texts; its pictures and unknown parts stay."""
    cut = with_text(result, text)
    others = tuple(part for part in result.parts if part.kind != "text")
    return replace(cut, parts=cut.parts + others) if others else cut
