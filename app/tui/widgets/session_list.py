"""The list of sessions that were found on this machine."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import ClassVar, Final

from rich.segment import Segment
from textual.strip import Strip

from app.discovery.catalogue import Project, Row, SortOrder
from app.discovery.found_session import FoundSession
from app.display import UNICODE, Glyphs, cells, counted, fit, human_age, human_bytes, one_line, short_number
from app.tui.widgets.line_view import LineView

WIDE: Final = 100
"""Cells from which on the agent and both counts have columns of their own."""
_PROJECT: Final = {False: 14, True: 26}
_AGE, _SIZE, _COUNT, _AGENT = 9, 9, 6, 11
"""Cells of the columns: `11 months`, `123.4 KiB`, `~1.2k`, `Claude Code`."""


class SessionList(LineView):
    """Title, project, age, size, tokens and messages of each session, under a header row."""

    HEADER_ROWS = 1
    COMPONENT_CLASSES: ClassVar[set[str]] = {"session-list--project"}
    DEFAULT_CSS = "SessionList > .session-list--project { text-style: bold; }"

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(glyphs=glyphs, id=id)
        self._rows: Sequence[Row] = ()
        self._sort = SortOrder.AGE
        self._grouped = False
        self._at_work: Collection[str] = ()
        self._left: Collection[str] = ()
        self._now = 0.0

    def show(
        self,
        rows: Sequence[Row],
        *,
        now: float,
        sort: SortOrder = SortOrder.AGE,
        grouped: bool = False,
        running: Collection[str] = (),
        left: Collection[str] = (),
        cursor: int | None = None,
    ) -> None:
        """Show rows as they are at a time (seconds since 1970); the cursor stays unless told.

        `running` are the names of sessions that somebody is at work on, `left` of those with steps that
        were not exported.
        """
        self._rows, self._now, self._sort, self._grouped = rows, now, sort, grouped
        self._at_work, self._left = running, left
        self.rows_changed(cursor)

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self._rows[self.cursor] if self._rows else None

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def find_rows(self, pattern: re.Pattern[str]) -> Sequence[int]:
        return [i for i, row in enumerate(self._rows) if pattern.search(_words(row))]

    def header_strip(self, y: int) -> Strip:
        style = self.get_component_rich_style("line-view--header")
        columns = self._columns("project", "age", "size", "tokens", "msgs", "agent")
        return Strip([Segment("  " + self._line("session", columns), style)])

    def row_strip(self, index: int) -> Strip:
        row = self._rows[index]
        if isinstance(row, Project):
            return self._project_strip(row)
        age = "" if row.is_sample else human_age(self._now - row.modified).removesuffix(" ago")
        size = human_bytes(row.size) if row.size else ""
        tokens = "" if row.tokens is None else short_number(row.tokens)
        messages = "" if row.messages is None else f"{'~' if row.about else ''}{short_number(row.messages)}"
        columns = self._columns(row.project, age, size, tokens, messages, row.agent)
        lead = self.glyphs.pinned if row.name in self._left else " "
        if row.name in self._at_work:
            lead = self.glyphs.warning
        lead += "  " if self._grouped else ""
        return Strip([Segment(lead + self._line(row.title, columns, len(lead)), self.base_style)])

    def _project_strip(self, row: Project) -> Strip:
        age = human_age(self._now - row.modified).removesuffix(" ago") if row.modified else ""
        columns = self._columns("", age, human_bytes(row.size), "", "", "")
        number = f"  {counted(row.sessions, 'session')}"
        room = max(0, self.room - 2 - len(number) - cells(columns) - 1)
        name = _end(row.name or "no project", min(room, cells(row.name) or room), self.glyphs)
        words = f"{'+' if row.folded else '-'} {name}{number}"
        style = self.get_component_rich_style("session-list--project")
        return Strip([Segment(fit(words, self.room - cells(columns) - 1, self.glyphs) + columns, style)])

    def _line(self, title: str, columns: str, lead: int = 1) -> str:
        return one_line(title, max(0, self.room - lead - cells(columns) - 1), self.glyphs) + columns

    def _columns(self, project: str, age: str, size: str, tokens: str, messages: str, agent: str) -> str:
        """Everything but the title."""
        wide = self.room >= WIDE
        glyphs = self.glyphs
        parts = [] if self._grouped else [_end(project, _PROJECT[wide], glyphs)]
        parts += [fit(age, _AGE, glyphs, right=True), fit(size, _SIZE, glyphs, right=True)]
        if wide or self._sort is not SortOrder.MESSAGES:
            parts.append(fit(tokens, _COUNT, glyphs, right=True))
        if wide or self._sort is SortOrder.MESSAGES:
            parts.append(fit(messages, _COUNT, glyphs, right=True))
        if wide:
            parts.append(one_line(agent, _AGENT, glyphs))
        return "".join(f"  {part}" for part in parts)


def _words(row: Row) -> str:
    return f"{row.title} {row.project}" if isinstance(row, FoundSession) else row.name


def _end(path: str, width: int, glyphs: Glyphs) -> str:
    """The last folder of a path, or the whole of it where there is room."""
    whole = one_line(path, width, glyphs)
    if len(path) <= width:
        return whole
    return one_line(path.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or path, width, glyphs)
