"""The list of backups: when each was made, of what, and whether that still stands as it was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final

from msgspec import Struct
from rich.segment import Segment
from textual.strip import Strip

from app.display import UNICODE, Glyphs, fit, human_bytes, one_line
from app.tui.widgets.line_view import LineView

MADE_CELLS: Final = 16
SIZE_CELLS: Final = 10
STATE_CELLS: Final = 9


class BackupRow(Struct, frozen=True):
    """One backup; `file` is as it comes."""

    made: str
    """Local time, as a person reads it."""
    size: int
    """Bytes."""
    state: str
    """In a word: how it stands to what lies there now."""
    file: str
    differs: bool = False


class BackupList(LineView):
    """Backups under a header row, newest first."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"backup-list--differs"}
    DEFAULT_CSS = """
    BackupList {
        & > .backup-list--differs { color: $text-warning; }
    }
    """
    HEADER_ROWS = 1

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(glyphs=glyphs, id=id)
        self._rows: Sequence[BackupRow] = ()

    def show(self, rows: Sequence[BackupRow]) -> None:
        """Show other rows; the cursor stays at its place."""
        self._rows = rows
        self.rows_changed()
        self.search_again()

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def find_rows(self, pattern: re.Pattern[str]) -> Sequence[int]:
        return [i for i, row in enumerate(self._rows) if pattern.search(row.file)]

    def header_strip(self, y: int) -> Strip:
        style = self.get_component_rich_style("line-view--header")
        words = " ".join(("", *self._cells("made", "size", "current", "file")))
        return Strip([Segment(f"{' ' * self._sign_width}{words}", style)])

    def row_strip(self, index: int) -> Strip:
        row = self._rows[index]
        made, size, state, file = self._cells(row.made, human_bytes(row.size), row.state, row.file)
        look = self.get_component_rich_style("backup-list--differs") if row.differs else self.base_style
        return Strip(
            [
                Segment(f" {made} {size} ", self.base_style),
                Segment(state, look),
                Segment(f" {file}", self.base_style),
            ]
        )

    def _cells(self, made: str, size: str, state: str, file: str) -> tuple[str, str, str, str]:
        glyphs = self.glyphs
        room = max(0, self.room - MADE_CELLS - SIZE_CELLS - STATE_CELLS - 6)
        return (
            fit(made, MADE_CELLS, glyphs),
            fit(size, SIZE_CELLS, glyphs, right=True) + " ",
            fit(state, STATE_CELLS, glyphs),
            one_line(_end(file, room), room, glyphs),
        )


def _end(path: str, width: int) -> str:
    """The end of a path, which tells more than its beginning."""
    return path if len(path) <= width else "..." + path[-max(0, width - 3) :]
