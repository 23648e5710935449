"""The rows of the main list: blocks, boundaries between them, and unreadable records."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import chain
from typing import TypeAlias

from msgspec import Struct

from app.compactability import State, Verdict
from app.model import Author, Block, Boundary, Message, Record, Role, SendStatus, Text
from app.views.outlook import Outlook
from app.work.rows import BlockRow

NEAR = 50
"""Rows at both sides of a place that are looked at before all others."""
UNREADABLE = "unreadable"
"""The kind of a record that is no JSON value of its format."""

Item: TypeAlias = BlockRow | Boundary | Record
"""A row of the list: a block, a compaction, or a record that cannot be read."""


class Facet(StrEnum):
    """The properties rows can be filtered by."""

    VERDICT = "verdict"
    TOOL = "tool"
    ROLE = "role"
    STATE = "state"


class FacetFilter(Struct, frozen=True):
    """Shows only the rows that have `value` in one facet."""

    facet: Facet
    value: str


class KeysFilter(Struct, frozen=True):
    """Shows only the rows of these keys, under the name `value`."""

    value: str
    """Session text: not safe for a terminal."""
    keys: frozenset[str]


class FilterShare(Struct, frozen=True):
    """How many rows a filter would show, and their tokens."""

    only: FacetFilter
    rows: int
    tokens: int


def key_of(item: Item) -> str:
    """A unique key of a row, stable across steps and sorting."""
    match item:
        case Record():
            return f"record {item.index}"
        case Boundary():
            return f"boundary {item.key}"
        case BlockRow():
            return item.key


def is_live(item: Item) -> bool:
    """Whether a row is a block that is sent when the session goes on."""
    return isinstance(item, BlockRow) and item.message.standing is SendStatus.LIVE


def items(seen: Outlook) -> list[Item]:
    """All rows in file order, with the blocks made by steps inserted."""
    session = seen.workspace.session
    records = session.records
    broken = [record for index in range(len(records)) if (record := records[index]).kind == UNREADABLE]
    made = _made(seen)
    found: list[Item] = []
    for row in seen.workspace.rows:
        if row.place == 0:
            before = row.message.records[0] if row.message.records else -1
            while broken and broken[0].index < before:
                found.append(broken.pop(0))
            found += made.pop(row.message.key, ())
            if row.message.boundary is not None:
                found.append(row.message.boundary)
        found.append(row)
    for rest in made.values():
        found += rest
    return [*found, *broken]


def _made(seen: Outlook) -> dict[str, list[Item]]:
    """What the steps made, by the key of the session's message that it stands before (empty: at the end)."""
    numbers = {message.key: n for n, message in enumerate(seen.workspace.session.messages)}
    found: dict[str, list[Item]] = {}
    waiting: list[Message] = []
    for message in (*seen.messages, None):
        if message is not None and message.key not in numbers:
            waiting.append(message)
            continue
        key = "" if message is None else message.key
        number = len(numbers) if message is None else numbers[message.key]
        for new in waiting:
            row = found.setdefault(key, [])
            if new.boundary is not None:
                row.append(new.boundary)
            row += [
                BlockRow(number, place, new, block, "", "", Verdict.DECISION, "made by a step", ())
                for place, block in enumerate(new.blocks)
            ]
        waiting.clear()
    return found


def arranged(
    all_items: Iterable[Item], seen: Outlook, *, by_tokens: bool, only: FacetFilter | KeysFilter | None
) -> list[Item]:
    """The items that pass the filter.

    Sorted by tokens it contains only blocks: the largest first, those that are not sent last.
    """
    kept = [item for item in all_items if only is None or has(item, seen, only)]
    if not by_tokens:
        return kept
    blocks = [item for item in kept if isinstance(item, BlockRow)]
    blocks.sort(key=lambda row: (not is_sent(row, seen), -tokens_of(row, seen)))
    return [*blocks]


class Arrangement(Struct, frozen=True):
    """Rows in display order, with the indexes needed to navigate them."""

    rows: Sequence[Item]
    places: Sequence[int]
    """The position of each of them among all rows in file order."""
    touched: Sequence[int]
    """Ascending positions of the rows that a step touches."""


def as_listed(all_items: Sequence[Item]) -> Arrangement:
    """All rows in file order, before it is known which ones steps touch; constant time."""
    return Arrangement(all_items, range(len(all_items)), ())


