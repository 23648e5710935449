"""The full text of one row, or its raw record from the file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.message import Message
from textual.widget import Widget

from app.display import size_of_text
from app.errors import FileChanged
from app.opening import Opened
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.screens.base import acts
from app.tui.screens.parts.copying import CopiesTexts
from app.tui.screens.parts.progress import TellsWaits
from app.tui.screens.parts.rows import READ_AT_ONCE
from app.tui.widgets.text_pane import TextPane
from app.views.describe import describe, raw_record, record_of, size_of
from app.views.listing import Item, key_of
from app.views.outlook import Outlook
from app.work.rows import BlockRow


class TextScreen(CopiesTexts, TellsWaits):
    """A pager; `R` switches between the text and the raw record."""

    WHERE: ClassVar[KeyScope] = KeyScope.TEXT

    class Read(Message):
        """A text was read."""

        def __init__(self, heading: str, text: str) -> None:
            super().__init__()
            self.heading = heading
            self.text = text

    def __init__(
        self, opened: Opened, item: Item, seen: Outlook, *, raw: bool = False, sought: str = ""
    ) -> None:
        """`sought` is searched for as soon as the text is shown."""
        super().__init__(opened)
        self._sought = sought
        self._item = item
        self._seen = seen
        self._raw = raw
        self._heading = ""

    def body(self) -> Iterable[Widget]:
        yield TextPane(wrap=self._wraps, line_numbers=True, glyphs=self.glyphs)

    @property
    def _wraps(self) -> bool:
        return self.shell.preferences.wrap

    def current(self) -> tuple[Item, Outlook]:
        return self._item, self._seen

    def header(self) -> str:
        return self._heading

    def on_mount(self) -> None:
        self.query_one(TextPane).focus()
        self._read_text()

    def _read_text(self) -> None:
        if size_of(self._item, self.workspace.session) <= READ_AT_ONCE:
            # Before the first frame, so that it is complete.
            self._show(self._read())
        else:
            self.wait_for("reading", way_out="esc goes back")
            self._read_behind()

    @in_thread(exit_on_error=False, exclusive=True, group="read")
    def _read_behind(self) -> None:
        self.post_message(self._read())

    def _read(self) -> Read:
        try:
            said = describe(self._item, self._seen)
            raw = raw_record(self._item, self.workspace.session) if self._raw else None
        except FileChanged as error:
            return self.Read(key_of(self._item), str(error))
        return self.Read(said.heading, said.text if raw is None else raw)

    @on(Read)
    def _show(self, event: Read) -> None:
        self.waited()
        self._heading = f"{event.heading}{'  raw record' if self._raw else ''}"
        pane = self.query_one(TextPane)
        pane.show(event.text)
        self.status(size_of_text(pane.line_count, event.text))
        self.refresh_lines()
        if self._sought:
            # After layout: only then can it be scrolled to.
            self.call_after_refresh(self.find, self._sought)

    def why_not(self, action: str) -> str | None:
        if action in ("copy", "save_text") and not isinstance(self._item, BlockRow):
            return "this row has no text: Y copies its record"
        if action in ("raw", "copy_raw") and record_of(self._item) is None:
            return "made by a stage: there is no record in the file"
        return None

    @acts
    def action_raw(self) -> None:
        self._raw = not self._raw
        self._read_text()

    def action_wrap(self) -> None:
        pane = self.query_one(TextPane)
        pane.wrap = not pane.wrap
        self.shell.prefer(wrap=pane.wrap)

    def action_close(self) -> None:
        self.dismiss()
