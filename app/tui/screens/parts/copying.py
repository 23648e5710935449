"""Copying a text to the clipboard or saving it to a file."""

from __future__ import annotations

from pathlib import Path

from textual import on

from app.display import human_number, safe_text
from app.tui.screens.base import Prompt, WorkScreen, acts
from app.views.describe import raw_record, readable
from app.views.listing import Item
from app.views.outlook import Outlook
from app.work.rows import BlockRow

MANY_CHARS = 70_000
"""Code points above which some terminals refuse a clipboard write."""


class CopiesTexts(WorkScreen):
    """A screen with a current row whose text or record can be copied and saved."""

    def current(self) -> tuple[Item, Outlook] | None:
        """The current row and the outlook it belongs to."""
        raise NotImplementedError

    def _text(self) -> str:
        found = self.current()
        if found is None or not isinstance(found[0], BlockRow):
            return ""
        return readable(found[1].block(found[0]) or found[0].block)

    @acts
    def action_copy(self) -> None:
        self._copy(self._text())

    @acts
    def action_copy_raw(self) -> None:
        found = self.current()
        if found is not None:
            self._copy(raw_record(found[0], self.workspace.session) or "")

    def _copy(self, text: str) -> None:
        app = self.shell
        app.copy_to_clipboard(copyable(text))
        few = (
            "; if your terminal took fewer, use Save text in the menu (ctrl+p)"
            if len(text) > MANY_CHARS
            else ""
        )
        app.say(f"copied {human_number(len(text))} characters{few}")

    @acts
    def action_save_text(self) -> None:
        found = self.current()
        if found is not None and isinstance(found[0], BlockRow):
            name = Path(self.workspace.session.name).stem.strip("-") or "session"
            self.ask("save", "save the text to:", f"{name}-{found[0].number}.txt")

    @on(Prompt.Taken)
    def _save(self, event: Prompt.Taken) -> None:
        if event.purpose != "save" or not event.text:
            return
        try:
            path = Path(event.text).expanduser()
            with path.open("x", encoding="utf-8", errors="surrogatepass", newline="") as file:
                file.write(self._text())
        except FileExistsError:
            self.status(f"already exists, choose another name: {event.text}")
        except OSError as error:
            self.status(f"not written: {error.strerror or error}")
        except ValueError as error:
            self.status(f"not written: {error}")
        else:
            self.status(f"saved: {path}")


def copyable(text: str) -> str:
    """A text with newlines and tabs kept and all other control characters made visible."""
    lines = (line.removesuffix("\r").split("\t") for line in text.split("\n"))
    return "\n".join("\t".join(safe_text(part) for part in parts) for parts in lines)
