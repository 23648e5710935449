"""A text of several lines to write in. What comes into it is made safe first."""

from __future__ import annotations

from dataclasses import replace

from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from app.display import safe_lines


class Editor(TextArea):
    """Textual's text area, through whose every door (typing, pasting, loading) only safe text comes."""

    DEFAULT_CSS = """
    Editor { border: none; padding: 0 1; background: $background; }
    Editor:focus { border: none; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(compact=True, show_line_numbers=False, highlight_cursor_line=False, id=id)

    def start(self, text: str) -> None:
        """Begin with a text; undo does not go behind it."""
        self.load_text(_safe(text))

    def edit(self, edit: Edit) -> EditResult:
        return super().edit(replace(edit, text=_safe(edit.text)))


def _safe(text: str) -> str:
    return "\n".join(safe_lines(text))
