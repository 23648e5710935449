"""Results that something later made worthless become a placeholder that says what they were.

A placeholder tells what happened later, never where: that stays true whatever later stages do.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

from msgspec.structs import replace

from app.compactability import REF, Cause, Kind, tool_kind
from app.compactability.calls import FAILED_CLEARED
from app.model import Author, Held, Image, Part, Placeholder, Text, ToolResult
from app.stages.base import ChangeKind, Context, Messages, Stage, StageResult, option
from app.stages.draft import Draft, ResultAt
from app.stages.survey import Survey

_KINDS: Final[Mapping[str, Mapping[Cause, str]]] = {
    "superseded-read": {
        Cause.READ_AGAIN: "[Superseded read cleared] {path} was read again later",
        Cause.REPEATED: "[Superseded result cleared] the same call gave the same later",
        Cause.STALE_READ: "[Superseded read cleared] {path} was changed later",
    },
    "retried-failure": {Cause.RETRIED: f"{FAILED_CLEARED} a later try worked"},
    "write-echo": {Cause.WRITE_ECHO: "[Write result cleared] its call says what was written"},
    "old-image": {Cause.IMAGE: "[Old image cleared] it can be had again"},
    "long-listing": {Cause.LISTING: "[Old listing cleared] the same search can be run again"},
    "unchanged-file": {Cause.FILE: "[Unchanged file cleared] {path} can be read again"},
}
"""Kind -> cause of a verdict -> what such a result becomes; causes of least regret first."""

KINDS: Final = tuple(_KINDS)

_FILE: Final = Cause.FILE
_PATH: Final = "{path}"

_WITH_OTHER_CAUSES: Final = frozenset({Kind.GREP, Kind.GLOB, Kind.LIST, Kind.WRITE, Kind.EDIT, Kind.TODO})


@dataclass(frozen=True, kw_only=True)
class DropSuperseded(Stage):
    """Clears results of the chosen kinds, kind by kind in the order given, oldest first."""

    name: ClassVar[str] = "drop_superseded"
    title: ClassVar[str] = "superseded"

    kinds: tuple[str, ...] = option(
        KINDS[:3], "what is cleared, in this order: " + ", ".join(KINDS), choices=KINDS
    )
    keep_recent: int = option(4, "newest results to keep whole, of any kind", unit="results", minimum=0)
    min_chars: int = option(120, "results up to this length are left alone", unit="characters", minimum=0)

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        draft = Draft(self, messages, context)
        survey = context.survey(messages)
        for kind in dict.fromkeys(self.kinds):
            for cause, placeholder in _KINDS[kind].items():
                self._clear(draft, survey, cause, placeholder)
        return draft.finish(
            trace=(f"compact.run stage=superseded replaced={draft.changed} strategy=drop_superseded",),
            idle=self._idle(context),
        )

    def _clear(self, draft: Draft, survey: Survey, cause: Cause, placeholder: str) -> None:
        """Clear what is worthless by that cause, the oldest first, until the target is met."""
        names_path = _PATH in placeholder
        for at, told in self._older(survey, cause):
            if not self._is_worth_it(at, cause, draft.context):
                continue
            if draft.is_met:
                return
            left = _about(placeholder, _path(at, survey) if names_path else "")
            if at.has_picture and cause is Cause.IMAGE:
                draft.put(at, _without_pictures(at.result, left.text), ChangeKind.CUT, _reason(told))
            else:
                draft.clear(at, left, _reason(told))

    def _older(self, survey: Survey, cause: Cause) -> Iterable[tuple[ResultAt, str]]:
        """The results of that cause that stand before the newest ones, which stay, with the reasons."""
        results, reasons = survey.by_cause.get(cause, ((), ()))
        newest = survey.results[max(0, len(survey.results) - self.keep_recent) :][:1]
        end = bisect_left(results, newest[0]) if newest else len(results)
        return zip(results[:end], reasons, strict=False)

    def _is_worth_it(self, at: ResultAt, cause: Cause, context: Context) -> bool:
        if cause is _FILE and at.result.key not in context.unchanged:
            return False
        if at.has_picture:
            # Without its picture such a result would be of another kind, and go the next time.
            return cause is not Cause.IMAGE or tool_kind(at.tool) not in _WITH_OTHER_CAUSES
        return at.chars > self.min_chars

    def _idle(self, context: Context) -> str:
        if self.kinds == ("unchanged-file",) and not context.unchanged:
            return "the files on disk have not been compared"
        return f"no result is of these kinds: {', '.join(self.kinds)}"


@lru_cache(maxsize=1024)
def _about(placeholder: str, path: str) -> Placeholder:
    """The placeholder about a path; all results of which the same is said share it."""
    return Placeholder.of(placeholder.replace(_PATH, " ".join(path.splitlines()) or "its file"))


@lru_cache(maxsize=1024)
def _reason(reason: str) -> str:
    return reason.replace(REF, "a later message")


def _without_pictures(result: ToolResult, placeholder: str) -> ToolResult:
    """The result with the placeholder where its first picture was; its words stay."""
    first = next(part for part in result.parts if isinstance(part, Image))
    text = Text(f"{result.key}/text", Held(placeholder), Author.INJECTED, first.place)
    parts: Iterator[Part] = (
        text if part is first else part
        for part in result.parts
        if part is first or not isinstance(part, Image)
    )
    return replace(result, parts=tuple(parts))


def _path(at: ResultAt, survey: Survey) -> str:
    return (at.call.path or survey.clue(at.call)) if at.call else ""
