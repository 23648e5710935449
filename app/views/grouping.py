"""Groups rows by file, tool, turn or verdict, with the tokens of each group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field

from app.compactability import Call, Kind, Verdict, call_of
from app.compactability.turns import starts_turn
from app.display import counted, short_number
from app.model import Author, Message, Text, ToolResult, ToolUse
from app.views.selection import current_rows, turn_numbers
from app.work.rows import BlockRow
from app.work.workspace import Workspace


class GroupBy(StrEnum):
    """The properties rows can be grouped by."""

    PATH = "path"
    TOOL = "tool"
    TURN = "turn"
    VERDICT = "verdict"


class Group(Struct, frozen=True):
    """Some rows with something in common."""

    label: str
    """Session text: not safe for a terminal."""
    keys: tuple[str, ...]
    """Keys of its blocks, in order: an edit of the group acts on these."""
    tokens: int
    count: int
    """Blocks."""
    words: str
    """Its contents in words, as in `7 reads, 31k, edited twice`."""


class _Gathered(Struct):
    rows: list[BlockRow] = field(default_factory=list)
    tokens: int = 0


def groups(workspace: Workspace, by: GroupBy) -> list[Group]:
    """The live blocks, as the steps so far leave them, by what they have in common.

    The largest group comes first; turns come in their order. Blocks without it are in no group.
    """
    rows = current_rows(workspace)
    calls = _calls(rows, workspace.session.cwd)
    label = _labels(rows, by, calls)
    gathered: dict[str, _Gathered] = {}
    for row in rows:
        if name := label(row):
            group = gathered.setdefault(name, _Gathered())
            group.rows.append(row)
            group.tokens += workspace.block_tokens(row.block)
    found = [
        Group(name, tuple(row.key for row in g.rows), g.tokens, len(g.rows), _words(g, by, calls))
        for name, g in gathered.items()
    ]
    return found if by is GroupBy.TURN else sorted(found, key=lambda group: (-group.tokens, group.label))


def _calls(rows: Sequence[BlockRow], cwd: str | None) -> Mapping[str, Call]:
    """What each call was about, by its id; the last of equal ids counts."""
    return {row.block.id: call_of(row.block, cwd) for row in rows if isinstance(row.block, ToolUse)}


def _labels(rows: Sequence[BlockRow], by: GroupBy, calls: Mapping[str, Call]) -> Callable[[BlockRow], str]:
    match by:
        case GroupBy.PATH:
            return lambda row: _file(calls.get(_call_id(row)), row)
        case GroupBy.TOOL:
            return lambda row: row.tool
        case GroupBy.VERDICT:
            return lambda row: str(row.verdict)
        case GroupBy.TURN:
            titles = dict(_turn_titles(rows))
            return lambda row: titles[row.message.key]


def _call_id(row: BlockRow) -> str:
    match row.block:
        case ToolUse():
            return row.block.id
        case ToolResult():
            return row.block.tool_use_id
    return ""


def _file(call: Call | None, row: BlockRow) -> str:
    """The file that a call is about: one spelling for each, whatever the tool."""
    named = (*(call.writes or call.files), row.path) if call is not None else (row.path,)
    return next((name for name in named if name), "")


def _turn_titles(rows: Sequence[BlockRow]) -> Iterator[tuple[str, str]]:
    """What each message's turn is called: its number and the words that it starts with."""
    messages = list({row.message.key: row.message for row in rows}.values())
    numbers = turn_numbers(messages)
    starts: dict[int, str] = {}
    for message in messages:
        starts.setdefault(numbers[message.key], _first_words(message) if starts_turn(message) else "")
    for message in messages:
        number = numbers[message.key]
        yield message.key, f"{number} {starts[number]}".rstrip()


def _first_words(message: Message) -> str:
    typed = (b for b in message.blocks if isinstance(b, Text) and b.author is Author.USER)
    return next((" ".join(text.content.preview.split()) for text in typed), "")


def _words(group: _Gathered, by: GroupBy, calls: Mapping[str, Call]) -> str:
    size = short_number(group.tokens)
    uses = [row for row in group.rows if isinstance(row.block, ToolUse)]
    match by:
        case GroupBy.PATH:
            return _listed(*_reads(uses, calls), size, _edits(uses, calls))
        case GroupBy.TOOL:
            failed = sum(row.verdict is Verdict.ERROR for row in group.rows)
            return _listed(_some(len(uses), "call"), size, f"{failed} failed" if failed else "")
        case GroupBy.TURN:
            messages = len({row.message.key for row in group.rows})
            return _listed(_some(messages, "message"), _some(len(uses), "call"), size)
        case GroupBy.VERDICT:
            return _listed(_some(len(group.rows), "block"), size)


def _reads(uses: Sequence[BlockRow], calls: Mapping[str, Call]) -> tuple[str, str]:
    reads = sum(calls[_call_id(row)].kind is Kind.READ for row in uses)
    others = sum(not calls[_call_id(row)].writes for row in uses) - reads
    return _some(reads, "read"), _some(others, "other call")


def _edits(uses: Sequence[BlockRow], calls: Mapping[str, Call]) -> str:
    edits = sum(bool(calls[_call_id(row)].writes) for row in uses)
    times = {0: "", 1: "once", 2: "twice"}.get(edits, f"{edits} times")
    return f"edited {times}" if times else ""


def _some(number: int, noun: str) -> str:
    return counted(number, noun) if number > 0 else ""


def _listed(*words: str) -> str:
    return ", ".join(filter(None, words))
