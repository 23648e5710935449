"""A modal with a short list of choices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from msgspec import Struct
from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.css.styles import RulesMap
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from app.display import UNICODE, Glyphs, cells, one_line, safe_text
from app.tui.screens.closes_early import ClosesEarly

MARGIN: Final = 4
"""Columns for the cursor sign and its space, and two left free on the right."""

ROOM: Final = 68
"""Columns for a label and its note in a list of the greatest width."""


class Choice(Struct, frozen=True):
    """One line of the list; the texts may be raw session text."""

    label: str
    note: str = ""
    """Shown on the right."""
    about: str = ""
    """Shown below the list while the cursor is on the line; if empty, a label that was cut off is shown."""


def _is_cut(choice: Choice, glyphs: Glyphs) -> bool:
    """Whether even the widest list cuts the label off beside its note."""
    note = cells(safe_text(choice.note, glyphs)) + 2 if choice.note else 0
    return cells(safe_text(choice.label, glyphs)) > ROOM - note


class ChoiceLine(Visual):
    """A choice rendered on one line for any width of the list."""

    def __init__(self, choice: Choice, glyphs: Glyphs, *, is_here: bool) -> None:
        self._label = choice.label
        self._note = safe_text(choice.note, glyphs)
        self._glyphs = glyphs
        self._sign = glyphs.cursor if is_here else " "

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        room = max(20, width - MARGIN)
        if self._note:
            label = one_line(self._label, room - cells(self._note) - 2, self._glyphs)
            label = f"{label}  {self._note}"
        else:
            label = one_line(self._label, room, self._glyphs)
        return [Strip([Segment(f"{self._sign} {label}", style.rich_style)])]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return 1


class ChooseScreen(ClosesEarly, ModalScreen[int | None]):
    """Returns the index of the choice, or None after escape."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "never_mind", "Cancel", show=False, id="choose.never-mind"),
        Binding("j", "move(1)", "Down", show=False, id="choose.down"),
        Binding("k", "move(-1)", "Up", show=False, id="choose.up"),
    ]

    def __init__(
        self, question: str, choices: Sequence[Choice], *, about: str = "", current: int | None = None
    ) -> None:
        """`about` says what choosing does; the cursor starts on `current`."""
        super().__init__()
        self._question = question
        self._about = about
        self._choices = choices
        self._current = current
        self._signed: int | None = None
        """The line that shows the cursor sign."""

    def compose(self) -> ComposeResult:
        glyphs = self._glyphs
        with Vertical(id="box", classes=f"-{glyphs.name}"):
            yield Static(Content(safe_text(self._question, glyphs)), id="question")
            if self._about:
                yield Static(Content(safe_text(self._about, glyphs)), id="about")
            yield OptionList(markup=False, compact=True)
            if any(choice.about or _is_cut(choice, glyphs) for choice in self._choices):
                yield Static(id="hint", markup=False)

    @property
    def _glyphs(self) -> Glyphs:
        return getattr(self.app, "glyphs", UNICODE)

    @property
    def _list(self) -> OptionList:
        return self.query_one(OptionList)

    def on_mount(self) -> None:
        here = self._current or 0
        self._list.set_options(Option(self._line(place, here)) for place in range(len(self._choices)))
        self._list.highlighted = self._signed = here
        self._hint(here)
        self._list.focus()

    @on(OptionList.OptionHighlighted)
    def _sign(self) -> None:
        """Move the cursor sign to the line under the cursor."""
        here = self._list.highlighted
        if here == self._signed:
            return
        for place in {self._signed, here} - {None}:
            assert place is not None
            self._list.replace_option_prompt_at_index(place, self._line(place, here))
        self._signed = here
        self._hint(here)

    def _hint(self, here: int | None) -> None:
        words = ""
        if here is not None:
            choice = self._choices[here]
            words = choice.about or (choice.label if _is_cut(choice, self._glyphs) else "")
        for hint in self.query("#hint").results(Static):
            hint.update(Content(safe_text(words, self._glyphs)))

    def _line(self, place: int, here: int | None) -> ChoiceLine:
        return ChoiceLine(self._choices[place], self._glyphs, is_here=place == here)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)

    def action_never_mind(self) -> None:
        self.dismiss(None)

    def action_move(self, rows: int) -> None:
        (self._list.action_cursor_down if rows > 0 else self._list.action_cursor_up)()
