"""One verdict and one reason for each block, and its states, which are independent of the verdict."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from sys import intern
from typing import Final

from msgspec import Struct

from app.compactability.calls import ResultFacts, answered
from app.compactability.placeholders import Form
from app.compactability.relations import Relation, Tie, relations
from app.compactability.tools import REGENERABLE, Kind
from app.compactability.turns import newest_turn
from app.model import Author, Block, Image, Message, SendStatus, Text, Thinking, ToolResult, ToolUse


class Verdict(StrEnum):
    """What would be lost with a block."""

    USER = "user"
    """Typed by the person."""
    DECISION = "decision"
    """Text that cannot be regenerated: replies, answers, summaries, instructions, the newest thinking."""
    CALL = "call"
    ONLY_COPY = "only-copy"
    """Data that cannot be retrieved again as it was: a warning, not a protection."""
    SUPERSEDED = "superseded"
    """A later block contains it, or made it worthless."""
    REGENERABLE = "regenerable"
    COMPACTED = "compacted"
    """A placeholder, a preview or a cut."""
    ERROR = "error"


class Cause(StrEnum):
    """Why a block has its verdict, for programs; `Judgement.reason` is the text for people."""

    TYPED = "typed"
    REPLY = "reply"
    ANSWER = "answer"
    SUMMARY = "summary"
    INSTRUCTIONS = "instructions"
    NEW_THINKING = "new-thinking"
    CALL = "call"
    PASTED = "pasted"
    WEB = "web"
    AGENT = "agent"
    GONE_STATE = "gone-state"
    UNKNOWN = "unknown"
    READ_AGAIN = "read-again"
    STALE_READ = "stale-read"
    REPEATED = "repeated"
    OLD_THINKING = "old-thinking"
    FAILED = "failed"
    RETRIED = "retried"
    PLACEHOLDER = "placeholder"
    FILE = "file"
    IMAGE = "image"
    WRITE_ECHO = "write-echo"
    LISTING = "listing"
    COMMAND = "command"
    TOOL = "tool"
    INJECTED = "injected"


REF: Final = "{ref}"
"""Placeholder in a reason for the related block's name, which depends on the user interface (`#41`)."""


class Judgement(Struct, frozen=True):
    """A block's verdict with its reason.

    The reason is a sentence fragment of our own, without session text. It contains `REF` if and only
    if `related`, the key of another block, is set.
    """

    verdict: Verdict
    cause: Cause
    reason: str
    related: str | None = None

    def explain(self, name: Callable[[str], str]) -> str:
        """The reason with the related block named by `name(key)`."""
        return self.reason if self.related is None else self.reason.replace(REF, name(self.related))


class State(StrEnum):
    """A property of a block besides its verdict."""

    PINNED = "pinned"
    FROZEN = "frozen"
    PROTECTED = "protected"
    BEFORE_BOUNDARY = "before-boundary"
    OFF_BRANCH = "off-branch"
    SIDECHAIN = "sidechain"
    NEVER_SENT = "never-sent"
    CLEARED_LIVE = "cleared-live"


def states(
    message: Message,
    block: Block,
    *,
    pinned: Collection[str] = (),
    frozen: Collection[str] = (),
    protected: Collection[str] = (),
) -> tuple[State, ...]:
    """Every state of a block; the collections hold block keys."""
    found = [
        state
        for state, keys in (
            (State.PINNED, pinned),
            (State.FROZEN, frozen),
            (State.PROTECTED, protected),
        )
        if block.key in keys
    ]
    if message.standing is not SendStatus.LIVE:
        found.append(State(message.standing.value))
    if isinstance(block, ToolResult) and block.cleared_live:
        found.append(State.CLEARED_LIVE)
    return tuple(found)


@lru_cache(maxsize=1024)
def _fixed(verdict: Verdict, cause: Cause, reason: str) -> Judgement:
    """The cached judgement with these values, shared by all blocks: there are only a few."""
    return Judgement(verdict, cause, reason)


