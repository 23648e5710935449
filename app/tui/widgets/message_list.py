"""The list of a session's blocks: one row each, with its tokens and its verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from app.display import UNICODE, Glyphs, cells, human_number, one_line, ruled, short_number
from app.tui.widgets.line_view import LineView

VERDICTS: Final = (
    "user",
    "decision",
    "call",
    "only-copy",
    "superseded",
    "regenerable",
    "compacted",
    "error",
)
UNSENT: Final = frozenset({"before-boundary", "off-branch", "sidechain", "never-sent", "dropped"})
"""States of a block that is not sent to the model: its row is faint."""
_SHORT: Final = {"before-boundary": "before"}
"""Words for states that are longer than their column."""
STATES_FROM_WIDTH: Final = 100
"""Cells from which on the states have a column of their own."""


@dataclass(frozen=True, slots=True)
class BlockRow:
    """What the list shows of one block. Texts are session text as it is."""

    number: int
    """The message's number."""
    role: str
    """Who or what: `user`, `assistant`, `tool_use`, `tool_result`, `thinking` ..."""
    tokens: int | None
    """None while it is being counted."""
    verdict: str
    preview: str
    exact: bool = False
    """Whether `tokens` was counted; an estimate is shown with `~`."""
    states: tuple[str, ...] = ()
    marked: bool = False
    warning: bool = False


@dataclass(frozen=True, slots=True)
class BoundaryRow:
    """A line across the list where a compaction stands."""

    text: str


ListRow: TypeAlias = BlockRow | BoundaryRow


