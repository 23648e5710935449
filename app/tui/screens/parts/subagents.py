"""Opening the transcript of a subagent from the call that started it."""

from __future__ import annotations

from app.discovery.subagents import transcript_of
from app.tui.screens.base import acts
from app.tui.screens.parts.opens import OpensSessions
from app.tui.screens.parts.rows import RowsScreen
from app.work.rows import BlockRow


class OpensSubagents(RowsScreen, OpensSessions):
    """A list of rows from which transcripts of subagents can be opened."""

    def why_not_agents(self) -> str | None:
        """Why there is nothing to open. (The files are looked up only when the key is pressed.)"""
        return None if isinstance(self.item, BlockRow) else "no message under the cursor"

    @acts
    def action_agents(self) -> None:
        item = self.item
        assert isinstance(item, BlockRow)
        found = transcript_of(self.workspace.session, item.block)
        if found is None:
            self.say_row("not a call of a subagent with a transcript")
        else:
            pipeline = self.workspace.pipeline
            self.open_session(str(found), pipeline.name if pipeline.origin == "preset" else pipeline.origin)
