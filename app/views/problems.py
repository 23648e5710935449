"""Lists the problems of a session: damage of the file, then broken provider rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from app.formats import format_named
from app.model import Message, Notice, Session
from app.validity import RULES, check, errors

_DAMAGE: Final[Mapping[str, str]] = {
    "bad-line": "not valid JSON",
    "torn-tail": "incomplete: writing it was interrupted",
    "glued-records": "several records on one line",
    "spliced-record": "a record begins in the middle of another",
    "nul-bytes": "contains NUL bytes",
    "bom": "begins with a byte order mark",
    "crlf": "has a Windows line ending",
    "invalid-utf8": "not valid UTF-8",
    "not-a-record": "not a record of this format",
    "duplicate-uuid": "same id as another record",
    "missing-parent": "its parent record is missing",
    "cycle": "it is its own ancestor",
    "no-conversation": "contains no conversation",
    "empty-file": "the file is empty",
}
DAMAGE: Final = frozenset(_DAMAGE)
"""The notices that count as damage of the file; the others tell of its content."""


def damage_words(word: str) -> str:
    """What a notice of damage means, of a line or a record; other words come back as they are."""
    return _DAMAGE.get(word, word)


class Problem(Struct, frozen=True):
    """One thing that is wrong. `text` may hold session text: not safe for a terminal."""

    text: str
    line: int | None = None
    """1-based physical line of the file, where there is one."""
    key: str = ""
    """The message's key, where there is one."""


def problems(session: Session) -> tuple[Problem, ...]:
    """The damage of the file, line by line, then the places where the provider's rules are broken.

    Parses the live segment once more: takes as long as reading it.
    """
    return problems_with(session, session.live)


def problems_with(session: Session, messages: Sequence[Message]) -> tuple[Problem, ...]:
    """`problems` if these messages, as steps leave them, were sent instead of the live segment."""
    damage = (notice for notice in session.notices if notice.word in DAMAGE)
    noticed = sorted(damage, key=lambda notice: notice.line or 0)
    found = [Problem(_told(notice), notice.line) for notice in noticed]
    kind = format_named(session.format)
    for violation in errors(check(kind.validity, kind.request(session, messages))):
        text = f"{RULES[violation.rule].text} ({violation.where} {violation.detail}".rstrip() + ")"
        found.append(Problem(text, key=violation.key))
    return tuple(found)


def _told(notice: Notice) -> str:
    words = damage_words(notice.word)
    return f"{words}: {notice.detail}" if notice.detail else words