_TEXTS: Final = {
    Author.USER: _fixed(Verdict.USER, Cause.TYPED, "typed by you"),
    Author.ASSISTANT: _fixed(Verdict.DECISION, Cause.REPLY, "the model's own words"),
    Author.SUMMARY: _fixed(Verdict.DECISION, Cause.SUMMARY, "summary of what came before"),
    Author.SYSTEM: _fixed(Verdict.DECISION, Cause.INSTRUCTIONS, "instructions that every request carries"),
    Author.MARKER: _fixed(Verdict.COMPACTED, Cause.PLACEHOLDER, "says what was removed"),
    Author.INJECTED: _fixed(
        Verdict.REGENERABLE, Cause.INJECTED, "added by the client, which will add it again"
    ),
}
_CALL: Final = _fixed(Verdict.CALL, Cause.CALL, "tool call; removed only together with its result")
_PASTED: Final = _fixed(Verdict.ONLY_COPY, Cause.PASTED, "image with no other copy in the session")
_OPAQUE: Final = _fixed(Verdict.ONLY_COPY, Cause.UNKNOWN, "block of an unknown type; kept as it is")
_NEW_THINKING: Final = _fixed(Verdict.DECISION, Cause.NEW_THINKING, "thinking of the newest turn")
_OLD_THINKING: Final = _fixed(Verdict.SUPERSEDED, Cause.OLD_THINKING, "thinking of an older turn")
_ANSWER: Final = _fixed(Verdict.DECISION, Cause.ANSWER, "contains your answer")
_FORMS: Final = {
    Form.CLEARED: _fixed(Verdict.COMPACTED, Cause.PLACEHOLDER, "already cleared; a placeholder is left"),
    Form.SAVED: _fixed(Verdict.COMPACTED, Cause.PLACEHOLDER, "already saved to a file; a preview is left"),
    Form.STUB: _fixed(Verdict.COMPACTED, Cause.PLACEHOLDER, "points to an earlier copy of the text"),
    Form.CUT: _fixed(Verdict.COMPACTED, Cause.PLACEHOLDER, "already cut"),
}
_MAIN_LINE: Final = frozenset({SendStatus.LIVE, SendStatus.BEFORE_BOUNDARY})
_TITLES: Final = {
    Kind.READ: "Read",
    Kind.WRITE: "Write",
    Kind.EDIT: "Edit",
    Kind.BASH: "Bash",
    Kind.GREP: "Search",
    Kind.GLOB: "File search",
    Kind.LIST: "Listing",
    Kind.WEB_SEARCH: "Web search",
    Kind.WEB_FETCH: "Web page",
    Kind.SCREENSHOT: "Screenshot",
    Kind.AGENT: "Agent",
    Kind.SKILL: "Skill",
    Kind.QUESTION: "Question",
    Kind.TODO: "Notes",
    Kind.LOOKUP: "Lookup",
    Kind.MCP: "MCP",
}
_TIES: Final = {
    Tie.CHANGED: (Verdict.SUPERSEDED, Cause.STALE_READ, f"file changed later at {REF}"),
    Tie.REPEATED: (Verdict.SUPERSEDED, Cause.REPEATED, f"the same call gave the same result at {REF}"),
    Tie.OVERTAKEN: (Verdict.ONLY_COPY, Cause.GONE_STATE, f"files were changed later at {REF}"),
    Tie.RETRIED: (Verdict.ERROR, Cause.RETRIED, f"failed; a later try worked at {REF}"),
}
_NO_CALL: Final = (Cause.UNKNOWN, "its call is missing")
_NOBODY_KNOWS: Final = (Cause.UNKNOWN, "it is not known whether this tool can be run again")
_ONLY_COPIES: Final[dict[Kind | None, tuple[Cause, str]]] = {
    Kind.WEB_SEARCH: (Cause.WEB, "the web may answer differently next time"),
    Kind.WEB_FETCH: (Cause.WEB, "the web may answer differently next time"),
    Kind.AGENT: (Cause.AGENT, "another agent's work, costly to repeat"),
}
_AGAIN: Final[dict[Kind | None, tuple[Cause, str]]] = {
    Kind.READ: (Cause.FILE, "the file can be read again"),
    Kind.WRITE: (Cause.WRITE_ECHO, "the call itself says what was written"),
    Kind.EDIT: (Cause.WRITE_ECHO, "the call itself says what was changed"),
    Kind.BASH: (Cause.COMMAND, "the command can be run again"),
    Kind.GREP: (Cause.LISTING, "the same search can be run again"),
    Kind.GLOB: (Cause.LISTING, "the same search can be run again"),
    Kind.LIST: (Cause.LISTING, "can be listed again"),
    Kind.SCREENSHOT: (Cause.IMAGE, "can be taken again"),
    Kind.TODO: (Cause.WRITE_ECHO, "the call itself contains it"),
}


