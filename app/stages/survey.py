"""Lazy, cached facts about one conversation, shared by the stages.

A survey belongs to one tuple of messages. The conversation after a stage holds mostly the same objects, so
its survey reuses the facts about them and examines only what changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct

from app.compactability import Cause, Judgement, ResultFacts, answered, judge_results, with_results
from app.compactability.calls import Call, arguments_of, call_of
from app.compactability.placeholders import Form, placeholder_form
from app.compactability.turns import turns_of
from app.model import Author, Block, Image, Message, Role, Text, Thinking, ToolResult, ToolUse
from app.stages.prompt_sizes import PromptSize, readings_of
from app.stages.protection import Protection, unpinned
from app.tokens.base import Estimator

Messages: TypeAlias = tuple[Message, ...]

_KEPT: Final = 6
"""Number of conversations whose surveys are cached."""


class ResultAt(Struct, frozen=True, order=True):
    """A tool_result with its place in the conversation and the call it answers."""

    message: int
    block: int
    result: ToolResult
    call: ToolUse | None
    chars: int
    """Code points of its text."""
    carried: int
    """Characters of its other parts: images as sent, unknown parts."""
    is_ascii: bool
    """Whether its text is pure ASCII, judged by its size in bytes."""
    has_picture: bool

    @classmethod
    def of(cls, message: int, block: int, result: ToolResult, call: ToolUse | None) -> ResultAt:
        """A result at that place, measured."""
        return cls(message, block, result, call, *extent(result))

    @property
    def tool(self) -> str:
        """The tool's name; empty if there is no call with this id."""
        return self.call.name if self.call else ""


class PairEnd(NamedTuple):
    """One half of a pair: a call or a result of a tool that a client runs."""

    message: int
    key: str


