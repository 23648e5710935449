"""What is wrong with a session, from the file's damage to broken rules, as a list to go through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.formats import format_named
from app.model import Message, Session
from app.validity import RULES, check, errors

DAMAGE: Final = frozenset(
    {
        "bad-line", "torn-tail", "glued-records", "spliced-record", "nul-bytes", "bom", "crlf",
        "invalid-utf8", "not-a-record", "duplicate-uuid", "missing-parent", "cycle", "no-conversation",
        "empty-file",
    }
)  # fmt: skip
"""The notices that count as damage of the file; the others tell of its content."""


@dataclass(frozen=True, slots=True)
class Problem:
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
    """The same with these messages sent in the place of the live segment, as steps leave them."""
    damage = (notice for notice in session.notices if notice.word in DAMAGE)
    noticed = sorted(damage, key=lambda notice: notice.line or 0)
    found = [Problem(f"{notice.word} {notice.detail}".rstrip(), notice.line) for notice in noticed]
    kind = format_named(session.format)
    for violation in errors(check(kind.validity, kind.request(session, messages))):
        text = f"{RULES[violation.rule].text} ({violation.where} {violation.detail}".rstrip() + ")"
        found.append(Problem(text, key=violation.key))
    return tuple(found)
