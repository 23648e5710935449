"""The diff of one message among several."""

from __future__ import annotations

from textual.message import Message

from app.tui.widgets.diff_pane import DiffPane


class MessageDiff(DiffPane):
    """A diff pane in which n and N leave for the next message, unless something is searched."""

    class Onward(Message):
        """n (1) or N (-1) was pressed."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def action_next_stop(self) -> None:
        if self.sought:
            super().action_next_stop()
        else:
            self.post_message(self.Onward(1))

    def action_previous_stop(self) -> None:
        if self.sought:
            super().action_previous_stop()
        else:
            self.post_message(self.Onward(-1))