class Survey:
    """The facts about one conversation that stages need."""

    def __init__(self, messages: Messages, cwd: str | None = None, before: Survey | None = None) -> None:
        """`before` is a conversation that mostly holds the same objects, if one is known."""
        self.messages = messages
        self._cwd = cwd
        self._totals: dict[int, tuple[Estimator, int]] = {}
        self._readings: dict[int, tuple[Estimator, tuple[PromptSize, ...]]] = {}
        self._forms: dict[int, Form | None] = {}
        self._clues: dict[int, str] = {}
        self._calls: dict[int, Call] = {}
        # Reused facts are copied now, so that surveys do not keep each other alive in a chain.
        known = {} if before is None else before.__dict__
        self._answered: Sequence[ResultFacts] = known.get("answers", ())
        self._results: Sequence[ResultAt] = known.get("results", ())
        self._before = () if before is None else before.messages
        self._totals_before = {} if before is None else before._totals

    # Where things are

    @cached_property
    def results(self) -> tuple[ResultAt, ...]:
        """Every tool_result that a client gave back, in order; provider-run tools are not among them.

        A call is looked up in the whole conversation and the last of equal ids counts, as in
        react-agent-mini.
        """
        earlier, self._results = self._results, ()
        if earlier and (swapped := self._swapped) is not None:
            return tuple([_with(at, swapped.get(id(at.result))) for at in earlier])
        calls: dict[str, ToolUse] = {}
        places: list[tuple[int, int, ToolResult]] = []
        for i, message in enumerate(self.messages):
            for j, block in enumerate(message.blocks):
                if isinstance(block, ToolUse):
                    calls[block.id] = block
                elif isinstance(block, ToolResult) and not block.server and message.role in _GIVES_RESULTS:
                    places.append((i, j, block))
        return tuple(ResultAt.of(i, j, result, calls.get(result.tool_use_id)) for i, j, result in places)

    @cached_property
    def _swapped(self) -> Mapping[int, ToolResult] | None:
        """New result by `id()` of the earlier one; None if anything but results differs."""
        if len(self._before) != len(self.messages):
            return None
        swapped: dict[int, ToolResult] = {}
        for old, new in zip(self._before, self.messages, strict=True):
            if old is not new and not _only_results_differ(old, new, swapped):
                return None
        return swapped

    def longer_than(self, chars: int) -> Sequence[ResultAt]:
        """Results of more code points than that, the longest first, of equal ones the older."""
        return self._longest[: bisect_left(self._longest, -chars, key=lambda at: -at.chars)]

    @cached_property
    def _longest(self) -> Sequence[ResultAt]:
        return sorted(self.results, key=lambda at: at.chars, reverse=True)

    @cached_property
    def thinking(self) -> Sequence[tuple[int, int]]:
        """Indexes of the message and of the block of all thinking."""
        return [
            (i, j)
            for i, message in enumerate(self.messages)
            for j, block in enumerate(message.blocks)
            if isinstance(block, Thinking)
        ]

    @cached_property
    def notes(self) -> Sequence[int]:
        """Indexes of messages that may record a compaction, empty ones included."""
        return [i for i, message in enumerate(self.messages) if _may_tell(message)]

    @cached_property
    def replies(self) -> Sequence[int]:
        """Indexes of the model's messages."""
        return [i for i, message in enumerate(self.messages) if message.role is Role.ASSISTANT]

    @cached_property
    def turns(self) -> tuple[range, ...]:
        """The messages of each turn, by index."""
        return tuple(turns_of(self.messages))

    @cached_property
    def pairs(self) -> Mapping[str, Sequence[PairEnd]]:
        """The calls and results of each id that clients answer, by that id; each in the order of messages."""
        found: dict[str, list[PairEnd]] = defaultdict(list)
        for i, message in enumerate(self.messages):
            for block in message.blocks:
                if (pair := pair_id(block)) is not None:
                    found[pair].append(PairEnd(i, block.key))
        return found

    def crossing(self, at: int) -> Iterator[Sequence[PairEnd]]:
        """The pairs with one half before message `at` and another at or after it."""
        number = bisect_left(self._firsts, at)
        while number > 0 and self._reach[number - 1] >= at:
            number -= 1
            if self._spans[number][-1].message >= at:
                yield self._spans[number]

    @cached_property
    def _spans(self) -> Sequence[Sequence[PairEnd]]:
        # They were met in the order of their first halves.
        return list(self.pairs.values())

    @cached_property
    def _firsts(self) -> Sequence[int]:
        return [ends[0].message for ends in self._spans]

    @cached_property
    def _reach(self) -> Sequence[int]:
        """The last message that a pair up to each one in `_spans` has a half in."""
        return list(accumulate((ends[-1].message for ends in self._spans), max))

    @cached_property
    def system(self) -> Messages:
        """System messages, which stay in front of any cut."""
        return tuple(message for message in self.messages if message.role is Role.SYSTEM)

    @cached_property
    def rest(self) -> Messages:
        """All messages except system messages."""
        if not self.system:
            return self.messages
        return tuple(message for message in self.messages if message.role is not Role.SYSTEM)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, in order."""
        return tuple(chain.from_iterable([message.blocks for message in self.messages]))

    @cached_property
    def starts(self) -> Sequence[int]:
        """Index into `blocks` of the first block of each message, followed by the number of blocks."""
        return [0, *accumulate([len(message.blocks) for message in self.messages])]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Index into `blocks` of each block, by its key."""
        return {block.key: place for place, block in enumerate(self.blocks)}

    @cached_property
    def pair_of(self) -> Mapping[str, Sequence[PairEnd]]:
        """The pair that a call or a result belongs to, by its key."""
        return {half.key: ends for ends in self.pairs.values() for half in ends}

    # What they are

    @cached_property
    def answers(self) -> tuple[ResultFacts, ...]:
        """Every result with the nearest preceding call of its id, and the facts of that call."""
        earlier, self._answered = self._answered, ()
        if earlier and (swapped := self._swapped) is not None:
            return tuple([answer.holding(swapped.get(id(answer.result))) for answer in earlier])
        return tuple(answered(self.messages, self._cwd, earlier))

    @cached_property
    def judgements(self) -> Mapping[str, Judgement]:
        """The verdict on every block, by key."""
        return with_results(self.messages, self.result_judgements)

    @cached_property
    def result_judgements(self) -> Mapping[str, Judgement]:
        """The verdict on every result, by key."""
        return judge_results(self.messages, self.answers)

    @cached_property
    def by_cause(self) -> Mapping[Cause, tuple[Sequence[ResultAt], Sequence[str]]]:
        """Results in order, and the reasons of their verdicts beside them, by the cause of these."""
        found: dict[Cause, tuple[list[ResultAt], list[str]]] = defaultdict(lambda: ([], []))
        judgements = self.result_judgements
        for at in self.results:
            judgement = judgements[at.result.key]
            results, reasons = found[judgement.cause]
            results.append(at)
            reasons.append(judgement.reason)
        return found

    @cached_property
    def protection(self) -> Protection:
        """The protection without pins."""
        return unpinned(self.messages, self.answers)

    def form(self, result: ToolResult) -> Form | None:
        """How a result was compacted, if it is a placeholder or a preview; else None."""
        try:
            return self._forms[id(result)]
        except KeyError:
            return self._forms.setdefault(id(result), placeholder_form(result))

    def clue(self, call: ToolUse | None) -> str:
        """A call's `file_path`, else its `path`; empty if it has neither."""
        if call is None:
            return ""
        known = self._clues.get(id(call))
        if known is None:
            known = self._clues[id(call)] = path_clue(call)
        return known

    def call(self, use: ToolUse) -> Call:
        """The facts of a call of this conversation."""
        known = self._calls.get(id(use))
        if known is None:
            known = self._calls[id(use)] = call_of(use, self._cwd)
        return known

    # How large it is

    def total(self, measure: Estimator) -> int:
        """The size of the conversation in that measure."""
        known = self._totals.get(id(measure))
        if known is None:
            known = self._totals[id(measure)] = measure, self._total(measure)
        return known[1]

    def _total(self, measure: Estimator) -> int:
        before = self._totals_before.get(id(measure))
        if before is None or len(self._before) != len(self.messages):
            return measure.total(self.messages)
        size = measure.message
        pairs = zip(self._before, self.messages, strict=True)
        return before[1] + sum(size(new) - size(old) for old, new in pairs if old is not new)

    def readings(self, measure: Estimator) -> Sequence[PromptSize]:
        """The moments before every model call, and before the one that comes next."""
        known = self._readings.get(id(measure))
        if known is None:
            known = self._readings[id(measure)] = measure, tuple(readings_of(self.messages, measure))
        return known[1]


