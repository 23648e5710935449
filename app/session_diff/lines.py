"""The comparison of two sessions as lines, generated lazily."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import groupby
from pathlib import PurePath

from msgspec import Struct

from app.diff import DiffRow, LineKind
from app.display import counted, human_number, one_line
from app.formats import format_named
from app.model import Session, ToolResult, ToolUse, blocks_of, preview_of
from app.session_diff.sessions import BlockRow, Contrast, ContrastRow, Fate, Side, block_rows
from app.tokens.counter import Counter

PREVIEW_CELLS = 60
TAB_CELLS = 4
GUTTER = 5
"""Digits of a line number."""


class Tone(StrEnum):
    """The kind of a line, for output with colours."""

    PLAIN = "plain"
    HEAD = "head"
    CHANGED = "changed"
    GONE = "gone"
    ADDED = "added"
    FAINT = "faint"


class Line(Struct, frozen=True):
    """One line; its text is session text and not safe for a terminal."""

    tone: Tone
    text: str


_SIGNS = {Fate.KEPT: "=", Fate.CHANGED: "~", Fate.GONE: "-", Fate.ADDED: "+"}
_TONES = {
    Fate.KEPT: Tone.FAINT,
    Fate.CHANGED: Tone.CHANGED,
    Fate.GONE: Tone.GONE,
    Fate.ADDED: Tone.ADDED,
}
_LINES = {
    LineKind.SAME: Tone.FAINT,
    LineKind.GAP: Tone.FAINT,
    LineKind.REMOVED: Tone.GONE,
    LineKind.ADDED: Tone.ADDED,
}


def contrast_parts(
    found: Contrast, counter: Counter, *, brief: bool = False, full: bool = False, whole_paths: bool = True
) -> Iterator[Line | DiffRow]:
    """Both sessions message by message, and what it comes to: lines of words, and rows of the diffs.

    `brief` leaves the texts out; `full` keeps what did not change apart. Texts are read as their row comes.
    """
    for side, session in (("a", found.before), ("b", found.after)):
        name = session.name if whole_paths else PurePath(session.name).name
        yield Line(Tone.HEAD, f"{side}  {name}  {_session_words(session, counter)}")
    tools = _tool_names(found)
    for is_kept, rows in groupby(found.rows, key=lambda row: row.fate is Fate.KEPT and not full):
        if is_kept:
            yield from _kept(list(rows), counter)
            continue
        for row in rows:
            yield Line(_TONES[row.fate], _row_words(row, counter))
            if not brief and row.fate is not Fate.KEPT:
                for block in block_rows(row):
                    yield Line(Tone.PLAIN, _block_words(block, counter, tools))
                    yield from block.diff(full=full).rows
    yield Line(Tone.HEAD, summary(found, counter))


def contrast_lines(
    found: Contrast, counter: Counter, *, brief: bool = False, full: bool = False
) -> Iterator[Line]:
    """The same as lines alone; `full` unfolds what the diffs fold, too."""
    for part in contrast_parts(found, counter, brief=brief, full=full):
        if isinstance(part, Line):
            yield part
        else:
            yield from _diff_lines(part, full)


def summary(found: Contrast, counter: Counter) -> str:
    """`kept 100, changed 12, gone 11, added 1  ~160,806 -> ~57,300 tokens (-103,506)`."""
    before, after = (counter.total(session.live)[0] for session in (found.before, found.after))
    if found.is_same:
        return f"the same: both send {counted(len(found.rows), 'message')}, ~{human_number(before)} tokens"
    fates = ", ".join(f"{fate} {human_number(found.count(fate))}" for fate in Fate)
    return f"{fates}  ~{human_number(before)} -> ~{human_number(after)} tokens ({_change(before, after)})"


def _change(before: int, after: int) -> str:
    return "no change" if before == after else f"{after - before:+,}"


def _session_words(session: Session, counter: Counter) -> str:
    size = f"~{human_number(counter.total(session.live)[0])} tokens"
    messages = counted(len(session.live), "message")
    return f"({format_named(session.format).title}): {messages} sent, {size}"


def _kept(rows: list[ContrastRow], counter: Counter) -> Iterator[Line]:
    first, last = _places(rows[0]), _places(rows[-1])
    places = first if len(rows) == 1 else f"{first} ... {last}"
    tokens = counter.total(row.side.message for row in rows)[0]
    words = f"{counted(len(rows), 'message')} kept, ~{human_number(tokens)} tokens"
    yield Line(Tone.FAINT, f"= {places}  {words}")


def _row_words(row: ContrastRow, counter: Counter) -> str:
    sides = [side for side in (row.before, row.after) if side is not None]
    sizes = " -> ".join(f"~{human_number(counter.message(side.message)[0])}" for side in sides)
    preview = ""
    if row.fate is Fate.KEPT:
        preview = "  " + one_line(_preview(row.side), PREVIEW_CELLS).rstrip()
    return f"{_SIGNS[row.fate]} {_places(row)}  {row.side.message.role} {row.fate}  {sizes} tokens{preview}"


def _places(row: ContrastRow) -> str:
    """Where it stands on either side; one number where both have the same."""
    numbers = [f"#{side.number}" for side in (row.before, row.after) if side is not None]
    if len(numbers) == 2 and numbers[0] != numbers[1]:
        return f"{numbers[0]} -> {numbers[1]}"
    return numbers[0]


def _preview(side: Side) -> str:
    return next((preview_of(block) for block in side.message.blocks if preview_of(block)), "")


def _block_words(row: BlockRow, counter: Counter, tools: dict[str, str]) -> str:
    sides = [block for block in (row.before, row.after) if block is not None]
    sizes = " -> ".join(f"~{human_number(counter.tokens(block)[0])}" for block in sides)
    return f"    {_SIGNS[row.fate]} {_what(row, tools)}  {sizes}"


def _diff_lines(row: DiffRow, full: bool) -> Iterator[Line]:
    if row.kind is not LineKind.GAP:
        yield Line(_LINES[row.kind], _text_line(row))
    elif full:
        yield from (Line(_LINES[inner.kind], _text_line(inner)) for inner in row.folded)
    else:
        of_what = {"-": "removed ", "+": "added "}.get(str(row.folded[0].kind), "")
        words = f"{counted(len(row.folded), f'{of_what}line')} more"
        yield Line(Tone.FAINT, f"      {'...':>{GUTTER}}   {words}")


def _text_line(line: DiffRow) -> str:
    number = line.old if line.new is None else line.new
    return f"      {number or '':>{GUTTER}} {line.kind} {line.text.expandtabs(TAB_CELLS)}"


def _what(row: BlockRow, tools: dict[str, str]) -> str:
    block = row.block
    if isinstance(block, ToolUse):
        return " ".join(filter(None, (block.kind, block.name, block.path or "")))
    if isinstance(block, ToolResult):
        return " ".join(filter(None, (block.kind, tools.get(block.tool_use_id, ""))))
    return block.kind


def _tool_names(found: Contrast) -> dict[str, str]:
    """The name and path of each call by its id."""
    return {
        block.id: " ".join(filter(None, (block.name, block.path or "")))
        for session in (found.after, found.before)
        for _, block in blocks_of(session.live)
        if isinstance(block, ToolUse)
    }
