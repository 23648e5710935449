"""What a step or a whole plan must not do, told in words: the user's messages, pairs, only copies."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.compactability import Judgement, Verdict
from app.formats import format_named
from app.model import Author, Message, Session, Text, blocks_of
from app.stages.base import Change
from app.validity import DEFAULTS, Comparison, Options, Sealed, compare
from app.validity import check as check_rules
from app.validity.pairs import PairIndex


class Level(StrEnum):
    """How much a check found."""

    OK = "ok"
    WARN = "warn"
    """Worth a look; nothing is broken."""
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, with the keys of the blocks that it is about."""

    level: Level
    text: str
    keys: tuple[str, ...] = ()


def user_words(messages: Sequence[Message]) -> dict[str, Text]:
    """The texts that the person typed, by block key, in order."""
    return {
        block.key: block
        for _, block in blocks_of(messages)
        if isinstance(block, Text) and block.author is Author.USER
    }


def words_gone(before: Sequence[Message], after: Sequence[Message]) -> tuple[Text, ...]:
    """The user's own texts of `before` that `after` lacks or holds otherwise, in order."""
    left = user_words(after)
    return tuple(
        text
        for key, text in user_words(before).items()
        if key not in left or (left[key] is not text and left[key].content.read() != text.content.read())
    )


def check_words(before: Sequence[Message], after: Sequence[Message]) -> Check:
    """Whether the user's own messages are all still there."""
    total = len(user_words(before))
    gone = words_gone(before, after)
    if not gone:
        return Check(Level.OK, f"your messages unchanged ({total} of {total})")
    keys = tuple(text.key for text in gone)
    return Check(Level.WARN, f"{len(gone)} of your {total} messages would go", keys)


def check_pairs(before: Sequence[Message], after: Sequence[Message]) -> Check:
    """Whether each call that had a result still has it, and each result its call."""
    was, now = PairIndex(before), PairIndex(after)
    broken = [
        key
        for key in (*now.open_calls, *now.orphan_results)
        if key not in set(was.open_calls) and key not in set(was.orphan_results)
    ]
    if broken:
        return Check(Level.FAIL, f"{len(broken)} tool calls would lose their other half", tuple(broken))
    return Check(Level.OK, f"every tool result still has its call ({now.tool_pairs} pairs)")


def check_only_copies(changes: Collection[Change], judgements: dict[str, Judgement]) -> Check | None:
    """A warning when something goes that cannot be had again; None when nothing does."""
    keys = tuple(
        change.key
        for change in changes
        if change.before is not None
        and (judgement := judgements.get(change.key)) is not None
        and judgement.verdict is Verdict.ONLY_COPY
    )
    if not keys:
        return None
    what = "result is" if len(keys) == 1 else "results are"
    return Check(Level.WARN, f"{len(keys)} {what} the only copy of the data", keys)


class RuleBook:
    """The provider's rules for one session: what steps break is told from what was broken before.

    Of the live segment it holds what is sealed and what was broken, none of its words.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._format = format_named(session.format)
        original = Sealed(self._format.request(session, session.live))
        self._before = check_rules(self._format.validity, original)
        self._known = Options(before=original.outline)

    def compared(self, messages: Sequence[Message], *, goes_on: bool = True) -> Comparison:
        """The violations with these messages sent in the place of the live segment.

        `goes_on`: the provider knows the conversation, so that what it sealed must come back to it.
        """
        pairs = self._format.request(self._session, messages)
        after = check_rules(self._format.validity, pairs, self._known if goes_on else DEFAULTS)
        return compare(self._before, after)
