"""Shared by the stages that write summaries: trying the sources in order, and the checks of each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

from msgspec.structs import replace

from app.model import Author, Boundary, Text
from app.stages.active_context import view_start
from app.stages.base import Context, Messages, PlannedFile, Stage, StageResult, option
from app.stages.clock import clock
from app.stages.cut_points import (
    BLOCKS,
    counts_option,
    tail_of,
    tail_within,
    weigh,
    weight,
    whole_pairs_before,
)
from app.stages.replace_before import Cut, cut_at, replaced
from app.summarizers import SOURCES, Job, Summarizer, Tail, summarizer_named
from app.summarizers.transcript import as_json_lines

TRANSCRIPTS: Final = ".transcripts"
"""Folder of saved transcripts, below the root."""


@dataclass(frozen=True, kw_only=True)
class Summarizing(Stage):
    """Base of the stages that write a summary: the options that say from what and with which tail."""

    local: ClassVar[tuple[str, ...]] = ("heading", "request")
    """Options whose text would be sent in the person's name."""

    source: tuple[str, ...] = option(
        ("memory", "structured"), "sources of the summary; the first that has one is used", choices=SOURCES
    )
    counts: str = counts_option()
    min_messages: int = option(5, "leave this many messages or fewer alone", minimum=0)
    keep_messages: int = option(5, "newest messages to keep; 0: none", unit="messages", minimum=0)
    keep_one_in: int = option(
        3, "structured: with at most this many messages, keep one in the tail", unit="messages", minimum=1
    )
    max_tail_tokens: int = option(
        40_000, "memory: keep the newest messages up to this size", unit="tokens", minimum=0
    )
    min_memory_saving: float = option(
        0.05,
        "memory: share of the conversation it must save, or the next source is tried",
        minimum=0,
        maximum=1,
    )
    keep_first_user: bool = option(False, "keep the user's first request, after the summary")
    summary_input_chars: int = option(
        80_000,
        "model: characters given to it at most, a quarter from the head and the rest from the tail",
        unit="characters",
        minimum=1,
    )
    summary_input_only_end: bool = option(False, "model: give it only the end of a longer conversation")
    min_progress: float = option(
        0.0, "share of the messages that must be removed, or nothing is done", minimum=0, maximum=1
    )
    heading: str = option("[Compacted]\n\n", "model, hand: how the message begins")
    with_request: bool = option(
        False,
        "model, hand: add the user's request and the path of the transcript, whatever their length",
    )
    request: str = option("", "the request to add; empty: the user's newest message")
    save_transcript: bool = option(False, "save the conversation as it was to a file first")

    def summarised(
        self, messages: Messages, context: Context, size: int, trigger: str, strategy: str = ""
    ) -> StageResult:
        """The conversation behind a summary by the first source that gives a fit one, else unchanged.

        `size` is what the summary says of the conversation as it was. `strategy` names the boundary;
        empty: the source does. The note says what each source lacked.
        """
        strategies = {strategy or summarizer_named(name).strategy for name in self.source}
        if _is_fresh(messages, context, strategies):
            return StageResult(messages, note="nothing was added since the latest summary")
        count = weigh(context.survey(context.survey(messages).rest), self.counts)
        if count <= self.min_messages:
            few = f"{count} {self.counts} are too few: a summary needs more than {self.min_messages}"
            return StageResult(messages, note=few, failed=True)
        lacks: list[str] = []
        lacking = StageResult(messages)
        for name in self.source:
            source = summarizer_named(name)
            boundary = Boundary("", trigger, strategy or source.strategy)
            result = self._tried(source, messages, context, boundary, size)
            if result.boundary is not None:
                return replace(result, note="; ".join([*lacks, result.note]), wanted=lacking.wanted)
            lacks.append(f"{name}: {result.note}")
            lacking = replace(
                lacking, failed=lacking.failed or result.failed, wanted=lacking.wanted or result.wanted
            )
        return replace(lacking, note="; ".join(lacks) or "no source for a summary is set")

    def _tried(
        self, source: Summarizer, messages: Messages, context: Context, boundary: Boundary, size: int
    ) -> StageResult:
        idle = StageResult(messages)
        taken = self._cut(source, messages, context)
        if not taken.removed:
            return replace(idle, note="nothing before the tail can be removed", protected=taken.protected)
        if taken.removed < len(messages) * self.min_progress:
            few = f"only {taken.removed} of {len(messages)} messages can be removed,"
            few += f" less than {self.min_progress:.0%}"
            return replace(idle, note=few, protected=taken.protected)
        transcript = _Transcript(messages, context) if self.save_transcript else None
        outcome = source(self._job(taken, size, context, transcript))
        if outcome.missing:
            return replace(idle, note=outcome.missing, failed=outcome.failed, wanted=outcome.wanted)
        reason = f"replaces {taken.removed} messages, by {source.name}"
        result = replaced(taken, outcome.text, Author.SUMMARY, boundary, context, reason)
        measured = result
        if self.with_request and outcome.written:
            bare = self.heading + outcome.written
            measured = replaced(taken, bare, Author.SUMMARY, boundary, context, reason)
        if short_of := self._short_of(source, measured, taken, context):
            return replace(idle, note=short_of, failed=True, protected=taken.protected)
        note = self._told(source, taken)
        if self.only_if_smaller and context.estimator.total(result.messages) > result.size_before:
            note += "; with the request and transcript path added, it is longer than they were"
        files = (transcript.file,) if transcript else ()
        return replace(result, files=files, note=note, written=outcome.written)

    def _cut(self, source: Summarizer, messages: Messages, context: Context) -> Cut:
        survey = context.survey(messages)
        rest = survey.rest
        count = weigh(context.survey(rest), self.counts)
        match source.tail:
            case Tail.TOKENS:
                cut = tail_within(
                    rest, self.max_tail_tokens, self.keep_messages, self.counts, context.estimator
                )
            case Tail.SHARE:
                cut = tail_of(rest, min(count // self.keep_one_in, self.keep_messages), self.counts)
            case Tail.COUNT:
                keep = self.keep_messages if count > self.keep_messages else 0
                cut = tail_of(rest, keep, self.counts)
        return cut_at(
            survey,
            whole_pairs_before(rest, cut),
            context.protection if self.protect else context.protection.only_pinned(),
            "replaced by a summary",
            keep_earlier=not source.holds_earlier,
            keep_first_user=self.keep_first_user,
        )

    def _job(self, taken: Cut, size: int, context: Context, transcript: _Transcript | None) -> Job:
        return Job(
            messages=taken.rest,
            gone=taken.gone,
            removed=taken.removed,
            total=len(taken.given),
            tokens=size,
            clock=clock(context.now),
            heading=self.heading,
            input_chars=self.summary_input_chars,
            input_only_end=self.summary_input_only_end,
            summaries=context.summaries,
            request=(self.request or _newest_words(taken.rest)) if self.with_request else None,
            transcript=None if transcript is None else transcript.name,
        )

    def _short_of(self, source: Summarizer, result: StageResult, taken: Cut, context: Context) -> str:
        """Why a summary is rejected; empty if it is used.

        The text added by `with_request` is not part of the summary.
        """
        before, after = result.size_before, context.estimator.total(result.messages)
        if self.only_if_smaller and after >= before:
            return f"the summary would not be shorter than the {taken.removed} messages it replaces"
        if source.tail is Tail.TOKENS and after > before * (1 - self.min_memory_saving):
            return f"saves {before - after:,} of {before:,}, less than {self.min_memory_saving:.0%}"
        return ""

    def _told(self, source: Summarizer, taken: Cut) -> str:
        counted = sum(weight(message, self.counts) for message in taken.tail)
        tail = f"the newest {len(taken.tail)} kept" if taken.tail else "none kept"
        if self.counts == BLOCKS:
            tail += f" ({counted} blocks)"
        return f"{source.name}: {taken.removed} messages removed, {tail}"


class _Transcript:
    """The file that saves the original conversation; its text is built lazily."""

    def __init__(self, messages: Messages, context: Context) -> None:
        self._messages = messages
        self._context = context

    @cached_property
    def _text(self) -> str:
        return as_json_lines(self._messages)

    @cached_property
    def _path(self) -> str:
        """A free path, or that of a file with the same content."""
        stem = f"{TRANSCRIPTS}/transcript_{int(self._context.now or 0)}"
        number, path = 1, f"{stem}.jsonl"
        while path in self._context.files and self._context.files[path] != self._text:
            number += 1
            path = f"{stem}-{number}.jsonl"
        return path

    @property
    def name(self) -> str:
        """The file as texts name it: absolute where the root is known."""
        root = self._context.root.rstrip("/")
        return f"{root}/{self._path}" if root else self._path

    @property
    def file(self) -> PlannedFile:
        return PlannedFile(self._path, self._text)


def _is_fresh(messages: Messages, context: Context, strategies: Collection[str]) -> bool:
    """Whether the conversation is what an earlier summary of these kinds left, and nothing more.

    A plain conversation has no place to say which messages the summary left: there it is known only of a
    file that nothing was added to since it was exported.
    """
    start = view_start(context.survey(messages))
    earlier = messages[start].boundary if start is not None else None
    if earlier is None or earlier.strategy not in strategies:
        return False
    if earlier.preserved is None:
        return context.settled
    return earlier.preserved[1] == messages[-1].key


def _newest_words(messages: Messages) -> str:
    """The newest text that the person typed."""
    for block in (block for message in reversed(messages) for block in reversed(message.blocks)):
        if isinstance(block, Text) and block.author is Author.USER and block.content.preview.strip():
            return block.content.read().strip()
    return ""
