"""The list of what a stage changes: one row a block, its size before and after, and what it becomes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, TypeAlias, cast

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from app.display import UNICODE, Glyphs, cells, human_number, one_line, ruled
from app.tui.widgets.line_view import LineView
from app.tui.widgets.message_list import BoundaryRow

MADE = "made"
"""The word of a row that a stage put in."""
KEPT: frozenset[str] = frozenset({"kept", "pinned", "paired"})
"""Words of rows whose change is not made."""


class ChangeRow(Struct, frozen=True):
    """What the list shows of one block. Texts are session text as it is."""

    key: str
    number: int | None
    """The message's number; None for a made one."""
    before: int | None
    """Tokens; None for a made block."""
    after: int | None
    """Tokens; None for a dropped block."""
    word: str
    """What happens to it: `cut`, `cleared`, `dropped`, `made`, `kept` ..."""
    preview: str
    exact: bool = False
    """Whether the tokens were counted; estimates are shown with `~`."""
    warning: bool = False


Row: TypeAlias = ChangeRow | BoundaryRow


class ChangeList(LineView):
    """Changed blocks and boundaries under a header row; n and N go from row to row that needs a look."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "change-list--change",
        "change-list--made",
        "change-list--kept",
        "change-list--boundary",
        "change-list--warning",
    }
    DEFAULT_CSS = """
    ChangeList {
        & > .change-list--change { color: $text-warning; }
        & > .change-list--made { color: $text-secondary; }
        & > .change-list--kept { color: $text-success; text-style: bold; }
        & > .change-list--boundary { color: $text-primary; }
        & > .change-list--warning { color: $text-warning; text-style: bold; }
    }
    """
    HEADER_ROWS = 1

    def __init__(
        self,
        *,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 (Textual's name)
    ) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self._rows: Sequence[Row] = ()
        self._warned: Sequence[int] = ()
        self._digits = 5

    def show(self, rows: Sequence[Row], *, anew: bool = False) -> None:
        """Show other rows; the cursor stays on the block it is on, else at its place, the view where it is.

        `anew` puts the cursor on what was made, else on the first block, in sight.
        """
        top = None if anew else self.scrolled_to
        current = None if anew else self.current
        self._rows = rows
        self._warned = [i for i, row in enumerate(rows) if isinstance(row, ChangeRow) and row.warning]
        if current is None:
            blocks = [i for i, row in enumerate(rows) if isinstance(row, ChangeRow)]
            made = (i for i in blocks if cast(ChangeRow, rows[i]).word == MADE)
            first = next(made, blocks[0] if blocks else None)
        else:
            first = self.index_of(current.key)
        last = max((row.number or 0 for row in rows if isinstance(row, ChangeRow)), default=0)
        self._digits = max(5, len(str(last)))
        self.rows_changed(first, top=top)
        self.search_again()

    @property
    def current(self) -> ChangeRow | None:
        """The row under the cursor, if it is a block's."""
        row = self._rows[self.cursor] if self._rows else None
        return row if isinstance(row, ChangeRow) else None

    def index_of(self, key: str) -> int | None:
        """Where a block's row is; None when there is none."""
        found = (i for i, row in enumerate(self._rows) if isinstance(row, ChangeRow) and row.key == key)
        return next(found, None)

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def stops(self) -> Sequence[int]:
        return self._warned

    def find_rows(self, pattern: re.Pattern[str]) -> Sequence[int]:
        return [i for i, row in enumerate(self._rows) if pattern.search(_searchable(row))]

    def header_strip(self, y: int) -> Strip:
        number, before, after = self._columns("#", "before", "after")
        words = f"   {number}{before}{after}{'change':<9}  preview"
        return Strip([Segment(words, self.get_component_rich_style("line-view--header"))])

    def row_strip(self, index: int) -> Strip:
        row = self._rows[index]
        if isinstance(row, BoundaryRow):
            style = self.get_component_rich_style("change-list--boundary")
            return Strip([Segment(ruled(row.text, self.room, self.glyphs), style)])
        is_kept = row.word in KEPT
        style = self.get_component_rich_style("line-view--header") if is_kept else self.base_style
        number, before, after = self._columns(
            "" if row.number is None else str(row.number),
            self._tokens(row.before, row),
            self._tokens(row.after, row),
        )
        lead = f" {number}{before}{after}"
        word = f"{one_line(row.word, 9, self.glyphs)}  "
        preview = one_line(row.preview, max(0, self.room - cells(lead) - cells(word) - 1), self.glyphs)
        warning = self.get_component_rich_style("change-list--warning")
        return Strip(
            [
                Segment(self.glyphs.warning if row.warning else " ", warning),
                Segment(lead, style),
                Segment(word, self._word_style(row)),
                Segment(preview, style),
            ]
        )

    def _columns(self, number: str, before: str, after: str) -> tuple[str, str, str]:
        return f"{number:>{self._digits}}", f"{before:>10}", f"{after:>9}  "

    def _tokens(self, tokens: int | None, row: ChangeRow) -> str:
        if tokens is None:
            return self.glyphs.waiting
        return human_number(tokens) if row.exact else f"~{human_number(tokens)}"

    def _word_style(self, row: ChangeRow) -> Style:
        if row.word in KEPT:
            return self.get_component_rich_style("change-list--kept")
        name = "change-list--made" if row.word == MADE else "change-list--change"
        return self.get_component_rich_style(name)


def _searchable(row: Row) -> str:
    return row.text if isinstance(row, BoundaryRow) else f"{row.word} {row.preview}"
