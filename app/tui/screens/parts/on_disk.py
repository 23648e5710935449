"""Comparing the file read under the cursor with the file on disk, only on request."""

from __future__ import annotations

from textual import on
from textual.message import Message

from app.tui.in_thread import in_thread
from app.tui.screens.base import acts
from app.tui.screens.parts.rows import RowsScreen
from app.validity import PairIndex
from app.work.on_disk import reads_today
from app.work.rows import BlockRow


class LooksAtFiles(RowsScreen):
    """A list of rows where a read can be compared with its file."""

    class Compared(Message):
        """A file was compared."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    def why_not_on_disk(self) -> str | None:
        """Why the row under the cursor has no file to compare with."""
        if not isinstance(self.item, BlockRow):
            return "no message under the cursor"
        return None if self.item.path else "this row does not name a file"

    @acts
    def action_on_disk(self) -> None:
        item = self.item
        assert isinstance(item, BlockRow)
        self.say_row(f"comparing with {item.path} ...")
        self._compare(item)

    @in_thread(exit_on_error=False, exclusive=True, group="disk")
    def _compare(self, row: BlockRow) -> None:
        session = self.workspace.session
        keys = {row.key, *PairIndex(session.live).results_of(row.key)}
        found = next(iter(reads_today(session.live, session.cwd, keys).values()), None)
        words = "the conversation has no read of it" if found is None else f"the file is {found}"
        self.post_message(self.Compared(f"{words}: {row.path}"))

    @on(Compared)
    def _say_compared(self, event: Compared) -> None:
        self.say_row(event.words)
