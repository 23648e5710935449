"""A diff to read, unified or side by side, with folded runs that open on enter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar, Final, TypeAlias

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual.reactive import reactive
from textual.strip import Strip

from app.diff import DiffRow, LineKind, SplitRow, split_rows
from app.display import UNICODE, Glyphs, cells, fit, human_number, one_line, ruled, safe_line, wrap_points
from app.tui.widgets.line_view import LineView

MAX_LINE_CHARS: Final = 10_000
"""Code points shown of one line of a diff."""


class Heading(Struct, frozen=True):
    """A line of words between the diffs: which message, whether it changed, a boundary."""

    text: str
    rule: bool = False
    """Drawn across, for a boundary."""
    stop: bool = False
    """Whether n and N stop here."""
    faint: bool = False
    """A remark, not a title."""
    key: str = ""
    """What the rows below it are about, for the owner of the pane."""


DiffItem: TypeAlias = DiffRow | Heading


class _Piece(Struct, frozen=True):
    """A part of a diff row that fits on one row of the screen; the first carries number and sign."""

    row: DiffRow
    text: str
    is_first: bool


class _Line(Struct, frozen=True):
    """One row on screen: an item across the whole row, or a piece for each half of it.

    The unified view has all pieces on the left.
    """

    across: DiffItem | None = None
    left: _Piece | None = None
    right: _Piece | None = None

    def shows(self, item: DiffItem) -> bool:
        return item is self.across or any(piece and piece.row is item for piece in (self.left, self.right))

    @property
    def item(self) -> DiffItem:
        piece = self.left or self.right
        found = self.across or (piece.row if piece else None)
        assert found is not None, "an empty line is never laid out"
        return found

    @property
    def is_stop(self) -> bool:
        return isinstance(self.across, Heading) and self.across.stop

    @property
    def is_changed(self) -> bool:
        rows = [piece.row for piece in (self.left, self.right) if piece]
        if isinstance(self.across, DiffRow):
            rows.append(self.across)
        return any(_kind_of(row) is not LineKind.SAME for row in rows)


class DiffPane(LineView):
    """Rows of `app.diff` and headings; n and N go from change to change, enter opens a gap."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "diff-pane--added",
        "diff-pane--removed",
        "diff-pane--gap",
        "diff-pane--heading",
        "diff-pane--faint",
        "diff-pane--rule",
    }
    DEFAULT_CSS = """
    DiffPane {
        & > .diff-pane--added { color: $text-success; }
        & > .diff-pane--removed { color: $text-warning; }
        & > .diff-pane--gap { color: $text-muted; text-style: italic; }
        & > .diff-pane--heading { text-style: bold; }
        & > .diff-pane--faint { color: $text-muted; }
        & > .diff-pane--rule { color: $text-primary; }
    }
    """

    split: reactive[bool] = reactive(False, init=False)
    """Side by side; meant for 120 columns and more."""
    wrap: reactive[bool] = reactive(False, init=False)

    def __init__(
        self,
        items: Sequence[DiffItem] = (),
        *,
        split: bool = False,
        wrap: bool = False,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 (Textual's name)
        classes: str | None = None,
    ) -> None:
        super().__init__(glyphs=glyphs, id=id, classes=classes)
        self.set_reactive(DiffPane.split, split)
        self.set_reactive(DiffPane.wrap, wrap)
        self._items = list(items)
        self._lines: list[_Line] = []
        self._stops: list[int] = []
        self._digits = 4

    def show(self, items: Sequence[DiffItem]) -> None:
        """Show another diff from its start; a search ends."""
        self._items = list(items)
        self._lines = []
        self.set_matches("", ())
        self.relayout()
        self.to_start()

    def key_at(self, index: int) -> str:
        """The key of the nearest heading at or above a row that has one; empty when there is none."""
        above = (line.across for line in reversed(self._lines[: index + 1]))
        return next((item.key for item in above if isinstance(item, Heading) and item.key), "")

    def go_to_key(self, key: str) -> None:
        """Put the cursor on the heading of a key."""
        for index, line in enumerate(self._lines):
            if isinstance(line.across, Heading) and line.across.key == key:
                self.cursor = index
                return

    def open_gap(self, index: int) -> bool:
        """Put the rows behind the gap on row `index` in its place; false when there is no gap."""
        line = self._lines[index]
        gap = next((row for row in _rows_on(line) if row.folded), None)
        if gap is None:
            return False
        place = next(i for i, item in enumerate(self._items) if item is gap)
        self._items[place : place + 1] = gap.folded
        self.relayout()
        return True

    def action_open(self) -> None:
        if not self._lines or not self.open_gap(self.cursor):
            super().action_open()

    # Laying out.

    def watch_split(self) -> None:
        self.relayout()

    def watch_wrap(self) -> None:
        self.relayout()

    def relayout(self) -> None:
        """Lay out for the present width and switches; the cursor stays on its line of the diff."""
        current = self._lines[self.cursor].item if self._lines else None
        numbers = [row.folded[-1] if row.folded else row for row in self._items if isinstance(row, DiffRow)]
        self._digits = max([4, *(len(str(max(row.old or 0, row.new or 0))) for row in numbers)])
        self._lines = list(self._split_lines() if self.split else self._unified_lines())
        # A change right under a heading that is a stop needs no second one.
        begun = [line.is_stop or line.is_changed for line in self._lines]
        self._stops = [
            i
            for i, line in enumerate(self._lines)
            if line.is_stop or (line.is_changed and not (i and begun[i - 1]))
        ]
        shown = (i for i, line in enumerate(self._lines) if current is not None and line.shows(current))
        self.rows_changed(next(shown, self.cursor))
        self.search_again()

    def _unified_lines(self) -> Iterator[_Line]:
        for item in self._items:
            if isinstance(item, Heading) or item.folded:
                yield _Line(across=item)
            else:
                for piece in self._pieces(item, self.room):
                    yield _Line(left=piece)

    def _split_lines(self) -> Iterator[_Line]:
        run: list[DiffRow] = []
        for item in [*self._items, None]:
            if isinstance(item, DiffRow):
                run.append(item)
                continue
            for pair in split_rows(run):
                yield from self._split_pair(pair)
            run = []
            if item is not None:
                yield _Line(across=item)

    def _split_pair(self, pair: SplitRow) -> Iterator[_Line]:
        if pair.left is not None and pair.left is pair.right and pair.left.folded:
            yield _Line(across=pair.left)
            return
        width = self._half_width - self._margin
        sides = [[] if row is None else self._pieces(row, width) for row in (pair.left, pair.right)]
        for left, right in zip_longest(*sides):
            yield _Line(left=left, right=right)

    def _pieces(self, row: DiffRow, width: int) -> list[_Piece]:
        if row.folded:
            return [_Piece(row, fit(self._gap_label(row), width, self.glyphs), True)]
        text = safe_line(row.text[:MAX_LINE_CHARS], self.glyphs)
        if len(row.text) > MAX_LINE_CHARS:
            more = human_number(len(row.text) - MAX_LINE_CHARS)
            text += f"{self.glyphs.ellipsis} {more} more characters"
        if not self.wrap:
            return [_Piece(row, fit(text, width, self.glyphs) if self.split else text, True)]
        points = [0, *wrap_points(text, width)]
        ends = [*points[1:], len(text)]
        return [_Piece(row, text[start:end], start == 0) for start, end in zip(points, ends, strict=True)]

    def _gap_label(self, gap: DiffRow) -> str:
        what = _GAP_WORDS[_kind_of(gap)]
        return f"{self.glyphs.ellipsis} {human_number(len(gap.folded))} {what} (enter to expand)"

    # Rows.

    @property
    def row_count(self) -> int:
        return len(self._lines)

    def stops(self) -> Sequence[int]:
        return self._stops

    def row_width(self) -> int:
        if self.split or self.wrap:
            return 0
        return max((cells(line.left.text) for line in self._lines if line.left), default=0)

    @property
    def _margin(self) -> int:
        """Cells of number and sign beside a text."""
        return self._digits + 3

    @property
    def _half_width(self) -> int:
        return max(self._margin + 2, (self.room - 3) // 2)

    def gutter_width(self) -> int:
        return 0 if self.split else self._margin

    def gutter_strip(self, index: int) -> Strip:
        line = self._lines[index]
        if self.split:
            return Strip([])
        if line.across is not None:
            return self._across_strip(line.across).crop(0, self._margin)
        assert line.left is not None
        row = line.left.row
        return Strip([self._margin_segment(line.left, row.old if row.new is None else row.new)])

    def row_strip(self, index: int) -> Strip:
        line = self._lines[index]
        if line.across is not None:
            return self._across_strip(line.across).crop(self.gutter_width())
        if not self.split:
            assert line.left is not None
            return Strip([Segment(line.left.text, self._style(line.left.row))])
        column = Segment(f" {self.glyphs.column} ", self.get_component_rich_style("line-view--gutter"))
        left = self._half(line.left, line.left.row.old) if line.left else [self._no_half()]
        right = self._half(line.right, line.right.row.new) if line.right else [self._no_half()]
        return Strip([*left, column, *right])

    def _no_half(self) -> Segment:
        return Segment(" " * self._half_width, self.base_style)

    def _half(self, piece: _Piece, number: int | None) -> list[Segment]:
        text = fit(piece.text, self._half_width - self._margin, self.glyphs)
        return [self._margin_segment(piece, number), Segment(text, self._style(piece.row))]

    def _margin_segment(self, piece: _Piece, number: int | None) -> Segment:
        row = piece.row
        if row.folded or not piece.is_first:
            return Segment(" " * self._margin, self.base_style)
        text = f"{number or '':>{self._digits}} {row.kind.value} "
        if row.kind is LineKind.SAME:
            return Segment(text, self.get_component_rich_style("line-view--gutter"))
        return Segment(text, self._style(row))

    def _across_strip(self, item: DiffItem) -> Strip:
        width = self.gutter_width() + self.room
        if isinstance(item, DiffRow):
            label = " " * self._margin + self._gap_label(item)
            return Strip([Segment(fit(label, width, self.glyphs), self._style(item))])
        name = "diff-pane--rule" if item.rule else "diff-pane--faint" if item.faint else "diff-pane--heading"
        draw = ruled if item.rule else one_line
        return Strip([Segment(draw(item.text, width, self.glyphs), self.get_component_rich_style(name))])

    def _style(self, row: DiffRow) -> Style:
        if row.folded:
            return self.get_component_rich_style("diff-pane--gap")
        if row.kind is LineKind.ADDED:
            return self.get_component_rich_style("diff-pane--added")
        if row.kind is LineKind.REMOVED:
            return self.get_component_rich_style("diff-pane--removed")
        return self.base_style


_GAP_WORDS: Final = {
    LineKind.SAME: "unchanged lines",
    LineKind.REMOVED: "more removed lines",
    LineKind.ADDED: "more added lines",
}


def _kind_of(row: DiffRow) -> LineKind:
    return row.folded[0].kind if row.folded else row.kind


def _rows_on(line: _Line) -> Iterator[DiffRow]:
    if isinstance(line.across, DiffRow):
        yield line.across
    for piece in (line.left, line.right):
        if piece is not None:
            yield piece.row
