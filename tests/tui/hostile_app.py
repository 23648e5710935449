"""A program that shows hostile text in every widget; `test_widgets_hostile` reads what it writes."""

from __future__ import annotations

from textual.app import App, ComposeResult

from app.diff import text_rows
from app.tui.widgets.diff_pane import DiffPane, Heading
from app.tui.widgets.message_list import BlockRow, BoundaryRow, ListRow, MessageList
from app.tui.widgets.stage_strip import StageItem, StageState, StageStrip
from app.tui.widgets.text_pane import TextPane
from app.tui.widgets.usage_bar import UsageBar, UsageFigures

HOSTILE = (
    "\x1b]52;c;aGFja2Vk\x07 \x1b]0;title\x07 \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ \x1b[2J\x1b[6n\x1bc"
    " \x1bP1$r\x1b\\ \x1b_G\x1b\\ \x9b2J \x9d52;c;aGk=\x9c \u202etxt\u2066 \x00\x07\x08\x7f\r [/x] [b [/]"
    " \ud83d"
)


class HostileApp(App[None]):
    """Paints once and ends."""

    CSS = "MessageList, TextPane, DiffPane { height: 1fr; }"

    def compose(self) -> ComposeResult:
        row = BlockRow(1, HOSTILE, 5, HOSTILE, HOSTILE, states=(HOSTILE,))
        rows: list[ListRow] = [row, BoundaryRow(HOSTILE)]
        yield UsageBar(UsageFigures(window=9, kept=1, estimator=HOSTILE, note=HOSTILE))
        yield StageStrip([StageItem(HOSTILE, StageState.PREVIEW)], note=HOSTILE)
        yield MessageList(rows)
        yield TextPane(f"{HOSTILE}\n{HOSTILE}", line_numbers=True)
        yield TextPane(HOSTILE, wrap=False)
        yield DiffPane([Heading(HOSTILE), Heading(HOSTILE, rule=True), *text_rows(HOSTILE, "end").rows])
        yield DiffPane(text_rows(HOSTILE, HOSTILE + "x").rows, split=True)

    def on_mount(self) -> None:
        for pane in self.query(TextPane):
            pane.find("aGFja2Vk")
        self.set_timer(0.3, self.exit)


if __name__ == "__main__":
    HostileApp().run()
