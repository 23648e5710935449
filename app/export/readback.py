"""Verifies a written file by reading it back and comparing it with the plan."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final

from app.errors import RefusedError
from app.export.cancellation import TO_THE_END, Stopper
from app.export.files import StagedFile
from app.export.fingerprints import Fingerprints
from app.export.plan import ExportPlan
from app.formats.base import Format, StreamingFormat
from app.formats.damage import SAME_MESSAGES
from app.formats.source import FileSource, Source
from app.validity import check, errors


def compare_with_plan(staged: StagedFile, plan: ExportPlan, stopper: Stopper = TO_THE_END) -> None:
    """Raise RefusedError unless the staged file holds the planned messages and breaks no rule.

    Raises Stopped, too.
    """
    with FileSource(staged.path) as source:
        written = Fingerprints()
        sent = stopper.each(sent_by(plan.format, source))
        found = check(plan.format.validity, written.taken(sent))
        if broken := errors(found):
            raise RefusedError(
                f"{plan.target_words} was not written: the result would break {broken[0].rule}"
                f" at {broken[0].where}; the original is untouched"
            )
        mended = any(notice.word not in SAME_MESSAGES for notice in plan.rewriting.repairs)
        if mended or written.tell_same(plan.fingerprints):
            return
        if other := _first_other(plan, source):
            raise RefusedError(
                f"{plan.target_words} was not written: read back, message {other} differs from"
                " the plan; the original is untouched"
            )


def sent_by(kind: Format, source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """The request that a file of this format stands for: its live messages in the provider's form."""
    if isinstance(kind, StreamingFormat):
        return kind.live_request(source)
    session = kind.read(source)
    return kind.request(session, session.live)


def _first_other(plan: ExportPlan, source: Source) -> int:
    """The 1-based number of the first message that differs from the planned one; 0 if none does."""
    kind = plan.format
    planned = kind.request(plan.session, plan.rewrite.messages)
    written = sent_by(kind, source)
    said = _said_in_one if kind.one_text else _said
    for number, (wanted, found) in enumerate(zip_longest(planned, written), 1):
        if wanted is None or found is None or said(wanted[1]) != said(found[1]):
            return number
    return 0


_SAID: Final = (
    "type", "role", "content", "parts", "name", "input", "arguments", "output",
    "call_id", "tool_call_id", "tool_calls",
)  # fmt: skip
"""The fields of a message or item that are compared, for all providers."""


def _said(message: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(message.get(name) for name in _SAID)


def _said_in_one(message: dict[str, Any]) -> tuple[Any, ...]:
    """`_said` for formats whose records hold one text: its division into parts is not written."""
    content = message.get("content")
    if isinstance(content, list):
        message = {**message, "content": "".join(str(part.get("text", "")) for part in content)}
    return _said(message)
