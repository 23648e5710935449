"""Old results that can be had again become a short placeholder with a clue.

Seed of the rule: react-agent-mini clears when the size is over a limit, MiniCode when an hour has
passed, learn-claude-code always, Anthropic's clear_tool_uses_20250919 when the prompt has grown to a
number of tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import ClassVar, Final

from app.compactability.placeholders import Form, saved_path
from app.model import Placeholder, ToolResult, preview_of, text_of
from app.stages.base import Context, Messages, Stage, StageResult, option
from app.stages.draft import Draft, ResultAt
from app.stages.saving import Saver, check_folders, folder_option, root_option, saved_at
from app.stages.survey import Survey
from app.stages.tool_list import aliases_option, is_listed

# Looked up once: there are as many results as there are calls.
_GONE: Final = (Form.CLEARED, Form.STUB)
_SAVED: Final = Form.SAVED

TOOLS = ("Read", "Write", "Edit", "Bash", "Grep", "Glob", "mcp__*")


@dataclass(frozen=True, kw_only=True)
class Microcompact(Stage):
    """Clears all but the newest results of tools that can be run again, once its trigger is met."""

    name: ClassVar[str] = "microcompact"
    title: ClassVar[str] = "micro"
    local: ClassVar[tuple[str, ...]] = ("root",)
    spoken: ClassVar[tuple[str, ...]] = ("placeholder",)

    when: str = option(
        "over-threshold",
        "run always, only over max_total_chars, only over trigger_tokens, or only after interval_seconds",
        choices=("always", "over-threshold", "over-tokens", "interval"),
    )
    max_total_chars: int = option(
        80_000, "over-threshold: run only above this size", unit="characters", minimum=0
    )
    trigger_tokens: int = option(
        100_000,
        "over-tokens: run only if the next prompt, as recorded, is above this size",
        unit="tokens",
        minimum=0,
    )
    interval_seconds: float = option(
        3600.0, "interval: minimum time since the last run", unit="seconds", minimum=0
    )
    last_run: float | None = option(
        None, "interval: time of the last run (Unix time); none: start of the live segment", minimum=0
    )
    now: float | None = option(
        None, "interval: the current time (Unix time); none: the session's newest time", minimum=0
    )
    keep_recent: int = option(4, "newest results to keep whole, of any tool", unit="results", minimum=0)
    min_chars: int = option(
        500,
        "results up to this length are left alone; 0: none is too short",
        unit="characters",
        minimum=0,
    )
    tools: tuple[str, ...] = option(
        TOOLS, "tools whose results can be regenerated; * matches any ending, alone every tool"
    )
    exclude_tools: tuple[str, ...] = option((), "tools whose results are never cleared (exact names)")
    aliases: str = aliases_option()
    placeholder: str = option(
        "[Old tool result content cleared] tool={tool} {path}",
        "placeholder for a cleared result; {tool} and {path} come from its call",
    )
    skip_unseen: bool = option(False, "neither count nor clear results that the model has not answered yet")
    skip_compacted: bool = option(False, "neither count nor clear results already cleared or saved")
    save_before_clear: bool = option(
        False, "save each result to a file first; its placeholder names the file"
    )
    target_chars: int = option(
        0, "stop as soon as the conversation is this small; 0: never", unit="characters", minimum=0
    )
    clear_at_least: int = option(
        0,
        "do nothing unless at least this much is freed, since clearing breaks the cached prefix",
        unit="tokens",
        minimum=0,
    )
    folder: str = folder_option()
    root: str = root_option()

    def __post_init__(self) -> None:
        check_folders(self.name, self.folder, self.root)

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        draft = Draft(self, messages, context)
        wait = self._not_due(draft)
        if wait:
            return draft.finish(idle=wait)
        survey = context.survey(messages)
        every = self._counted(survey)
        older = every[: max(0, len(every) - self.keep_recent)]
        needed = set(_named_by_stubs(survey, every, len(older)))
        again = lru_cache(partial(self._can_be_had_again, context=context))
        saver = Saver(draft, self.folder, self.root)
        newest, unseen = _last_reply(survey), 0
        for at in self._long(older, context) if self.min_chars else older:
            form = survey.form(at.result)
            if form in _GONE or at.result.key in needed or not again(at.tool) or self._is_own(at.result):
                continue
            if draft.is_met or self._is_small(draft):
                break
            unseen += self._clear(at, form, draft, saver, survey) and at.message > newest
        if little := self._too_little(draft):
            return StageResult(
                messages, note=little, protected=draft.protected, size_before=draft.size_before
            )
        note = f"{unseen} of them the model has not answered yet" if unseen else ""
        return draft.finish(trace=self._trace(draft), idle=self._idle(older), note=note)

    @cached_property
    def _begins(self) -> str:
        """How each placeholder begins, whatever its call names."""
        return self.placeholder.split("{", 1)[0]

    @cached_property
    def _names_paths(self) -> bool:
        return "{path}" in self.placeholder

    def _is_small(self, draft: Draft) -> bool:
        if not self.target_chars and draft.size_before:
            # It takes measuring to know, and only a conversation of nothing is as small as that.
            return False
        return draft.size <= self.target_chars

    def _not_due(self, draft: Draft) -> str | None:
        """Why this is not the time to clear; None when it is."""
        unit, size = draft.context.estimator.unit, draft.size_before
        if self.when == "over-threshold" and size <= self.max_total_chars:
            return f"{size:,} {unit} are within the limit of {self.max_total_chars:,}"
        if self.when == "over-tokens":
            prompt = draft.context.survey(draft.messages).readings(draft.context.counts)[-1]
            if (prompt.tokens or 0) <= self.trigger_tokens:
                return f"the next prompt of {prompt.tokens or 0:,} tokens is within {self.trigger_tokens:,}"
        if self.when == "interval":
            elapsed = self._elapsed(draft)
            if elapsed is None:
                return "the session has no timestamps, so the time since the last run is unknown"
            if elapsed < self.interval_seconds:
                return f"{elapsed:,.0f} s have passed since the last run, not {self.interval_seconds:,.0f}"
        return None

    def _too_little(self, draft: Draft) -> str:
        """Why what could be cleared is not worth it; empty when it is."""
        least, unit = self.clear_at_least, draft.context.counts.unit
        if not draft.changed or not least or (freed := draft.freed) >= least:
            return ""
        return f"it would free {freed:,} {unit}, less than the minimum of {least:,}"

    def _elapsed(self, draft: Draft) -> float | None:
        first = next((m.time for m in draft.messages if m.time is not None), None)
        now = draft.context.now if self.now is None else self.now
        last = first if self.last_run is None else self.last_run
        return None if now is None or last is None else now - last

    def _counted(self, survey: Survey) -> Sequence[ResultAt]:
        """The results among which the newest stay."""
        found: Sequence[ResultAt] = survey.results
        if self.skip_unseen:
            newest = _last_reply(survey)
            found = [at for at in found if at.message < newest]
        if self.skip_compacted:
            found = [at for at in found if not survey.form(at.result)]
        return found

    def _can_be_had_again(self, tool: str, context: Context) -> bool:
        return tool not in self.exclude_tools and is_listed(tool, self.tools, self.aliases, context)

    def _is_own(self, result: ToolResult) -> bool:
        """Whether a result begins as this stage's placeholders do, whatever their form."""
        begins = self._begins
        return bool(begins) and preview_of(result).startswith(begins)

    def _long(self, results: Sequence[ResultAt], context: Context) -> Iterator[ResultAt]:
        """Those of more than `min_chars`, in the characters of the pipeline's measure."""
        least, length = self.min_chars, context.estimator.length
        for at in results:
            # A text has at least as many of them as code points, at most twice as many, of ASCII the same.
            if at.chars > least or (
                2 * at.chars > least and not at.is_ascii and length(text_of(at.result)) > least
            ):
                yield at

    def _clear(self, at: ResultAt, form: Form | None, draft: Draft, saver: Saver, survey: Survey) -> bool:
        reason = f"older than the newest {self.keep_recent} results"
        if self.save_before_clear:
            return saver.clear(at, reason)
        if form is _SAVED:
            path = saved_path(text_of(at.result))
            return path is not None and draft.clear(at, Placeholder.of(saved_at(path)), reason)
        clue = survey.clue(at.call) if self._names_paths else ""
        return draft.clear(at, _filled(self.placeholder, at.tool, clue), reason)

    def _idle(self, older: Sequence[ResultAt]) -> str:
        if not older:
            return f"there are no more than {self.keep_recent} results, all kept"
        return "no older result of these tools is long enough to clear"

    def _trace(self, draft: Draft) -> tuple[str, ...]:
        reason = {
            "over-threshold": f"estimated={draft.size_before} overThreshold=true ",
            "over-tokens": f"trigger={self.trigger_tokens} ",
            "interval": f"elapsed={self._elapsed(draft) or 0:.0f} ",
        }.get(self.when, "")
        return (f"compact.micro replaced={draft.changed}", f"compact.run stage=micro {reason}strategy=micro")


@lru_cache(maxsize=1024)
def _filled(placeholder: str, tool: str, path: str) -> Placeholder:
    """The placeholder about a call; all results of which the same is said share it."""
    one_line = " ".join(path.splitlines())
    return Placeholder.of(placeholder.replace("{tool}", tool).replace("{path}", one_line).rstrip())


def _last_reply(survey: Survey) -> int:
    """Index of the newest assistant message; -1 where there is none."""
    return survey.replies[-1] if survey.replies else -1


def _named_by_stubs(survey: Survey, every: Sequence[ResultAt], older: int) -> Iterator[str]:
    """Keys of old results that a newer one, which stays, refers to instead of holding the text itself."""
    if not any(survey.form(at.result) is Form.STUB for at in every[older:]):
        return
    whole: dict[str, str] = {}
    for number, at in enumerate(every):
        path, form = survey.clue(at.call), survey.form(at.result)
        if form is None and path:
            whole[path] = at.result.key
        elif form is Form.STUB and number >= older and path in whole:
            yield whole[path]
