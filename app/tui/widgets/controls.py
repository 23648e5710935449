"""Fields of a form, one row each: a tick box, a choice of few, a button.

Drawn with brackets, and with a sign before the focused one, so that they read without colour. A
button that is not ready stays in the order of focus and can be pressed: its screen says why not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from app.display import UNICODE, cells, safe_text

CURSOR = UNICODE.cursor
"""The same in every set of signs."""


class Control(Widget, can_focus=True):
    """The base of the fields: one row, one look when focused."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"control--focus", "control--note", "control--dimmed"}
    DEFAULT_CSS = """
    Control {
        height: 1;
        & > .control--focus {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
        & > .control--note { color: $text-muted; }
        & > .control--dimmed { color: $text-disabled; }
        &:ansi > .control--dimmed, &:nocolor > .control--dimmed { text-style: dim; }
    }
    """

    dimmed: reactive[bool] = reactive(False)

    class Used(Message):
        """Something was done to a control by a person."""

        def __init__(self, used: Control) -> None:
            super().__init__()
            self.used = used

        @property
        def control(self) -> Control:
            return self.used

    def parts(self) -> Sequence[tuple[str, str]]:
        """Pieces of text with `focus`, `note` or nothing: the look of each."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y > 0:
            return Strip.blank(width, self.rich_style)
        sign = CURSOR if self.has_focus else " "
        segments = [Segment(sign, self._look("focus"))]
        segments += [Segment(safe_text(text), self._look(kind)) for text, kind in self.parts()]
        return Strip(segments).crop_extend(0, width, self.rich_style)

    def _look(self, kind: str) -> Style:
        if kind == "focus" and self.has_focus:
            return self.get_component_rich_style("control--focus")
        if self.dimmed:
            return self.get_component_rich_style("control--dimmed")
        return self.get_component_rich_style("control--note") if kind == "note" else self.rich_style

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return 1 + sum(cells(safe_text(text)) for text, _ in self.parts())

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def action_use(self) -> None:
        self.post_message(self.Used(self))

    def on_click(self, event: events.Click) -> None:
        self.action_use()


class TickBox(Control):
    """`[x] label  note`; space, enter or a click ticks it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space,enter", "use", "Toggle", show=False)]

    value: reactive[bool] = reactive(False)
    note: reactive[str] = reactive("")

    def __init__(
        self,
        label: str,
        value: bool = False,
        *,
        note: str = "",
        id: str | None = None,  # noqa: A002 (Textual's name)
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.label = label
        self.set_reactive(TickBox.value, value)
        self.set_reactive(TickBox.note, note)

    def parts(self) -> Sequence[tuple[str, str]]:
        tick = "x" if self.value else " "
        return ((f"[{tick}] {self.label}", "focus"), (f"  {self.note}" if self.note else "", "note"))

    def action_use(self) -> None:
        self.value = not self.value
        super().action_use()


class RadioField(Control):
    """`(o) auto  ( ) on  ( ) off`; left and right, space or a click choose.

    Where there is no room for all, the one that is chosen: `< auto >  1 of 3`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space,enter", "move(1)", "Next", show=False),
        Binding("left", "move(-1)", "Previous", show=False),
    ]

    value: reactive[str] = reactive("")

    def __init__(
        self,
        choices: Sequence[str],
        value: str,
        *,
        id: str | None = None,  # noqa: A002 (Textual's name)
    ) -> None:
        super().__init__(id=id)
        self.choices = tuple(choices)
        self.set_reactive(RadioField.value, value)

    def parts(self) -> Sequence[tuple[str, str]]:
        if not self._has_room:
            return ((f"< {self.value} >", "focus"), (f"  {self._place + 1} of {len(self.choices)}", "note"))
        pieces: list[tuple[str, str]] = []
        for choice in self.choices:
            chosen = choice == self.value
            pieces += [(f"({'o' if chosen else ' '}) {choice}", "focus" if chosen else ""), ("  ", "")]
        return pieces[:-1]

    @property
    def _place(self) -> int:
        return self.choices.index(self.value) if self.value in self.choices else 0

    @property
    def _has_room(self) -> bool:
        return sum(cells(choice) + 6 for choice in self.choices) <= self.size.width + 1

    def action_move(self, by: int) -> None:
        self.value = self.choices[(self._place + by) % len(self.choices)]
        self.action_use()

    def on_click(self, event: events.Click) -> None:
        if not self._has_room:
            self.action_move(1)
            return
        end = 1
        for choice in self.choices:
            end += cells(choice) + 6
            if event.x < end:
                self.value = choice
                self.action_use()
                return


class PushButton(Control):
    """`[ Write ]`; enter, space or a click presses it, also when it is dimmed.

    Left and right go to the button beside it and stay within the row; up and down leave it in the end,
    as tab does.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "use", "Press", show=False),
        Binding("right", "beside(1)", "Right", show=False),
        Binding("left", "beside(-1)", "Left", show=False),
        Binding("down", "app.focus_next", "Next", show=False),
        Binding("up", "app.focus_previous", "Previous", show=False),
    ]
    DEFAULT_CSS = """
    PushButton { width: auto; margin: 0 1; }
    """

    def __init__(
        self,
        label: str,
        *,
        id: str | None = None,  # noqa: A002 (Textual's name)
    ) -> None:
        super().__init__(id=id)
        self.label = label

    def action_beside(self, by: int) -> None:
        """Go to the button on one side, where there is one."""
        assert self.parent is not None
        row = [push for push in self.parent.children if isinstance(push, PushButton) and push.focusable]
        at = row.index(self) + by
        if 0 <= at < len(row):
            row[at].focus()

    def parts(self) -> Sequence[tuple[str, str]]:
        return ((f"[ {self.label} ]", "focus"),)
