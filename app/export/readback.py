"""Proving a file that was written: it is read again and compared with the plan."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final

from app.errors import RefusedError
from app.export.files import Staged
from app.export.plan import ExportPlan
from app.formats.damage import SAME_MESSAGES
from app.formats.source import FileSource
from app.model import Session
from app.validity import check, errors


def compare_with_plan(staged: Staged, plan: ExportPlan) -> None:
    """Raise RefusedError unless the staged file holds the planned messages and breaks no rule."""
    with FileSource(staged.path) as source:
        again = plan.format.read(source)
        broken = errors(check(plan.format.validity, plan.format.request(again, again.live)))
        if broken:
            raise RefusedError(
                f"{plan.target_words} was not written: the result would break {broken[0].rule}"
                f" at {broken[0].where}; the original is untouched"
            )
        if all(notice.word in SAME_MESSAGES for notice in plan.rewriting.repairs):
            _compare_messages(plan, again)


def _compare_messages(plan: ExportPlan, again: Session) -> None:
    planned = _contents(plan.format.request(plan.session, plan.rewrite.messages))
    written = _contents(plan.format.request(again, again.live))
    for number, (wanted, found) in enumerate(zip_longest(planned, written), 1):
        if wanted != found:
            raise RefusedError(
                f"{plan.target_words} was not written: read back, message {number} is not the planned one;"
                " the original is untouched"
            )


_SAID: Final = (
    "type", "role", "content", "parts", "name", "input", "arguments", "output",
    "call_id", "tool_call_id", "tool_calls",
)  # fmt: skip
"""What a message or an item says, in any provider's form."""


def _contents(pairs: Iterator[tuple[str, dict[str, Any]]]) -> Iterator[tuple[Any, ...]]:
    for _, message in pairs:
        yield tuple(message.get(name) for name in _SAID)