_GIVES_RESULTS: Final = (Role.USER, Role.TOOL)
_TELLS: Final = (Author.SUMMARY, Author.MARKER)


def _with(at: ResultAt, other: ToolResult | None) -> ResultAt:
    """The place with another result, if there is one."""
    return at if other is None else ResultAt.of(at.message, at.block, other, at.call)


def _only_results_differ(old: Message, new: Message, swapped: dict[int, ToolResult]) -> bool:
    """Whether two messages differ only in results; adds the new ones to `swapped` by `id()` of the old."""
    if old.role is not new.role or old.standing is not new.standing or len(old.blocks) != len(new.blocks):
        return False
    for was, now in zip(old.blocks, new.blocks, strict=True):
        if was is now:
            continue
        if not (isinstance(was, ToolResult) and isinstance(now, ToolResult)):
            return False
        if was.tool_use_id != now.tool_use_id or was.server is not now.server:
            return False
        swapped[id(was)] = now
    return True


def _may_tell(message: Message) -> bool:
    if message.boundary is not None or not message.blocks:
        return True
    return any(isinstance(block, Text) and block.author in _TELLS for block in message.blocks)


def extent(result: ToolResult) -> tuple[int, int, bool, bool]:
    """A result's `chars`, `carried`, `is_ascii` and `has_picture`, as in `ResultAt`."""
    chars = size = carried = 0
    has_picture = False
    for part in result.parts:
        if isinstance(part, Text):
            chars += part.content.chars
            size += part.content.size
        elif isinstance(part, Image):
            carried += part.data.chars
            has_picture = True
        else:
            carried += part.content.chars
    return chars, carried, size == chars, has_picture


def path_clue(call: ToolUse) -> str:
    """The call's `file_path`, else its `path`, if that is a non-empty string."""
    arguments = arguments_of(call)
    names = (arguments.get(name) for name in ("file_path", "path"))
    return next((name for name in names if isinstance(name, str) and name), "")


def pair_id(block: Block) -> str | None:
    """The id that a call and its result share, for calls that a client answers."""
    if isinstance(block, ToolUse) and not block.server:
        return block.id
    if isinstance(block, ToolResult) and not block.server:
        return block.tool_use_id
    return None


class Surveys:
    """A cache of the most recent surveys, shared by all stages of a walk."""

    def __init__(self) -> None:
        self._newest: dict[tuple[int, str | None], Survey] = {}

    def of(self, messages: Messages, cwd: str | None = None) -> Survey:
        """The survey of these very messages; `cwd` is the folder the agent ran in, where that is known."""
        # A survey keeps its messages alive, so their id cannot be reused.
        survey = self._newest.get((id(messages), cwd))
        if survey is not None:
            return survey
        known = list(self._newest.items())
        others = [other for (_, folder), other in known if folder == cwd]
        alike = [other for other in others if len(other.messages) == len(messages)]
        survey = Survey(messages, cwd, next(reversed(alike or others), None))
        for key, _ in known[: max(0, len(known) - _KEPT + 1)]:
            self._newest.pop(key, None)
        self._newest[id(messages), cwd] = survey
        return survey
