"""Checks of a step or plan: user messages lost, broken call/result pairs, only copies removed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from functools import cached_property

from msgspec import Struct

from app.compactability import Judgement, Verdict
from app.display import counted
from app.formats import format_named
from app.formats.segments import stretches
from app.model import Author, Message, Role, Session, Text, blocks_of
from app.stages.base import Change
from app.validity import DEFAULTS, Options, Pairs, Violation, compare, is_near
from app.validity import check as check_rules
from app.validity.pairs import PairIndex
from app.validity.sealed import sealed_parts


class CheckLevel(StrEnum):
    """The severity of a check."""

    OK = "ok"
    WARN = "warn"
    """Worth a look; nothing is broken."""
    FAIL = "fail"


class Check(Struct, frozen=True):
    """The outcome of one check, with the keys of the blocks it concerns."""

    level: CheckLevel
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
    """The user's own texts of `before` that are missing or changed in `after`, in order."""
    left = user_words(after)
    return tuple(
        text
        for key, text in user_words(before).items()
        if key not in left or (left[key] is not text and left[key].content.read() != text.content.read())
    )


def check_words(before: Sequence[Message], after: Sequence[Message]) -> Check:
    """Check that all of the user's own messages are still there."""
    total = len(user_words(before))
    gone = words_gone(before, after)
    if not gone:
        return Check(CheckLevel.OK, f"your messages unchanged ({total} of {total})")
    keys = tuple(text.key for text in gone)
    return Check(CheckLevel.WARN, f"loses {len(gone)} of your {total} messages", keys)


def check_pairs(before: Sequence[Message], after: Sequence[Message]) -> Check:
    """Check that each call that had a result still has it, and each result its call."""
    was, now = PairIndex(before), PairIndex(after)
    broken = [
        key
        for key in (*now.open_calls, *now.orphan_results)
        if key not in set(was.open_calls) and key not in set(was.orphan_results)
    ]
    if broken:
        return Check(
            CheckLevel.FAIL,
            f"{len(broken)} tool calls or results would lose their counterpart",
            tuple(broken),
        )
    return Check(CheckLevel.OK, f"every tool result still has its call ({counted(now.tool_pairs, 'pair')})")


def check_only_copies(changes: Collection[Change], judgements: dict[str, Judgement]) -> Check | None:
    """A warning if something is removed that cannot be had again, else None."""
    keys = tuple(
        change.key
        for change in changes
        if change.before is not None
        and (judgement := judgements.get(change.key)) is not None
        and judgement.verdict is Verdict.ONLY_COPY
    )
    if not keys:
        return None
    results = counted(len(keys), "result")
    return Check(CheckLevel.WARN, f"loses the only copy of {results}", keys)


class Faults(Struct, frozen=True):
    """Violations of the provider's rules, by origin."""

    already_broken: tuple[Violation, ...] = ()
    """Violations that the input already had."""
    broken_by_edit: tuple[Violation, ...] = ()

    @property
    def places(self) -> frozenset[str] | None:
        """Keys of the messages that break a rule; None if a rule concerns the whole conversation."""
        found = (*self.already_broken, *self.broken_by_edit)
        return frozenset(v.key for v in found) if all(is_near(v.rule) for v in found) else None


class RuleBook:
    """The provider's rules for one session; separates violations by steps from those of the input.

    Holds no messages. The original live segment is read only if needed: for its sealed blocks, and to find
    out whether it already broke a rule that the edited one breaks.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._format = format_named(session.format)

    def faults(
        self,
        messages: Sequence[Message],
        *,
        goes_on: bool = True,
        watched: Callable[[Pairs], Pairs] = lambda pairs: pairs,
        looked: Callable[[Pairs], Pairs] = lambda pairs: pairs,
    ) -> Faults:
        """The violations if these messages were sent instead of the live segment.

        `goes_on`: the provider knows the conversation, so its sealed blocks must be sent back unchanged.
        `watched` wraps the messages passed to the rules, `looked` every message that is read.
        """
        pairs = watched(looked(self._format.request(self._session, messages)))
        options = Options(before=looked(self._sealed())) if goes_on else DEFAULTS
        after = check_rules(self._format.validity, pairs, options)
        if not after:
            return Faults()
        found = compare(self._before_at(after), after)
        return Faults(found.already_broken, found.broken_by_edit)

    def _before_at(self, after: Collection[Violation]) -> list[Violation]:
        """The violations of the original live segment, at least where `after` has some."""
        if not all(is_near(violation.rule) for violation in after):
            return self._before
        live = self._session.live
        keys = {violation.key for violation in after}
        by_assistant = [message.role is Role.ASSISTANT for message in live]
        places = [place for place, message in enumerate(live) if message.key in keys]
        parts = [live[part.start : part.stop] for part in stretches(by_assistant, places)]
        requests = [self._format.request(self._session, part) for part in parts]
        return [violation for pairs in requests for violation in check_rules(self._format.validity, pairs)]

    @cached_property
    def _before(self) -> list[Violation]:
        return check_rules(self._format.validity, self._live())

    def _live(self) -> Pairs:
        return self._format.request(self._session, self._session.live)

    def _sealed(self) -> Pairs:
        """The conversation as its provider knows it, for checkers that look for sealed blocks."""
        if self._format.validity != "anthropic":
            return self._live()
        return self._format.request(self._session, sealed_parts(self._session.live))
