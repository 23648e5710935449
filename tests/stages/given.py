"""What tests of single stages share: running one on a small conversation."""

from __future__ import annotations

from typing import Any

from app.model import ToolResult, ToolUse, blocks_of, text_of
from app.stages import stage_named
from app.stages.base import Context, Messages, StageResult, run_stage
from app.stages.protection import protected
from app.tokens import estimator

CHARS = estimator("chars")


def context(messages: Messages = (), **more: Any) -> Context:
    """A context for `messages`, measured in code points, with their protection and their tools."""
    names = frozenset(block.name for _, block in blocks_of(messages) if isinstance(block, ToolUse))
    fields = {"protection": protected(messages), "root": "/saved", "tool_names": names, **more}
    return Context(fields.pop("estimator", CHARS), **fields)


def run(stage: str, messages: Messages, options: dict[str, Any] | None = None, **more: Any) -> StageResult:
    """The stage with these options run on the messages; `more` goes into the context."""
    return run_stage(stage_named(stage).build(options or {}), messages, context(messages, **more))


def results(messages: Messages) -> dict[str, str]:
    """The text of each result, by its id."""
    return {
        block.tool_use_id: text_of(block) for _, block in blocks_of(messages) if isinstance(block, ToolResult)
    }