def arrange(
    all_items: Sequence[Item], seen: Outlook, *, by_tokens: bool, only: FacetFilter | KeysFilter | None
) -> Arrangement:
    """The rows that pass the filter, in order; linear in the rows."""
    rows: Sequence[Item]
    places: Sequence[int]
    if only is None and not by_tokens:
        rows, places = all_items, range(len(all_items))
    else:
        rows = arranged(all_items, seen, by_tokens=by_tokens, only=only)
        # By identity: a key is worked out for each row that it is asked of.
        by_row = {id(item): place for place, item in enumerate(all_items)}
        places = array("q", (by_row[id(item)] for item in rows))
    touches = seen.touches
    touched = array("q", (at for at, item in enumerate(rows) if key_of(item) in touches)) if touches else ()
    return Arrangement(rows, places, touched)


def place_of(rows: Sequence[Item], item: Item | None, near: int = 0) -> int | None:
    """The position of a row, searched first around `near`; None if it is missing."""
    if item is None:
        return None
    key = key_of(item)
    around = range(max(0, near - NEAR), min(len(rows), near + NEAR))
    places = chain(around, range(len(rows)))
    return next((place for place in places if key_of(rows[place]) == key), None)


def is_sent(row: BlockRow, seen: Outlook) -> bool:
    """Whether a block is part of the conversation as the steps so far leave it."""
    return is_live(row) and seen.block(row) is not None


def tokens_of(row: BlockRow, seen: Outlook) -> int:
    """Tokens of a row as it is now; of one that a step dropped, those it had."""
    return seen.workspace.block_tokens(seen.block(row) or row.block)


def has(item: Item, seen: Outlook, only: FacetFilter | KeysFilter) -> bool:
    """Whether a filter shows this row."""
    if isinstance(only, KeysFilter):
        return key_of(item) in only.keys
    return isinstance(item, BlockRow) and only.value in values(item, seen, only.facet)


def values(row: BlockRow, seen: Outlook, facet: Facet) -> tuple[str, ...]:
    """The values of a row in one facet."""
    match facet:
        case Facet.VERDICT:
            return (str(seen.verdict(row)),)
        case Facet.TOOL:
            return (row.tool,) if row.tool else ()
        case Facet.ROLE:
            return (role_of(row),)
        case Facet.STATE:
            return states_of(row, seen)


def role_of(row: BlockRow) -> str:
    """Who or what a block is, in one word: `user`, `assistant`, `tool_use`, `thinking`, `summary` ..."""
    block = row.block
    if not isinstance(block, Text):
        return block.kind
    if block.author in (Author.USER, Author.ASSISTANT) and row.message.role is not Role.TOOL:
        return str(row.message.role)
    return str(block.author)


DROPPED = "dropped"
"""The state of a block that a step took out; beside the states that it had when the file was opened."""
PINNED = "pinned"


def states_of(row: BlockRow, seen: Outlook) -> tuple[str, ...]:
    """The states of a block as it is now."""
    now = [str(state) for state in row.states if state != PINNED]
    if row.key in seen.state.pins or row.message.key in seen.state.pins:
        now.insert(0, PINNED)
    if row.key in seen.frozen:
        now.append(str(State.FROZEN))
    if seen.block(row) is None:
        now.insert(0, DROPPED)
    return tuple(now)


def shares(all_items: Iterable[Item], seen: Outlook, facets: Iterable[Facet] = Facet) -> list[FilterShare]:
    """Every value of each facet, most tokens first; linear in the rows."""
    asked = tuple(facets)
    rows: Counter[tuple[Facet, str]] = Counter()
    tokens: Counter[tuple[Facet, str]] = Counter()
    for item in all_items:
        if not isinstance(item, BlockRow):
            continue
        size = tokens_of(item, seen)
        for facet in asked:
            for value in values(item, seen, facet):
                rows[facet, value] += 1
                tokens[facet, value] += size
    found = [FilterShare(FacetFilter(*named), count, tokens[named]) for named, count in rows.items()]
    order = asked.index
    return sorted(found, key=lambda share: (order(share.only.facet), -share.tokens, share.only.value))


def searched(all_items: Sequence[Item], seen: Outlook) -> Iterator[tuple[int, str, Block]]:
    """Position, tool and file, and block, as it is now, of each item that has a text to search.

    A result is shown under its tool and its file, which its own text need not hold.
    """
    for position, item in enumerate(all_items):
        if isinstance(item, BlockRow):
            yield position, f"{item.tool} {item.path}".strip(), seen.block(item) or item.block
