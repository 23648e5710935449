"""Planning the lines of a new file whose records form a tree: the record of each line, and its parent.

A format decides which rows are sent and in what order (the thread). Here they are placed on the path from
the root to the leaf, among the records of the old path that hold no message; every other record becomes
a child of its nearest ancestor that is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeAlias

from msgspec import Struct, field

from app.formats.lines import mend, parse_record
from app.formats.reshape import reshape
from app.formats.splice import encode
from app.formats.times import stamped
from app.formats.tree import N, Tree
from app.model import Records

Value: TypeAlias = dict[str, Any]
Edit: TypeAlias = Callable[[Value], Value]
"""Returns a changed record; unchanged parts are shared with the old one."""


class Row(Struct, Generic[N], eq=False):
    """One line of the new file: a record of the old one, or a new record."""

    node: N | None = None
    made: Callable[[], Value] | None = None
    """Makes a new record, without id, parent and time."""
    ident: str | None = None
    time: float | None = None
    """Seconds since 1970."""
    edits: list[Edit] = field(default_factory=list)
    parent: Row[N] | None = None
    relinked: bool = False
    """Whether a record of the old file must name another parent."""

    @property
    def edited(self) -> bool:
        """Whether a record of the old file changes (apart from the session id)."""
        return bool(self.edits) or self.relinked


def merged(path: Sequence[Row[N]], thread: Sequence[Row[N]]) -> list[Row[N]]:
    """The rows of `path` and `thread` merged, those of `thread` in the thread's order.

    A row of the thread that is already in order in `path` keeps its place; the others go before the next
    one that does. All other rows of `path` keep their place, too.
    """
    threaded = set(thread)
    places = {row: place for place, row in enumerate(path) if row in threaded}
    found: list[Row[N]] = []
    waiting: list[Row[N]] = []
    reached = 0
    for row in thread:
        place = places.get(row, -1)
        if place < reached:
            waiting.append(row)
            continue
        found += [*(other for other in path[reached:place] if other not in places), *waiting, row]
        waiting = []
        reached = place + 1
    return [*found, *(other for other in path[reached:] if other not in places), *waiting]


def in_file(base: Sequence[Row[N]], path: Sequence[Row[N]], *, linear: bool) -> list[Row[N]]:
    """The kept rows `base` in file order, with each new row after the one that precedes it on the path.

    `linear`: the lines must be in the order of the path, so kept rows out of order move, too.
    """
    stay = set(base) - (_displaced(base, path) if linear else set())
    leading: list[Row[N]] = []
    behind: dict[Row[N], list[Row[N]]] = {}
    anchor: Row[N] | None = None
    first: Row[N] | None = None
    for row in path:
        if row in stay:
            anchor, first = row, first or row
        else:
            (leading if anchor is None else behind.setdefault(anchor, [])).append(row)
    rows: list[Row[N]] = []
    for row in base:
        if row not in stay:
            continue
        if row is first:
            rows += leading
        rows += [row, *behind.get(row, ())]
    return rows if first is not None else rows + leading


def _displaced(base: Sequence[Row[N]], path: Sequence[Row[N]]) -> set[Row[N]]:
    """The rows of the path that are in another order in `base` than on the path."""
    places = {row: place for place, row in enumerate(base)}
    displaced: set[Row[N]] = set()
    reached = -1
    for row in path:
        place = places.get(row)
        if place is None:
            continue
        if place < reached:
            displaced.add(row)
        reached = max(reached, place)
    return displaced


def with_leaf_last(rows: Sequence[Row[N]], leaf: Row[N], counts: Callable[[Row[N]], bool]) -> list[Row[N]]:
    """The rows with `leaf` after every other that `counts`, so that the agent resumes from there.

    Rows with the same id move with it.
    """

    def is_leaf(row: Row[N]) -> bool:
        return row is leaf or (row.ident is not None and row.ident == leaf.ident)

    last = next((row for row in reversed(rows) if counts(row)), leaf)
    if is_leaf(last):
        return list(rows)
    return [*(row for row in rows if not is_leaf(row)), *filter(is_leaf, rows)]


def link(rows: Iterable[Row[N]], path: Sequence[Row[N]], tree: Tree[N]) -> None:
    """Set the parent of every row."""
    by_index = {row.node.index: row for row in rows if row.node is not None}
    ancestors = _Ancestors(tree, by_index)
    previous: Row[N] | None = None
    for row in path:
        row.parent = previous
        previous = row
    on_path = set(path)
    for row in by_index.values():
        if row not in on_path and row.node is not None and row.node.ident is not None:
            row.parent = ancestors.of(row.node)
    for row in by_index.values():
        if row.node is not None and row.node.ident is not None and not ancestors.unknown(row.node):
            parent = row.parent.ident if row.parent is not None else None
            row.relinked = parent != row.node.parent


class _Ancestors(Generic[N]):
    """Finds the nearest kept ancestor; each gap in the tree is walked once."""

    def __init__(self, tree: Tree[N], rows: dict[int, Row[N]]) -> None:
        self._tree = tree
        self._rows = rows
        self._known: dict[int, Row[N] | None] = {}
        self._in_tree = {node.index for node in tree.nodes}

    def of(self, node: N) -> Row[N] | None:
        gap: list[int] = []
        parent = self._parent(node)
        while parent is not None and parent.index not in self._rows and parent.index not in self._known:
            gap.append(parent.index)
            parent = self._parent(parent)
        found = None
        if parent is not None:
            found = self._rows.get(parent.index) or self._known.get(parent.index)
        self._known.update(dict.fromkeys(gap, found))
        return found

    def unknown(self, node: N) -> bool:
        """Whether a record outside the tree names a parent that is not in the file."""
        return node.index not in self._in_tree and node.parent not in self._tree.by_id

    def _parent(self, node: N) -> N | None:
        if node.index in self._in_tree:
            return self._tree.parent(node)
        return self._tree.by_id.get(node.parent) if node.parent is not None else None


def date(path: Sequence[Row[N]]) -> None:
    """Give new rows a time between those of their neighbours if possible, else that of one of them."""
    following: list[float | None] = []
    after: float | None = None
    for row in reversed(path):
        after = row.time if row.time is not None else after
        following.append(after)
    before: float | None = None
    for row, coming in zip(path, reversed(following), strict=True):
        if row.time is None:
            if before is not None and coming is not None and before < coming:
                row.time = (before + coming) / 2
            else:
                row.time = before if coming is None else coming
        before = row.time if row.time is not None else before


class IdFields(Struct, frozen=True):
    """The member names of a record's id and its parent's id in a format."""

    ident: str
    parent: str


def written(
    rows: Iterable[Row[N]], records: Records, naming: IdFields, finish: Callable[[Row[N], bytes], bytes]
) -> Iterator[bytes]:
    """The lines of the new file; `finish` gets each last (to set a new session id)."""
    for row in rows:
        if row.node is None:
            line = encode(_made(row, naming))
        else:
            line = _changed(row, sound_line(records, row.node.index), naming)
        yield finish(row, line) + b"\n"


def sound_line(records: Records, index: int) -> bytes:
    """A record as one line of JSON: its exact bytes unless damaged. Raises ValueError if unreadable."""
    raw = records.raw(index)
    if records[index].damage:
        raw = mend(raw)
    # In sound JSON a raw line end can only be between values.
    return raw.replace(b"\n", b" ") if b"\n" in raw else raw


def _made(row: Row[N], naming: IdFields) -> Value:
    record = row.made() if row.made is not None else {}
    if row.ident is not None:
        parent = row.parent.ident if row.parent is not None else None
        record = {**record, naming.ident: row.ident, naming.parent: parent}
    return {**record, "timestamp": stamped(row.time or 0.0)}


def _changed(row: Row[N], raw: bytes, naming: IdFields) -> bytes:
    if not row.edited:
        return raw
    old = new = parse_record(raw)
    for edit in row.edits:
        new = edit(new)
    if row.relinked:
        new = {**new, naming.parent: row.parent.ident if row.parent is not None else None}
    return reshape(raw, old, new)
