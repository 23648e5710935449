"""The lines of the new file as data: the record of each line, and the changes to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from itertools import groupby
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct, field

from app.formats.claude_code.added import Value, assistant_record, user_record
from app.formats.claude_code.nodes import Node
from app.formats.claude_code.request import value_of
from app.formats.claude_code.transcript import Transcript
from app.formats.drafts import Draft, Item
from app.formats.text_copies import Words
from app.model import Block, Boundary, JsonPath, Message, Role

_NO_TEXTS: Final[Mapping[JsonPath, Item]] = MappingProxyType({})


class Row(Struct, eq=False):
    """One line of the new file: a record of the old one, or a new record."""

    node: Node | None = None
    made: Callable[[], Value] | None = None
    uuid: str | None = None
    time: float | None = None
    message: int | None = None
    """Index of the draft that it is part of; None for a record that is not sent."""
    has_results: bool = False
    parent: Row | None = None
    parent_uuid: str | None = None
    """The parent's uuid, once all rows are linked: references would keep all rows in memory."""
    content: list[Item] | None = None
    """The new content of a message record, if it changes."""
    texts: Mapping[JsonPath, Item] = field(default_factory=lambda: _NO_TEXTS)
    """The texts of an attachment record that change."""
    gone: tuple[JsonPath, ...] = ()
    """The texts of an attachment record that are removed, while others stay."""
    new_parent: bool = False
    drop_source: bool = False
    reference: str | None = None
    context_tokens: int | None = None
    plain_boundary: bool = False
    """A boundary record loses its preserved segment: the chain leads through the segment now."""
    words: Words | None = None
    """Rewritten words of which this never-sent record holds a copy."""

    @property
    def edited(self) -> bool:
        """Whether a record of the old file changes (apart from the session id)."""
        return (
            self.content is not None
            or bool(self.texts)
            or bool(self.gone)
            or self.new_parent
            or self.drop_source
            or self.reference is not None
            or self.context_tokens is not None
            or self.plain_boundary
            or self.words is not None
            or (self.node is not None and self.uuid != self.node.uuid)
        )

    def as_line(self) -> Row | int:
        """The record's index if it is unchanged, else a copy of the row; called after linking.

        Copying places the remaining rows together in memory, so that the rest can be freed.
        """
        self.parent_uuid = None if self.parent is None else self.parent.uuid
        self.parent = None
        return copy(self) if self.node is None or self.edited else self.node.index


class Thread(Struct):
    """The rows that are sent, in sending order."""

    rows: list[Row]
    by_record: dict[int, Row]
    """The rows of kept records, by record index."""


class Threader:
    """Makes the rows of the drafts."""

    def __init__(
        self,
        nodes: Sequence[Node],
        records: Transcript,
        originals: dict[str, Block],
        neighbour: int,
        make_uuid: Callable[[str], str],
        boundary: Boundary | None,
    ) -> None:
        self._nodes = {n.index: n for n in nodes}
        self._records = records
        self._originals = originals
        self._neighbour = neighbour
        self._make_uuid = make_uuid
        self._boundary = boundary

    def thread(self, drafts: Sequence[Draft]) -> Thread:
        """All drafts as rows."""
        thread = Thread([], {})
        for number, draft in enumerate(drafts):
            for row in self._rows(draft):
                row.message = number
                thread.rows.append(row)
                if row.node is not None:
                    thread.by_record[row.node.index] = row
        return thread

    def _rows(self, draft: Draft) -> list[Row]:
        kept: dict[int, list[Item]] = {}
        inside = _made_inside(draft)
        for number, item in enumerate(draft.items):
            if item.block is not None and item.block.place is not None:
                kept.setdefault(item.block.place.record, []).append(item)
            elif number in inside:
                kept[inside[number]].append(item)
        rows = {index: self._kept_row(self._nodes[index], items) for index, items in kept.items()}
        ordered = list(rows.values())
        if draft.role is Role.USER:
            # A reader that joins records in file order must find the results first.
            ordered.sort(key=lambda row: (not row.has_results, row.node.order if row.node else 0))
        for items, following in _made_runs([i for n, i in enumerate(draft.items) if n not in inside]):
            # Records are in file order, which need not be the order in which their blocks are sent.
            places = (place for place, row in enumerate(ordered) if row.node and row.node.index in following)
            ordered.insert(next(places, len(ordered)), self._made_row(draft, items, ordered))
        return ordered

    def _kept_row(self, node: Node, items: list[Item]) -> Row:
        row = Row(node, uuid=node.uuid, time=node.time)
        row.has_results = any(_is_result(item) for item in items)
        if node.uuid is None:
            row.uuid = self._make_uuid(node.key)
        changed = [item for item in items if self._differs(item)]
        if node.kind == "attachment":
            row.texts = {i.block.place.path: i for i in changed if i.block is not None and i.block.place}
            kept = {item.block.key for item in items if item.block is not None}
            row.gone = tuple(b.place.path for b in node.blocks if b.key not in kept and b.place)
        elif changed or [i.block.key for i in items if i.block] != [b.key for b in node.blocks]:
            row.content = items
        return row

    def _differs(self, item: Item) -> bool:
        return item.value is not None or (
            item.block is not None and self._originals.get(item.block.key) is not item.block
        )

    def _made_row(self, draft: Draft, items: list[Item], siblings: Sequence[Row]) -> Row:
        first = items[0]
        key = first.block.key if first.block is not None else f"{draft.key}/{len(siblings)}"
        blocks = [item.block for item in items if item.block is not None]
        records, neighbour = self._records, self._neighbour
        behind = self._boundary is not None and _stands_for(first.message, self._boundary)
        sibling = next((row.node.index for row in siblings if row.node is not None), None)

        def record() -> Value:
            values = [value_in(item, records) for item in items]
            if draft.role is Role.ASSISTANT:
                beside = None if sibling is None else records.value(sibling)
                return assistant_record(values, beside, records.value(neighbour), key)
            return user_record(blocks, values, records.value(neighbour), behind_boundary=behind)

        return Row(made=record, uuid=self._make_uuid(key))


def _made_inside(draft: Draft) -> dict[int, int]:
    """New items of a reply between two items of one record, which go into that record: item -> record.

    A record of their own would come before that one, and before the thinking with which it begins.
    """
    if draft.role is not Role.ASSISTANT:
        return {}
    found: dict[int, int] = {}
    waiting: list[int] = []
    before: int | None = None
    for number, item in enumerate(draft.items):
        if item.block is None or item.block.place is None:
            waiting.append(number)
            continue
        if item.block.place.record == before:
            found.update(dict.fromkeys(waiting, before))
        before, waiting = item.block.place.record, []
    return found


def _made_runs(items: Sequence[Item]) -> Iterator[tuple[list[Item], set[int]]]:
    """Runs of new items of one message, each with the records of all items after it."""
    end = 0
    for of_message, group in groupby(items, key=lambda item: None if item.kept else id(item.message)):
        run = list(group)
        end += len(run)
        if of_message is not None:
            yield run, {i.block.place.record for i in items[end:] if i.block and i.block.place}


def _stands_for(message: Message | None, boundary: Boundary) -> bool:
    return message is not None and message.boundary is not None and message.boundary.key == boundary.key


def value_in(item: Item, records: Transcript) -> Any:
    """An item as JSON."""
    if item.value is not None:
        return item.value
    assert item.block is not None
    return value_of(item.block, records)


def _is_result(item: Item) -> bool:
    value = item.value
    if value is not None:
        return isinstance(value, dict) and value.get("type") == "tool_result"
    return item.block is not None and item.block.kind == "tool_result"
