"""The stages of a pipeline, one row each, with what each one took off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from app.display import UNICODE, Glyphs, one_line
from app.tui.widgets.stage_strip import StageState

_LOOK = {
    StageState.WAITING: "stage-list--muted",
    StageState.PREVIEW: "stage-list--current",
    StageState.DONE: "stage-list--done",
    StageState.SKIPPED: "stage-list--muted",
    StageState.NOTHING: "stage-list--muted",
}


class StageRow(Struct, frozen=True):
    """One stage; the figures are written out."""

    title: str
    state: StageState
    saved: str = ""
    about: str = ""


class StageList(Widget):
    """As many rows as its stylesheet allows, around the stage at hand; a click goes to a stage."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "stage-list--current",
        "stage-list--done",
        "stage-list--muted",
    }
    DEFAULT_CSS = """
    StageList {
        height: auto;
        & > .stage-list--current { color: $text-primary; text-style: bold; }
        & > .stage-list--done { color: $text-success; }
        & > .stage-list--muted { color: $text-muted; }
    }
    """

    glyphs: reactive[Glyphs] = reactive(UNICODE)

    class Chosen(Message):
        """A stage was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(
        self,
        *,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 (Textual's name)
    ) -> None:
        super().__init__(id=id)
        self.set_reactive(StageList.glyphs, glyphs)
        self._rows: Sequence[StageRow] = ()
        self._current = 0

    def show(self, rows: Sequence[StageRow], current: int) -> None:
        """Show other stages; `current` is the index of the one at hand."""
        self._rows = rows
        self._current = current
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._rows)

    @property
    def _first(self) -> int:
        """The first stage shown: the one at hand is in sight, with one before and one behind it."""
        height, count = self.size.height, len(self._rows)
        return max(0, min(self._current - height // 2, count - height))

    def render_line(self, y: int) -> Strip:
        index = self._first + y
        if index >= len(self._rows):
            return Strip.blank(self.size.width, self.rich_style)
        row = self._rows[index]
        glyphs = self.glyphs
        signs = {
            StageState.WAITING: glyphs.waiting,
            StageState.PREVIEW: glyphs.cursor,
            StageState.DONE: glyphs.done,
            StageState.SKIPPED: glyphs.skipped,
            StageState.NOTHING: glyphs.nothing,
        }
        title = one_line(row.title, 21, glyphs)
        words = f" {signs[row.state]} {index + 1} {title} {row.state:<8} {row.saved:<15}  "
        about = one_line(row.about, max(0, self.size.width - len(words) - 1), glyphs)
        style = self.get_component_rich_style(_LOOK[row.state])
        muted = self.get_component_rich_style("stage-list--muted")
        strip = Strip([Segment(words, style), Segment(about, muted)])
        return strip.crop_extend(0, self.size.width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and self._first + offset.y < len(self._rows):
            self.post_message(self.Chosen(self._first + offset.y))
