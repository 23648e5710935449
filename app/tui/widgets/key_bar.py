"""The last line of a screen: its most useful keys, dimmed where they cannot act, pressed by a click.

Textual's own footer hides or kills a key that cannot act; here it stays and answers why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from app.display import cells

MOST = 8
"""Keys shown at once."""


@dataclass(frozen=True, slots=True)
class BarKey:
    """One key of the bar."""

    id: str
    sign: str
    label: str
    dimmed: bool = False


class KeyBar(Widget):
    """One row of keys, as many as fit."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-bar--sign", "key-bar--label", "key-bar--dimmed"}
    DEFAULT_CSS = """
    KeyBar {
        height: 1;
        background: $panel;
        & > .key-bar--sign { color: $text-accent; text-style: bold; background: $panel; }
        & > .key-bar--label { color: $foreground; background: $panel; }
        & > .key-bar--dimmed { color: $text-disabled; background: $panel; }
        &:ansi > .key-bar--dimmed, &:nocolor > .key-bar--dimmed { text-style: dim; }
    }
    """

    class Pressed(Message):
        """A key was clicked."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key
            """The id of the key in the table."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: tuple[BarKey, ...] = ()

    def show(self, keys: Sequence[BarKey]) -> None:
        """Show these keys, in this order."""
        if tuple(keys) != self._keys:
            self._keys = tuple(keys)
            self.refresh()

    def _places(self) -> list[tuple[int, int, BarKey]]:
        """(first cell, past last cell, key) of the keys that fit."""
        places, x = [], 1
        for key in self._keys[:MOST]:
            end = x + cells(key.sign) + 1 + cells(key.label)
            if end > self.size.width:
                break
            places.append((x, end, key))
            x = end + 2
        return places

    def render_line(self, y: int) -> Strip:
        sign = self.get_component_rich_style("key-bar--sign")
        label = self.get_component_rich_style("key-bar--label")
        dimmed = self.get_component_rich_style("key-bar--dimmed")
        segments, x = [], 0
        for start, end, key in self._places():
            segments += [
                Segment(" " * (start - x), label),
                Segment(key.sign, dimmed if key.dimmed else sign),
                Segment(f" {key.label}", dimmed if key.dimmed else label),
            ]
            x = end
        return Strip(segments).extend_cell_length(self.size.width, label)

    def on_click(self, event: events.Click) -> None:
        for start, end, key in self._places():
            if start <= event.x < end:
                self.post_message(self.Pressed(key.id))
                return