class RowSource(Protocol):
    """Where the rows come from, already filtered and sorted; a list of rows is one."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> ListRow: ...


class MessageList(LineView):
    """Blocks and boundaries, one row each, under a header row."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"message-list--{verdict}" for verdict in VERDICTS),
        "message-list--boundary",
        "message-list--faint",
        "message-list--pinned",
        "message-list--words",
        "message-list--warning",
    }
    DEFAULT_CSS = """
    MessageList {
        & > .message-list--user { color: $text-success; text-style: bold; }
        & > .message-list--decision { color: $text-success; }
        & > .message-list--only-copy { color: $text-success; }
        & > .message-list--call { color: $text-muted; }
        & > .message-list--superseded { color: $text-warning; }
        & > .message-list--regenerable { color: $text-warning; }
        & > .message-list--compacted { color: $text-secondary; }
        & > .message-list--error { color: $text-error; }
        & > .message-list--boundary { color: $text-primary; }
        & > .message-list--faint { color: $text-disabled; }
        & > .message-list--pinned { color: $text-primary; text-style: bold; }
        & > .message-list--words { text-style: bold; }
        & > .message-list--warning { color: $text-warning; text-style: bold; }
    }
    """
    HEADER_ROWS = 1

    def __init__(
        self,
        source: RowSource = (),
        *,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 (Textual's name)
        classes: str | None = None,
    ) -> None:
        super().__init__(glyphs=glyphs, id=id, classes=classes)
        self._source = source
        self._last_number = len(source)
        self._stops: Sequence[int] = ()
        self._by_tokens = False

    @property
    def source(self) -> RowSource:
        return self._source

    def show(
        self,
        source: RowSource,
        *,
        cursor: int | None = None,
        last_number: int | None = None,
        stops: Sequence[int] = (),
        top: int | None = None,
        by_tokens: bool = False,
    ) -> None:
        """Show other rows, or the same after they changed; the cursor stays unless told.

        It is in sight then, but where `top` is given, with which the view begins.

        `last_number` is the highest message number that can come, for the width of its column;
        the default is the number of rows. `stops` are the ascending indexes that n and N visit.
        `by_tokens`: the rows stand in that order, which the head of the column says.
        """
        self._source = source
        self._stops = stops
        self._by_tokens = by_tokens
        self._last_number = len(source) if last_number is None else last_number
        self.rows_changed(cursor, top=top)
        self.search_again()

    @property
    def row_count(self) -> int:
        return len(self._source)

    def stops(self) -> Sequence[int]:
        return self._stops

    def find_rows(self, pattern: re.Pattern[str]) -> Sequence[int]:
        """Rows whose role or preview holds the pattern, also where the preview is cut on screen.

        It asks the source for every row: over some 20,000 rows search in a worker and use `set_matches`.
        """
        return [i for i in range(self.row_count) if pattern.search(_searchable(self._source[i]))]

    def header_strip(self, y: int) -> Strip:
        style = self.get_component_rich_style("line-view--header")
        tokens = "v tokens" if self._by_tokens else "tokens"
        columns = self._columns("#", "role", tokens, "verdict", "state")
        text = f"{' ' * self._sign_width}  {columns.lead}{columns.verdict}{columns.states}preview"
        return Strip([Segment(text, style)])

    def row_strip(self, index: int) -> Strip:
        row = self._source[index]
        if isinstance(row, BoundaryRow):
            return self._boundary_strip(row)
        tokens = "" if row.tokens is None else _tokens(row.tokens, exact=row.exact)
        # Where it stands matters more than its class for a row that is not sent.
        unsent = next((state for state in row.states if state in UNSENT), None)
        states = " ".join(row.states)
        verdict = row.verdict if unsent is None else _SHORT.get(unsent, unsent)
        columns = self._columns(str(row.number), row.role, tokens, verdict, states)
        taken = 2 + sum(map(cells, (columns.lead, columns.verdict, columns.states)))
        preview = one_line(row.preview, max(0, self.room - taken), self.glyphs)

        words = self._words_style(row)
        muted = self._part_style(row, "line-view--header")
        return Strip(
            [
                self._mark(row),
                self._sign(row),
                Segment(columns.lead, words),
                Segment(columns.verdict, self._verdict_style(row)),
                Segment(columns.states, muted),
                Segment(preview, muted if row.verdict == "call" else words),
            ]
        )

    def _columns(self, number: str, role: str, tokens: str, verdict: str, states: str) -> _Columns:
        digits = max(4, len(str(self._last_number)))
        wide = self.room >= STATES_FROM_WIDTH
        glyphs = self.glyphs
        return _Columns(
            lead=f"{number:>{digits}}  {one_line(role, 11, glyphs)} {tokens:>8}  ",
            verdict=f"{one_line(verdict, 11, glyphs)}  ",
            states=f"{one_line(states, 16, glyphs)}  " if wide else "",
        )

    def _boundary_strip(self, row: BoundaryRow) -> Strip:
        style = self.get_component_rich_style("message-list--boundary")
        return Strip([Segment(ruled(row.text, self.room, self.glyphs), style)])

    def _mark(self, row: BlockRow) -> Segment:
        if row.marked:
            return Segment(self.glyphs.marked, self.get_component_rich_style("message-list--pinned"))
        return Segment(" ", self.base_style)

    def _sign(self, row: BlockRow) -> Segment:
        if row.warning:
            return Segment(self.glyphs.warning, self.get_component_rich_style("message-list--warning"))
        if "pinned" in row.states:
            return Segment(self.glyphs.pinned, self.get_component_rich_style("message-list--pinned"))
        return Segment(" ", self.base_style)

    def _verdict_style(self, row: BlockRow) -> Style:
        if row.verdict not in VERDICTS:
            return self._part_style(row, "line-view--header")
        return self._part_style(row, f"message-list--{row.verdict}")

    def _words_style(self, row: BlockRow) -> Style:
        if row.verdict == "user":
            return self._part_style(row, "message-list--words")
        return self._part_style(row)

    def _part_style(self, row: BlockRow, *names: str) -> Style:
        if not UNSENT.isdisjoint(row.states):
            return self.get_component_rich_style("message-list--faint")
        return self.get_component_rich_style(*names) if names else self.base_style


@dataclass(frozen=True, slots=True)
class _Columns:
    lead: str
    verdict: str
    states: str


def _tokens(tokens: int, *, exact: bool) -> str:
    number = human_number(tokens) if tokens < 1_000_000 else short_number(tokens)
    return number if exact else f"~{number}"


def _searchable(row: ListRow) -> str:
    return row.text if isinstance(row, BoundaryRow) else f"{row.role} {row.preview}"
