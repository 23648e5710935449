"""The stages of a pipeline on one line, with what has become of each."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar, Final

from msgspec import Struct
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from app.display import UNICODE, Glyphs, cells, one_line

LABEL: Final = " Stages  "
TITLE_CELLS: Final = 24


class StageState(StrEnum):
    """Where a stage stands."""

    WAITING = "waiting"
    PREVIEW = "preview"
    """The one that is looked at; not accepted yet."""
    DONE = "done"
    SKIPPED = "skipped"
    NOTHING = "nothing"
    """It ran and had nothing to change."""


class StageItem(Struct, frozen=True):
    """One stage of the strip."""

    title: str
    state: StageState


class StageStrip(Widget):
    """Sign, number and title of each stage; signs say where some had no room beside the current one."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "stage-strip--label",
        *(f"stage-strip--{state}" for state in StageState),
    }
    DEFAULT_CSS = """
    StageStrip {
        height: 1;
        background: $boost;
        & > .stage-strip--label { color: $text-muted; }
        & > .stage-strip--waiting { color: $text-muted; }
        & > .stage-strip--preview { color: $text-primary; text-style: bold; }
        & > .stage-strip--done { color: $text-success; }
        & > .stage-strip--skipped { color: $text-muted; }
        & > .stage-strip--nothing { color: $text-muted; }
    }
    """

    glyphs: reactive[Glyphs] = reactive(UNICODE)

    class Chosen(Message):
        """A stage was clicked."""

        def __init__(self, strip: StageStrip, index: int) -> None:
            super().__init__()
            self.strip = strip
            self.index = index

        @property
        def control(self) -> StageStrip:
            return self.strip

    def __init__(
        self,
        items: Sequence[StageItem] = (),
        *,
        note: str = "",
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 (Textual's name)
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._items = tuple(items)
        self._note = note
        self.set_reactive(StageStrip.glyphs, glyphs)

    def show(self, items: Sequence[StageItem], note: str = "") -> None:
        """Draw other stages; `note` stands at the right when there is room."""
        self._items = tuple(items)
        self._note = note
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y > 0:
            return Strip.blank(width, self.rich_style)
        label = self.get_component_rich_style("stage-strip--label")
        places, more = self._places(), self.glyphs.ellipsis
        begins_later = bool(places) and places[0][0] > 0
        # One cell: the ellipsis, or where that has three a sign that does not look like one of theirs.
        before = more if cells(more) == 1 else "<"
        begin = f"{LABEL.rstrip()}{before} " if begins_later else LABEL
        segments = [Segment(begin, label)]
        used = len(LABEL)
        for index, start in places:
            segments.append(Segment(" " * (start - used), self.rich_style))
            word = self._word(index)
            style = self.get_component_rich_style(f"stage-strip--{self._items[index].state}")
            segments.append(Segment(word, style))
            used = start + cells(word)
        if places and places[-1][0] + 1 < len(self._items):
            segments.append(Segment(f" {more}", label))
            used += 1 + cells(more)
        if self._note:
            note = one_line(self._note, cells(self._note), self.glyphs) + " "
            if used + 2 + cells(note) <= width:
                segments.append(Segment(" " * (width - used - cells(note)), self.rich_style))
                segments.append(Segment(note, label))
        return Strip(segments).crop_extend(0, width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for index, start in self._places():
            if start <= offset.x < start + cells(self._word(index)):
                self.post_message(self.Chosen(self, index))

    def _word(self, index: int) -> str:
        item = self._items[index]
        title = one_line(item.title, min(TITLE_CELLS, cells(item.title)), self.glyphs)
        return f"{self._signs()[item.state]} {index + 1} {title}"

    def _signs(self) -> dict[StageState, str]:
        glyphs = self.glyphs
        return {
            StageState.WAITING: glyphs.waiting,
            StageState.PREVIEW: glyphs.cursor,
            StageState.DONE: glyphs.done,
            StageState.SKIPPED: glyphs.skipped,
            StageState.NOTHING: glyphs.nothing,
        }

    def _places(self) -> list[tuple[int, int]]:
        """(index, start cell) of the stages that fit; the current one is always among them."""
        widths = [cells(self._word(i)) for i in range(len(self._items))]
        gap = 3
        room = self.size.width - len(LABEL)
        first = 0
        current = self._current()
        while first < current and sum(widths[first : current + 1]) + gap * (current - first) > room:
            first += 1
        places = []
        start = len(LABEL)
        for index in range(first, len(widths)):
            # Behind a stage that is not the last there must be room to say so.
            sign = 0 if index + 1 == len(widths) else 1 + cells(self.glyphs.ellipsis)
            if start + widths[index] + sign > self.size.width and index > current:
                break
            places.append((index, start))
            start += widths[index] + gap
        return places

    def _current(self) -> int:
        states = [item.state for item in self._items]
        if StageState.PREVIEW in states:
            return states.index(StageState.PREVIEW)
        if StageState.WAITING in states:
            return states.index(StageState.WAITING)
        return max(0, len(states) - 1)
