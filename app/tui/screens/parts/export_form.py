"""The widgets of the export dialog: the form, the dry run, and the result."""

from __future__ import annotations

from textual.containers import Horizontal, Vertical
from textual.widgets import ContentSwitcher

from app.display import Glyphs
from app.tui.export_words import WHERE_AGENT_LOOKS
from app.tui.screens.base import Line
from app.tui.widgets.controls import PushButton, TickBox
from app.tui.widgets.entry import Entry
from app.tui.widgets.fact_list import FactList
from app.tui.widgets.text_pane import TextPane


def export_panels(glyphs: Glyphs) -> ContentSwitcher:
    """The three panels, the form in front."""
    buttons = (
        PushButton("Cancel", id="cancel"),
        PushButton("Dry run", id="dry-run"),
        PushButton("Write", id="write"),
    )
    form = Vertical(
        Horizontal(Line("Write", classes="name"), Entry(id="target"), classes="entry"),
        TickBox("Back up the original", True, id="backup"),
        TickBox("Write the report", True, note="beside the backup", id="report"),
        TickBox("Write a list of removed results and how to get them back", True, id="index"),
        TickBox("Replace the original in place", id="in-place"),
        TickBox(WHERE_AGENT_LOOKS, id="install"),
        TickBox("For sharing: mask secrets, leave out sealed content", id="share"),
        TickBox("Leave out what is before the boundary", id="drop-old"),
        FactList(glyphs=glyphs, id="plan"),
        TickBox("", id="words"),
        Horizontal(*buttons, classes="buttons"),
        id="form",
    )
    dry = Vertical(
        TextPane(glyphs=glyphs, id="text"),
        Horizontal(PushButton("Back", id="back"), classes="buttons"),
        id="dry",
    )
    close = (PushButton("Copy resume command", id="resume"), PushButton("Close", id="close"))
    done = Vertical(FactList(glyphs=glyphs, id="places"), Horizontal(*close, classes="buttons"), id="done")
    return ContentSwitcher(form, dry, done, initial="form")