def classify(messages: Sequence[Message], cwd: str | None = None) -> dict[str, Judgement]:
    """One judgement for each block of `messages`, live or not, by block key.

    Linear in the blocks. Results are compared only along the main line (live, and before the boundary):
    what a sidechain or an abandoned branch read or wrote does not affect it. `cwd` is the folder the
    agent ran in, against which relative paths are resolved. Texts are read for repeats of equal length,
    for later reads that may contain an earlier one, and for possible cuts; arguments of reads and
    commands only if they are longer than a preview.
    """
    return with_results(messages, judge_results(messages, tuple(answered(messages, cwd))))


def with_results(messages: Sequence[Message], results: Mapping[str, Judgement]) -> dict[str, Judgement]:
    """One judgement for each block of `messages`; `results` are the judgements of tool results."""
    live = [message for message in messages if message.standing is SendStatus.LIVE]
    newest = {message.key for message in live[newest_turn(live) :]}
    return {
        block.key: results[block.key]
        if isinstance(block, ToolResult)
        else _judge(block, message.standing is SendStatus.LIVE and message.key in newest)
        for message in messages
        for block in message.blocks
    }


def _judge(block: Block, newest: bool) -> Judgement:
    match block:
        case Text():
            return _TEXTS[block.author]
        case Thinking():
            return _NEW_THINKING if newest else _OLD_THINKING
        case ToolUse():
            return _CALL
        case Image():
            return _PASTED
        case _:
            return _OPAQUE


def judge_results(messages: Sequence[Message], answers: Sequence[ResultFacts]) -> dict[str, Judgement]:
    """One judgement for each tool result, by block key; `answers` are all those of `messages`, in order."""
    main = [a for a in answers if a.standing in _MAIN_LINE]
    holds = [a.form is None and bool(a.result.parts) for a in main]
    called = _called(messages, main)
    ties = {id(main[index]): relation for index, relation in relations(main, holds, called).items()}
    return {a.result.key: _judge_result(a, ties.get(id(a))) for a in answers}


def _called(messages: Sequence[Message], results: Sequence[ResultFacts]) -> list[int]:
    """For each of `results`, all those of the main line, how many of them come before its call."""
    met, before = 0, dict[int, int]()
    for message in messages:
        is_main = message.standing in _MAIN_LINE
        for block in message.blocks:
            if isinstance(block, ToolUse):
                before[id(block)] = met
            elif is_main and isinstance(block, ToolResult):
                met += 1
    return [before[id(answer.use)] if answer.use else 0 for answer in results]


def _judge_result(answer: ResultFacts, relation: Relation | None) -> Judgement:
    if answer.form is not None:
        return _FORMS[answer.form]
    if answer.holds_answer:
        return _ANSWER
    kind = answer.call.kind
    title = f"{_TITLES[kind]} result" if kind else "Result"
    if relation is not None:
        return _judge_relation(title, relation)
    if answer.failed:
        return _fixed(Verdict.ERROR, Cause.FAILED, f"{title}; failed")
    if answer.result.server:
        return _fixed(Verdict.ONLY_COPY, Cause.WEB, f"{title}; made by the provider's own tool")
    if kind not in REGENERABLE:
        cause, why = _ONLY_COPIES.get(kind, _NOBODY_KNOWS) if answer.use else _NO_CALL
        return _fixed(Verdict.ONLY_COPY, cause, f"{title}; {why}")
    cause, why = _AGAIN.get(kind, (Cause.TOOL, "can be regenerated"))
    if any(isinstance(part, Image) for part in answer.result.parts):
        cause = Cause.IMAGE
    return _fixed(Verdict.REGENERABLE, cause, f"{title}; {why}")


def _judge_relation(title: str, relation: Relation) -> Judgement:
    if relation.tie is Tie.READ_AGAIN:
        file = "file changed in between" if relation.changed_between else "file not changed in between"
        verdict, cause, why = Verdict.SUPERSEDED, Cause.READ_AGAIN, f"same path read again at {REF}; {file}"
    else:
        verdict, cause, why = _TIES[relation.tie]
    return Judgement(verdict, cause, intern(f"{title}; {why}"), relation.key)
