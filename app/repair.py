"""Repairing a session without compacting it: what would change, line by line, and the plan to write it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from msgspec import Struct

from app.export.plan import ExportOptions, ExportPlan, make_plan
from app.formats import format_named
from app.formats.base import Rewrite
from app.formats.source import Source, chunks
from app.model import Notice
from app.work.workspace import Workspace

MOST_LINES = 4_000
"""Lines from the first to the last difference up to which they are compared; above, only notices tell."""

AROUND = 60
"""Code points shown around the place where two versions of a line diverge."""


class LineChange(Struct, frozen=True):
    """One place where the repaired file differs; texts are session text, not safe for a terminal."""

    line: int
    """1-based line of the original."""
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class RepairPlan:
    """What would be repaired, and the export that would write it."""

    repairs: tuple[Notice, ...]
    changes: tuple[LineChange, ...]
    export: ExportPlan


def plan_repair(workspace: Workspace, source: Source, options: ExportOptions) -> RepairPlan:
    """Plan the repair of a session; raises InputError if it holds no conversation."""
    plan = make_plan(workspace, source, options)
    session = workspace.session
    # The same repair without a new id, so that only the repairs differ.
    bare = format_named(session.format).rewrite(session, Rewrite(messages=session.live))
    old = b"".join(chunks(source)).split(b"\n")
    new = b"".join(bare.pieces()).split(b"\n")
    # The plan's own list: some repairs are made only when a new session is written.
    return RepairPlan(plan.rewriting.repairs, tuple(_changes(old, new)), plan)


def _changes(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[LineChange]:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(left), len(right)) > MOST_LINES:
        return
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            before, after = _parting(list(map(_text, left[a:b])), list(map(_text, right[c:d])))
            yield LineChange(head + a + 1, before, after)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def _parting(before: list[str], after: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Both sides cut to the surroundings of their first difference."""
    place = next(
        (i for i, (x, y) in enumerate(zip("\n".join(before), "\n".join(after), strict=False)) if x != y), 0
    )
    start = max(0, place - AROUND)
    return tuple(_cut(line, start) for line in before), tuple(_cut(line, start) for line in after)


def _cut(line: str, start: int) -> str:
    shown = line[start : start + 3 * AROUND] if start < len(line) else line[-AROUND:]
    begin = "…" if start and start < len(line) else ""
    return f"{begin}{shown}{'…' if start + 3 * AROUND < len(line) else ''}"
