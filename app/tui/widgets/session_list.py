"""The list of sessions that were found on this machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual.strip import Strip

from app.display import UNICODE, Glyphs, fit, human_age, human_bytes, one_line
from app.tui.widgets.line_view import LineView

AGENT_FROM_WIDTH = 100
"""Cells from which on the agent has a column of its own."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session; `title`, `project` and `agent` are session text as it is."""

    title: str
    project: str
    agent: str
    age: float | None
    """Seconds since it was written; None where that says nothing."""
    size: int
    """Bytes."""


class SessionList(LineView):
    """Title, project, age and size of each session, under a header row."""

    HEADER_ROWS = 1

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(glyphs=glyphs, id=id)
        self._rows: Sequence[SessionRow] = ()

    def show(self, rows: Sequence[SessionRow], *, cursor: int | None = None) -> None:
        """Show other rows; the cursor stays unless told."""
        self._rows = rows
        self.rows_changed(cursor)

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def find_rows(self, pattern: re.Pattern[str]) -> Sequence[int]:
        return [i for i, row in enumerate(self._rows) if pattern.search(f"{row.title} {row.project}")]

    def header_strip(self, y: int) -> Strip:
        style = self.get_component_rich_style("line-view--header")
        return Strip([Segment("  " + self._line("session", "project", "age", "size", "agent"), style)])

    def row_strip(self, index: int) -> Strip:
        row = self._rows[index]
        age = "" if row.age is None else human_age(row.age)
        line = self._line(row.title, row.project, age, human_bytes(row.size), row.agent)
        return Strip([Segment(" " + line, self.base_style)])

    def _line(self, title: str, project: str, age: str, size: str, agent: str) -> str:
        glyphs = self.glyphs
        wide = self.room >= AGENT_FROM_WIDTH
        project_cells = 28 if wide else 14
        right = f"  {_end(project, project_cells, glyphs)}  {fit(age, 13, glyphs, right=True)}"
        right += f"  {fit(size, 10, glyphs, right=True)}"
        right += f"  {one_line(agent, 12, glyphs)}" if wide else ""
        # Everything but the title is measured in ASCII or fitted: its cells are its characters.
        taken = 1 + 2 + project_cells + 2 + 13 + 2 + 10 + (14 if wide else 0) + 1
        return one_line(title, max(0, self.room - taken), glyphs) + right


def _end(path: str, width: int, glyphs: Glyphs) -> str:
    """The last folder of a path, or the whole of it where there is room."""
    whole = one_line(path, width, glyphs)
    if len(path) <= width:
        return whole
    return one_line(path.rstrip("/").rpartition("/")[2] or path, width, glyphs)
