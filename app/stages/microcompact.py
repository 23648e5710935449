"""Old results that can be had again become a short placeholder with a clue (seed 000, `microcompact`)."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar

from app.compactability.tools import tool_kind
from app.model import ToolUse, chars_of, text_of
from app.stages.base import ChangeKind, Context, Messages, Stage, StageResult, option
from app.stages.draft import Draft, ResultAt, results_of

TOOLS = ("Read", "Write", "Edit", "Bash", "Grep", "Glob", "mcp__*")


@dataclass(frozen=True, kw_only=True)
class Microcompact(Stage):
    """Clears all but the newest results of tools that can be run again, once the size is over a limit."""

    name: ClassVar[str] = "microcompact"
    title: ClassVar[str] = "micro"

    max_total_chars: int = option(
        80_000, "conversation size up to which nothing is cleared", unit="characters", minimum=0
    )
    keep_recent: int = option(
        4, "newest results that stay whole, whatever their tool", unit="results", minimum=0
    )
    min_chars: int = option(
        500, "longest result that is not worth a placeholder", unit="characters", minimum=0
    )
    tools: tuple[str, ...] = option(TOOLS, "tools whose results can be had again; * stands for any ending")
    aliases: str = option(
        "auto",
        "also know these tools by other agents' names; auto: in their sessions",
        choices=("auto", "on", "off"),
    )
    placeholder: str = option("[Old tool result content cleared]", "what a cleared result begins with")

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        estimator = context.estimator
        size = estimator.total(messages)
        draft = Draft(self, messages, context)
        if size <= self.max_total_chars:
            within = f"{size:,} {estimator.unit} are within the limit of {self.max_total_chars:,}"
            return draft.finish(idle=within, size_before=size)
        every = list(results_of(messages))
        for at in every[: len(every) - self.keep_recent] if self.keep_recent else every:
            if self._clearable(at, context):
                draft.set_text(
                    at,
                    self._placeholder_of(at),
                    ChangeKind.CLEARED,
                    f"{at.tool} can be run again; older than the newest {self.keep_recent} results",
                )
        return draft.finish(
            trace=(
                f"compact.micro replaced={draft.changed}",
                f"compact.run stage=micro estimated={size} overThreshold=true strategy=micro",
            ),
            idle="no old result of these tools is long enough to clear",
            size_before=size,
        )

    def _clearable(self, at: ResultAt, context: Context) -> bool:
        if at.call is None or not self._listed(at.call.name, context):
            return False
        if 2 * chars_of(at.result) <= self.min_chars:
            return False
        text = text_of(at.result)
        return context.estimator.length(text) > self.min_chars and not text.startswith(self.placeholder)

    def _listed(self, name: str, context: Context) -> bool:
        if any(fnmatchcase(name, pattern) for pattern in self.tools):
            return True
        if self.aliases == "off" or (self.aliases == "auto" and not context.foreign_tools):
            return False
        kinds = {tool_kind(tool) for tool in self.tools if "*" not in tool}
        return tool_kind(name) in kinds - {None}

    def _placeholder_of(self, at: ResultAt) -> str:
        words = [self.placeholder, f"tool={at.tool}"]
        if at.call is not None and (clue := path_clue(at.call)):
            words.append(clue)
        return " ".join(words)


def path_clue(call: ToolUse) -> str:
    """The call's `file_path`, else its `path`, when that is a text that is not empty."""
    try:
        arguments = call.input.value()
    except ValueError:
        return ""
    if not isinstance(arguments, dict):
        return ""
    for name in ("file_path", "path"):
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return value
    return ""
