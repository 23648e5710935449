"""The first messages of a large file, shown while the rest is read."""

from __future__ import annotations

from typing import ClassVar

from textual import on

from app.tui.messages import HeadRead
from app.tui.screens.parts.opens import OpensSessions
from app.tui.widgets.message_list import MessageList


class ShowsHeads(OpensSessions):
    """A screen with a list of the first rows, visible only while a large file is read (class `-head`)."""

    LOOKS_AT_HEADS: ClassVar[bool] = True

    def head_list(self) -> MessageList:
        """The list, for the body of the screen. It cannot be focused, as it is about to be replaced."""
        found = MessageList(glyphs=self.glyphs, id="head")
        found.can_focus = False
        return found

    @on(HeadRead)
    def _show_head(self, event: HeadRead) -> None:
        """Show the first messages while the rest of the file is read."""
        from app.tui.rows import Rows

        if self.is_opening:
            self._head.show(Rows(event.view.items, event.view.seen), cursor=0)
            self.set_class(True, "-head")
        self.call_after_refresh(event.painted.set)

    def reading_done(self) -> None:
        super().reading_done()
        if self.has_class("-head"):
            self.remove_class("-head")
            self._head.show(())

    @property
    def _head(self) -> MessageList:
        return self.query_one("#head", MessageList)
