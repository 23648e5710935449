"""Selects blocks by a filter and returns their keys for a hand edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import Any

from msgspec.structs import replace

from app.compactability import Verdict
from app.compactability.paths import base_name
from app.compactability.turns import turns_of
from app.errors import InputError
from app.model import Block, Message, SendStatus, text_of
from app.views.listing import role_of
from app.work.rows import BlockRow
from app.work.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Filter:
    """The conditions on a row; unset ones always match."""

    verdict: str = ""
    """As in the list: `superseded`, `regenerable` ..."""
    tool: str = ""
    """A tool's name, whatever its case; `*` stands for any ending."""
    role: str = ""
    """`user`, `assistant`, `thinking`, `tool_use`, `tool_result`, `image` ..."""
    before_turn: int = 0
    """Only turns before this one, the first being 1; counted from the newest (-1) where it is negative."""
    larger_than: int = 0
    """Tokens."""
    path: str = ""
    """A pattern with `*` for the call's file; without a slash its name alone is compared too."""
    text: str = ""
    """Words that stand in its text, whatever their case."""

    @classmethod
    def parse(cls, values: Mapping[str, str]) -> Filter:
        """Parse a filter as a person types it; raises InputError naming what does not fit."""
        known = {field.name: field.type for field in fields(cls)}
        parsed: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known:
                raise InputError(f"rows cannot be chosen by {name!r}; choose by: {', '.join(known)}")
            parsed[name] = _number(name, value) if known[name] == "int" else value
        verdict = parsed.get("verdict", "")
        if verdict and verdict not in list(Verdict):
            raise InputError(f"unknown verdict {verdict!r}; available: {', '.join(Verdict)}")
        return cls(**parsed)


def _number(name: str, value: str) -> int:
    try:
        return int(value.replace("_", ""))
    except ValueError as error:
        raise InputError(f"{name} must be a whole number, not {value!r}") from error


def current_rows(workspace: Workspace) -> list[BlockRow]:
    """The rows of the session that are sent, with their blocks as the steps so far leave them."""
    changes = workspace.changes
    rows = []
    for row in workspace.rows:
        change = changes.get(row.key)
        if row.message.standing is not SendStatus.LIVE or (change is not None and change.after is None):
            continue
        block = row.block if change is None or change.after is None else change.after
        verdict = row.verdict if change is None else Verdict.COMPACTED
        rows.append(row if change is None else replace(row, block=block, verdict=verdict))
    return rows


def turn_numbers(messages: Sequence[Message]) -> dict[str, int]:
    """The turn of each message by its key, the first being 1."""
    return {messages[i].key: number for number, turn in enumerate(turns_of(messages), 1) for i in turn}


def matching(rows: Iterable[BlockRow], wanted: Filter, tokens: Callable[[Block], int]) -> tuple[str, ...]:
    """Keys of the rows that pass a filter, in their order; only blocks that are sent can.

    `tokens` measures a block. Texts are read only where the filter asks for words.
    """
    live = [row for row in rows if row.message.standing is SendStatus.LIVE]
    turns = turn_numbers(list({row.message.key: row.message for row in live}.values()))
    newest = max(turns.values(), default=0)
    end = wanted.before_turn if wanted.before_turn >= 0 else newest + 1 + wanted.before_turn
    return tuple(
        row.key
        for row in live
        if (not wanted.before_turn or turns[row.message.key] < end)
        and _is(row, wanted)
        and (not wanted.larger_than or tokens(row.block) > wanted.larger_than)
        and (not wanted.text or wanted.text.casefold() in text_of(row.block).casefold())
    )


def select(workspace: Workspace, wanted: Filter) -> tuple[str, ...]:
    """Keys of the blocks, as they are now, that pass a filter."""
    return matching(current_rows(workspace), wanted, workspace.block_tokens)


def _is(row: BlockRow, wanted: Filter) -> bool:
    return (
        (not wanted.verdict or row.verdict == wanted.verdict)
        and (not wanted.role or role_of(row) == wanted.role)
        and (not wanted.tool or fnmatchcase(row.tool.casefold(), wanted.tool.casefold()))
        and (not wanted.path or _has_path(row.path, wanted.path))
    )


def _has_path(path: str, pattern: str) -> bool:
    if not path:
        return False
    return fnmatchcase(path, pattern) or ("/" not in pattern and fnmatchcase(base_name(path), pattern))
