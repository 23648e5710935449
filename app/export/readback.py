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
        written = _Compared(plan, again)
        broken = errors(check(plan.format.validity, written))
        if broken:
            raise RefusedError(
                f"{plan.target_words} was not written: the result would break {broken[0].rule}"
                f" at {broken[0].where}; the original is untouched"
            )
        if written.other and all(notice.word in SAME_MESSAGES for notice in plan.rewriting.repairs):
            raise RefusedError(
                f"{plan.target_words} was not written: read back, message {written.other} is not the planned"
                " one; the original is untouched"
            )


class _Compared:
    """The messages that were read back, each compared with the planned one as it passes by.

    So each text is read once for the rules and the comparison together.
    """

    def __init__(self, plan: ExportPlan, again: Session) -> None:
        self._plan = plan
        self._again = again
        self.other = 0
        """The number of the first message that is not the planned one; 0 where all are."""

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        kind = self._plan.format
        planned = kind.request(self._plan.session, self._plan.rewrite.messages)
        written = kind.request(self._again, self._again.live)
        said = _said_in_one if kind.one_text else _said
        for number, (wanted, found) in enumerate(zip_longest(planned, written), 1):
            if not self.other and (wanted is None or found is None or said(wanted[1]) != said(found[1])):
                self.other = number
            if found is not None:
                yield found


_SAID: Final = (
    "type", "role", "content", "parts", "name", "input", "arguments", "output",
    "call_id", "tool_call_id", "tool_calls",
)  # fmt: skip
"""What a message or an item says, in any provider's form."""


def _said(message: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(message.get(name) for name in _SAID)


def _said_in_one(message: dict[str, Any]) -> tuple[Any, ...]:
    """The same where a record has room for one text: how it is divided is not written."""
    content = message.get("content")
    if isinstance(content, list):
        message = {**message, "content": "".join(str(part.get("text", "")) for part in content)}
    return _said(message)
