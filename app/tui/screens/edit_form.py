"""A form for the options of one hand edit, with a live preview of its effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from app.compactability import CUT_MIDDLE
from app.display import counted, human_number, spread
from app.edits import Edit
from app.edits.cut import CUT_TEXT
from app.opening import Opened
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.screens.base import acts
from app.tui.screens.parts.attempting import Attempts
from app.tui.screens.parts.option_form import OptionForm
from app.tui.widgets.controls import Control, PushButton
from app.tui.widgets.fact_list import Fact, FactList
from app.tui.widgets.option_field import OptionField
from app.tui.widgets.text_pane import TextPane
from app.views.describe import readable
from app.views.stage_view import OptionValue
from app.work.attempts import Attempt, EditVariant, attempt
from app.work.pricing import pricing

ASKED_LATER = ("allow_words", "force")
"""Options without a field: they are confirmed in a question that says what they touch."""
MARKS = (CUT_MIDDLE.strip(), CUT_TEXT.strip())
"""Placeholders of a cut middle; the preview starts at the first one."""
SHOWN_CHARS = 20_000
"""Most code points shown in the preview."""


@dataclass(frozen=True)
class Preview:
    """The effect of the edit with the current options."""

    edit: Edit
    facts: Sequence[Fact]
    text: str
    """The new text of the first block that the edit changes."""


class EditScreen(OptionForm, Attempts):
    """A form with the default values filled in; applying it is one step to undo."""

    WHERE: ClassVar[KeyScope] = KeyScope.EDIT
    AS_PRESET = "reset to the default values"

    class Previewed(Message):
        """A preview was computed."""

        def __init__(self, found: Preview) -> None:
            super().__init__()
            self.found = found

    def __init__(self, opened: Opened, title: str, edit: Edit, told: Callable[[EditVariant], None]) -> None:
        """`edit` holds the rows and initial values; `told` is called with the edit that was done."""
        super().__init__(opened)
        self._title = title
        self._edit = edit
        self._told = told
        self._is_trying = False
        self._shown: Edit | None = None
        """The edit shown in the preview."""

    def body(self) -> Iterable[Widget]:
        options = [option for option in self._edit.options() if option.name not in ASKED_LATER]
        fields = (
            OptionField(
                self._edit.name,
                OptionValue(option, getattr(self._edit, option.name), option.default),
                self.glyphs,
                usual="default",
            )
            for option in options
        )
        yield Vertical(*fields, id="form")
        yield FactList(glyphs=self.glyphs, id="facts")
        yield TextPane(glyphs=self.glyphs, id="text")
        buttons = (
            PushButton("Cancel", id="cancel"),
            PushButton("Defaults", id="reset"),
            PushButton("Apply", id="apply"),
        )
        yield Horizontal(*buttons, id="buttons")

    def header(self) -> str:
        return spread(self._title, "one step: u undoes it", self.size.width - 2, self.glyphs)

    def on_mount(self) -> None:
        self._try_out()

    @property
    def _wanted(self) -> Edit:
        """The edit that the fields describe; raises BadPipeline for an invalid value."""
        return self._edit.with_options({f.option.option.name: f.text for f in self.fields})

    # The preview

    def _try_out(self) -> None:
        """Try the edit that the fields describe, after any attempt that is still running."""
        if any(field.check() for field in self.fields):
            self._shown = None
            self.query_one("#facts", FactList).show([])
            self.query_one("#text", TextPane).show("")
        elif not self._is_trying and self._wanted != self._shown:
            self._is_trying = True
            self._preview(self._wanted)
        self.refresh_lines()

    @in_thread(exit_on_error=False, exclusive=True, group="preview")
    def _preview(self, edit: Edit) -> None:
        found = attempt(self.workspace, edit)
        facts = list(self._facts(found))
        text = _outcome(found.ways[0]) if found.ways else ""
        self.post_message(self.Previewed(Preview(edit, facts, text)))

    def _facts(self, found: Attempt) -> Iterable[Fact]:
        if found.reason:
            yield Fact("asks" if found.ways else "why not", found.reason, "!", whole=True)
        if not found.ways:
            return
        way, tokens = found.ways[0], self.workspace.tokens
        arrow = self.glyphs.arrow
        before, after = tokens(self.workspace.messages), tokens(way.messages)
        own = [change for change in way.changes if change.before is not None]
        was = sum(self.workspace.block_tokens(change.before) for change in own if change.before is not None)
        blocks = counted(len(own), "block")
        yield Fact(
            "blocks", f"{blocks}: ~{human_number(was)} {arrow} ~{human_number(was - way.freed)} tokens"
        )
        yield Fact("window", f"~{human_number(before)} {arrow} ~{human_number(after)} tokens")
        yield Fact("cache", pricing(self.workspace, after=way.messages).short())

    @on(Previewed)
    def _show(self, event: Previewed) -> None:
        self._is_trying = False
        self._shown = event.found.edit
        self.query_one("#facts", FactList).show(event.found.facts)
        pane = self.query_one("#text", TextPane)
        pane.show(event.found.text)
        pane.find(next((mark for mark in MARKS if mark in event.found.text), ""))
        self._try_out()

    # Events of the form

    @on(Input.Changed, "OptionField Input")
    @on(Control.Used, "OptionField Control")
    def _edited(self) -> None:
        self._try_out()

    @acts
    def action_apply(self) -> None:
        self.attempt(self._wanted)

    @acts
    def action_reset(self) -> None:
        self.put_presets()
        self._try_out()

    def edited(self, way: EditVariant) -> None:
        self.dismiss()
        self._told(way)


def _outcome(way: EditVariant) -> str:
    """The new text of the first block that is changed or added; empty if there is none."""
    left = next((change.after for change in way.changes if change.after is not None), None)
    return "" if left is None else readable(left)[:SHOWN_CHARS]
