"""The base of everything long on screen: rows painted one by one on Textual's Line API.

A `LineView` never holds a widget or a renderable per row, so its cost is that of the visible rows.
Subclasses say how many rows there are and paint one; the cursor, scrolling, selecting text with the
mouse and the whole-row cursor style live here, searching in `finding`.

Rows are painted as plain segments, never as markup, and their text must come out of
`app.display.safe_text` or its siblings.
"""

from __future__ import annotations

from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip

from app.display import UNICODE, Glyphs
from app.tui.widgets.finding import Finding
from app.tui.widgets.highlight import restyle

CACHED_ROWS: Final = 1_024


class LineView(Finding, can_focus=True, inherit_bindings=False):
    """A scrolling view of rows that are painted when they are seen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False, id="view.down"),
        Binding("up,k", "move(-1)", "Up", show=False, id="view.up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id="view.page-down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id="view.page-up"),
        Binding("ctrl+d", "move_page(0.5)", "Half a page down", show=False, id="view.half-page-down"),
        Binding("ctrl+u", "move_page(-0.5)", "Half a page up", show=False, id="view.half-page-up"),
        Binding("g,home", "first", "First row", show=False, id="view.first"),
        Binding("G,end", "last", "Last row", show=False, id="view.last"),
        Binding("left", "scroll_left", "Scroll left", show=False, id="view.left"),
        Binding("right", "scroll_right", "Scroll right", show=False, id="view.right"),
        Binding("n", "next_stop", "Next match, or next change", show=False, id="view.next"),
        Binding("N", "previous_stop", "Previous match, or previous change", show=False, id="view.previous"),
        Binding("enter", "open", "Open", show=False, id="view.open"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line-view--cursor",
        "line-view--header",
        "line-view--gutter",
        "line-view--match",
    }
    DEFAULT_CSS = """
    LineView {
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 1;
        background: $background;
        color: $foreground;
        & > .line-view--cursor {
            background: $block-cursor-blurred-background;
            color: $block-cursor-blurred-foreground;
            text-style: $block-cursor-blurred-text-style;
        }
        &:focus > .line-view--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
        & > .line-view--header { color: $text-muted; }
        & > .line-view--gutter { color: $text-muted; }
        & > .line-view--match { text-style: reverse; }
    }
    """
    HEADER_ROWS: ClassVar[int] = 0
    """Rows at the top that do not scroll, painted by `header_strip`."""

    glyphs: reactive[Glyphs] = reactive(UNICODE, init=False)

    class Moved(Finding.RowMessage):
        """The cursor stands on another row."""

    class Opened(Finding.RowMessage):
        """Enter on a row, or a double click."""

    def __init__(
        self,
        *,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 (Textual's name)
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.set_reactive(LineView.glyphs, glyphs)
        self._strips: LRUCache[int, Strip] = LRUCache(CACHED_ROWS)
        self._base_style = Style()

    # What a subclass says about its rows.

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def row_strip(self, index: int) -> Strip:
        """Row `index` without its gutter, as wide as it is; kept until `rows_changed`."""
        raise NotImplementedError

    def header_strip(self, y: int) -> Strip:
        """Line `y` of the `HEADER_ROWS`."""
        raise NotImplementedError

    def gutter_width(self) -> int:
        """Cells left of every row that do not scroll sideways and cannot be selected."""
        return 0

    def gutter_strip(self, index: int) -> Strip:
        """What stands there."""
        return Strip.blank(self.gutter_width(), self.base_style)

    def row_width(self) -> int:
        """Cells of the widest row, without gutter; 0 when rows are made to fit."""
        return 0

    def row_goes_on(self, index: int) -> bool:
        """Whether the next row continues the same line, so that copied text is joined."""
        return False

    def relayout(self) -> None:
        """Make the rows fit after the size or the glyphs changed."""
        self.rows_changed()

    @property
    def room(self) -> int:
        """Cells that a row may fill beside the cursor sign and the gutter."""
        return max(0, self.size.width - self.scrollbar_gutter.width - self._sign_width - self.gutter_width())

    @property
    def _sign_width(self) -> int:
        return 1 if self.show_cursor else 0

    # What the owner of the data calls.

    @property
    def scrolled_to(self) -> int | None:
        """The row that the view begins with, where it was scrolled away from the cursor; else None."""
        top = round(self.scroll_y)
        is_away = self.show_cursor and not top <= self.cursor < top + self.page
        return top if is_away else None

    def rows_changed(self, cursor: int | None = None, *, top: int | None = None) -> None:
        """Paint all rows anew after the data or the width changed; the cursor may be put elsewhere.

        It is in sight then, but where `top` is given, with which the view begins.
        """
        if not self.is_mounted:
            # The first resize calls again.
            self.set_reactive(LineView.cursor, self.cursor if cursor is None else cursor)
            return
        self._strips.clear()
        width = self.row_width()
        width += self._sign_width + self.gutter_width() if width else 0
        self.virtual_size = Size(width, self.row_count + self.HEADER_ROWS)
        self.cursor = self.cursor if cursor is None else cursor
        if top is None:
            self.reveal(self.cursor)
        else:
            self.scroll_to(y=top, animate=False)
        self.refresh()

    def repaint_rows(self) -> None:
        """Paint the same rows anew, which say something else now; the view stays where it was scrolled to."""
        self._strips.clear()
        self.refresh()

    def to_start(self) -> None:
        """Put cursor and view where a text begins."""
        self.set_reactive(LineView.cursor, 0)
        if self.is_mounted:
            self.scroll_to(x=0, y=0, animate=False)
            self.refresh()

    def row_changed(self, index: int) -> None:
        """Paint one row anew."""
        self._strips.discard(index)
        self._refresh_row(index)

    # Moving.

    @property
    def page(self) -> int:
        return max(1, self.scrollable_content_region.height - self.HEADER_ROWS)

    def action_move(self, rows: int) -> None:
        if self.show_cursor:
            self.cursor += rows
        else:
            self.scroll_to(y=self.scroll_y + rows, animate=False)

    def action_move_page(self, pages: float) -> None:
        rows = max(1, round(abs(pages) * self.page))
        self.action_move(rows if pages > 0 else -rows)

    def action_first(self) -> None:
        self.action_move(-self.row_count)

    def action_last(self) -> None:
        self.action_move(self.row_count)

    def action_open(self) -> None:
        if self.row_count:
            self.post_message(self.Opened(self, self.cursor))

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, self.row_count - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        self._refresh_row(old)
        self._refresh_row(new)
        self.reveal(new)
        self.post_message(self.Moved(self, new))

    def watch_glyphs(self) -> None:
        self.relayout()

    def watch_show_cursor(self) -> None:
        self.relayout()

    def reveal(self, index: int, *, centre: bool = False) -> None:
        top, page = round(self.scroll_y), self.page
        if not self.show_cursor and not centre:
            return
        if index < top or index >= top + page:
            above = page // 2 if centre else (0 if index < top else page - 1)
            # Without force a view that held all its rows a moment ago would not scroll yet.
            self.scroll_to(y=index - above, animate=False, force=True)

    def _refresh_row(self, index: int) -> None:
        self.refresh_line(index + self.HEADER_ROWS)

    # Events.

    def on_resize(self) -> None:
        self.relayout()

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    def on_click(self, event: events.Click) -> None:
        if event.chain > 1:
            # Here and in what is around, the default of a double click selects every row.
            event.prevent_default()
            event.stop()
        offset = event.get_content_offset(self)
        if offset is None or offset.y < self.HEADER_ROWS or self.text_selection is not None:
            return
        index = offset.y - self.HEADER_ROWS + round(self.scroll_y)
        if index >= self.row_count:
            return
        self.cursor = index
        if event.chain == 2:
            self.post_message(self.Opened(self, index))

    # Selecting text with the mouse.

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        first = 0 if selection.start is None else selection.start.y
        last = self.row_count - 1 if selection.end is None else min(selection.end.y, self.row_count - 1)
        pieces = []
        for index in range(first, last + 1):
            start, end = selection.get_span(index) or (0, 0)
            text = self.row_strip(index).text
            piece = text[start : len(text) if end < 0 else end]
            pieces.append(piece if self.row_goes_on(index) else piece.rstrip() + "\n")
        return "".join(pieces).removesuffix("\n"), "\n"

    # Painting.

    @property
    def base_style(self) -> Style:
        """The view's own colours, found once a frame: asking Textual walks up the whole tree."""
        return self._base_style

    def render_lines(self, crop: Region) -> list[Strip]:
        if self.rich_style != self._base_style:
            self._base_style = self.rich_style
            self._strips.clear()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y < self.HEADER_ROWS:
            return self.header_strip(y).crop_extend(0, width, self.base_style)
        index = y - self.HEADER_ROWS + round(self.scroll_y)
        if index >= self.row_count:
            return Strip.blank(width, self.base_style)
        strip = self._strips.get(index)
        if strip is None:
            strip = self._strips[index] = self.row_strip(index)
        margin = list(self.gutter_strip(index))
        style = self.base_style
        if self.show_cursor:
            margin.insert(0, Segment(" ", style))
            if index == self.cursor:
                style = self.get_component_rich_style("line-view--cursor")
                gutter = "".join(segment.text for segment in margin[1:])
                margin = [Segment(self.glyphs.cursor + gutter, style)]
                strip = Strip([Segment(strip.text, style)])
        left = round(self.scroll_x)
        strip = self._marked(index, strip)
        skipped = len(strip.crop(0, left).text) if left else 0
        strip = strip.crop_extend(left, left + self.room, style).apply_offsets(skipped, index)
        return Strip([*margin, *strip]).crop_extend(0, width, style)

    def _marked(self, index: int, strip: Strip) -> Strip:
        strip = self.with_matches(index, strip)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(index)) is not None:
            start, end = span
            style = self.screen.get_component_rich_style("screen--selection")
            strip = restyle(strip, [(start, len(strip.text) if end < 0 else end)], style)
        return strip
