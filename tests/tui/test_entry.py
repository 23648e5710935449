"""A line to type into holds nothing that acts, whether it was pasted or put in."""

from __future__ import annotations

from textual import events
from textual.app import App, ComposeResult

from app.display import printable, safe_text
from app.tui.widgets.entry import Entry
from tests.hostile import HOSTILE


class Entries(App[None]):
    def compose(self) -> ComposeResult:
        yield Entry(HOSTILE)
        yield Entry("\\n stays", safe=printable)


async def test_what_is_put_in_or_pasted_is_made_safe() -> None:
    app = Entries()
    async with app.run_test() as pilot:
        plain, escaping = app.query(Entry)
        assert plain.value == safe_text(plain.value) and "^[]52;c;aGFja2Vk^G" in plain.value
        assert escaping.value == "\\n stays"
        plain.value = ""
        for entry in (plain, escaping):
            entry.focus()
            entry.post_message(events.Paste("\x1b]0;t\x07 登录 é\u202e"))
            await pilot.pause()
        assert plain.value == "^[]0;t^G 登录 é<U+202E>"
        assert plain.cursor_position == len(plain.value)
        assert "\\x1b" not in escaping.value and "\\u001b]0;t\\u0007 登录 é\\u202e" in escaping.value
