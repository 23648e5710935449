"""The whole session on a line: a cell for each slice of its rows, the higher the more tokens it has.

With a second line the cells say in the textures of the usage bar what they mostly are, and signs stand
where it matters. On one line only what is kept has a height: of what could go its texture says more, and
colour alone would say nothing to many. There the signs stand among the cells, and what is not sent is blank.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from app.display import UNICODE, Glyphs
from app.tui.widgets.usage_bar import SHARES
from app.views.session_map import SessionMap, Slice, SliceKind

LABEL: Final = " Map     "


class MapBar(Widget):
    """A map to look at and to click on: `Chosen` says which row stands there."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"map-bar--{sort}" for sort in SliceKind),
        "map-bar--label",
        "map-bar--sign",
    }
    DEFAULT_CSS = """
    MapBar {
        height: 1;
        & > .map-bar--kept { color: $text-success; }
        & > .map-bar--superseded { color: $text-warning; }
        & > .map-bar--regenerable { color: $text-warning; }
        & > .map-bar--error { color: $text-error; }
        & > .map-bar--compacted { color: $text-secondary; }
        & > .map-bar--unsent { color: $text-muted; }
        & > .map-bar--label { color: $text-muted; }
        & > .map-bar--sign { color: $text-primary; text-style: bold; }
    }
    """

    glyphs: reactive[Glyphs] = reactive(UNICODE)
    here: reactive[int | None] = reactive(None)
    """The row that the cursor of the list is on."""

    class Chosen(Message):
        """A slice was clicked."""

        def __init__(self, bar: MapBar, chosen: Slice) -> None:
            super().__init__()
            self.bar = bar
            self.chosen = chosen

        @property
        def control(self) -> MapBar:
            return self.bar

    def __init__(
        self,
        shown: SessionMap | None = None,
        *,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 (Textual's name)
    ) -> None:
        super().__init__(id=id)
        self._map = shown
        self._laid: tuple[int, list[Slice]] = (0, [])
        self.set_reactive(MapBar.glyphs, glyphs)

    def show(self, shown: SessionMap) -> None:
        """Draw another map."""
        self._map = shown
        self._laid = (0, [])
        self.refresh()

    @property
    def _room(self) -> int:
        return max(0, self.size.width - len(LABEL) - 1)

    def _slices(self) -> list[Slice]:
        width = self._room
        if self._laid[0] != width:
            self._laid = (width, [] if self._map is None else self._map.slices(width))
        return self._laid[1]

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y > 1:
            return Strip.blank(width, self.rich_style)
        label = LABEL if y == 0 else " " * len(LABEL)
        segments = [Segment(label, self.get_component_rich_style("map-bar--label"))]
        signs = self._signs(is_whole=self.size.height > 1)
        largest = max((each.tokens for each in self._slices()), default=0)
        for cell, each in enumerate(self._slices()):
            sign = signs.get(cell, "")
            style = self.get_component_rich_style(f"map-bar--{each.sort}")
            if self.size.height > 1 and y == 0:
                segments.append(Segment(self._level(each, largest), style))
            elif sign:
                segments.append(Segment(sign, self.get_component_rich_style("map-bar--sign")))
            elif y == 1:
                segments.append(Segment(self._texture(each), style))
            else:
                is_here = self.here is not None and each.start <= self.here < each.end
                segments.append(Segment(self._both(each, largest), style + _REVERSE if is_here else style))
        return Strip(segments).crop_extend(0, width, self.rich_style)

    def _level(self, each: Slice, largest: int) -> str:
        # By the square root: a few large results would leave all others on the floor.
        levels = self.glyphs.levels
        return levels[ceil(len(levels) * sqrt(each.tokens / largest)) - 1] if each.tokens else " "

    def _both(self, each: Slice, largest: int) -> str:
        # In ASCII the levels are made of the same signs as the textures.
        has_height = each.sort is SliceKind.KEPT and self.glyphs.pictures
        return self._level(each, largest) if has_height else self._texture(each)

    def _texture(self, each: Slice) -> str:
        if each.sort is SliceKind.UNSENT or not each.tokens:
            return " "
        return self.glyphs.bar[SHARES.index(each.sort)]

    def _signs(self, *, is_whole: bool) -> dict[int, str]:
        """The sign of each cell that has one: the later of these wins where they meet."""
        found = self._map
        if found is None or not found.rows or not self._room:
            return {}
        glyphs, places = self.glyphs, [(place, self.glyphs.column) for place in found.boundaries]
        if found.frozen_end is not None:
            places.append((found.frozen_end - 1, glyphs.frozen))
        if found.first_changed is not None:
            places.append((found.first_changed, glyphs.rewritten))
        if is_whole and self.here is not None:
            places.append((self.here, glyphs.here))
        return {found.cell_of(place, self._room): sign for place, sign in places}

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        slices = self._slices()
        if offset is not None and 0 <= offset.x - len(LABEL) < len(slices):
            self.post_message(self.Chosen(self, slices[offset.x - len(LABEL)]))


_REVERSE: Final = Style(reverse=True)
