"""Marking rows: one by one, as a range, by what they are, or all but these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from textual import on

from app.display import counted, human_number, percent, short_number
from app.tui.keys import Key, marked_bar
from app.tui.screens.base import Prompt, acts
from app.tui.screens.choose import Choice, ChooseScreen
from app.tui.screens.parts.rows import RowsScreen
from app.tui.view import View
from app.tui.widgets.line_view import LineView
from app.views.listing import Facet, FacetFilter, FilterShare, Item, has, is_sent, key_of, shares, tokens_of
from app.views.selection import Filter, select
from app.work.rows import BlockRow

ASKED = {
    "older": ("older than N turns:", "3"),
    "larger": ("larger than N tokens:", "1000"),
    "path": ("path matching:", "*"),
}
"""Filters that need an argument: purpose -> (question, proposed value)."""

Offer = tuple[Choice, Callable[[], None]]
"""A line of the list, and the action of choosing it."""


class MarksRows(RowsScreen):
    """A list of rows that can be marked; edits apply to the marked rows."""

    _tallied: tuple[View, tuple[str, ...], str] | None = None
    """Cache of the summary text: (view, marked keys, text)."""
    _range_from: int | None = None
    """The row where the current range started."""

    def acted_keys(self) -> tuple[str, ...]:
        """The blocks that an edit applies to: the marked rows, else the one under the cursor."""
        if len(self.marks):
            return self.marks.keys
        return (self.item.key,) if isinstance(self.item, BlockRow) else ()

    def here_keys(self) -> tuple[str, ...]:
        """The block under the cursor."""
        return (self.item.key,) if isinstance(self.item, BlockRow) else ()

    def bar(self) -> Sequence[Key]:
        """The keys; while rows are marked, those for marked rows."""
        return marked_bar() if len(self.marks) else super().bar()

    def tally(self) -> str:
        keys = self.marks.keys
        if not keys:
            return ""
        # Called at each move of the cursor, but computing it visits every row, hence the cache.
        if self._tallied is None or self._tallied[0] is not self.view_now or self._tallied[1] != keys:
            self._tallied = (self.view_now, keys, f"{human_number(len(keys))} marked")
            self._add_up(self.view_now, keys)
        drawing = "range: " if self.marks.anchor is not None else ""
        return f"{drawing}{self._tallied[2]}"

    def _add_up(self, view: View, keys: tuple[str, ...]) -> None:
        """Compute how much is marked, and show it."""

        def tokens() -> int:
            known = frozenset(keys)
            rows = (row for row in view.items if isinstance(row, BlockRow) and row.key in known)
            return sum(tokens_of(row, view.seen) for row in rows)

        def tell(tokens: int) -> None:
            share = percent(tokens, view.figures.now)
            words = f"{human_number(len(keys))} marked ~{short_number(tokens)} {share}"
            self._tallied = (view, keys, words)
            self._say()

        self.behind(len(view.items), tokens, tell, group="tally")

    def _can_be_marked(self, item: Item) -> bool:
        return isinstance(item, BlockRow) and is_sent(item, self.seen)

    def why_not_mark(self) -> str | None:
        """Why the row under the cursor cannot be marked."""
        item = self.item
        if not isinstance(item, BlockRow):
            return "no message under the cursor"
        return (
            None
            if self._can_be_marked(item)
            else "it is not sent to the model, so there is nothing to change"
        )

    # One by one

    @acts
    def action_mark(self) -> None:
        assert self.item is not None
        if self.marks.anchor is not None:
            self.marks.end_range()
        else:
            self.marks.toggle(key_of(self.item))
        self.rows.row_changed(self.rows.cursor)
        self.rows.action_move(1)
        self.marks_changed()

    def action_mark_down(self) -> None:
        self._extend(1)

    def action_mark_up(self) -> None:
        self._extend(-1)

    def _extend(self, by: int) -> None:
        self._add([self.item])
        self.rows.action_move(by)
        self._add([self.item])
        self.marks_changed()

    def _add(self, items: Iterable[Item | None]) -> int:
        return self.marks.add(
            key_of(item) for item in items if item is not None and self._can_be_marked(item)
        )

    # A range

    @acts
    def action_range(self) -> None:
        if self.marks.anchor is not None:
            self.marks.end_range()
        else:
            assert self.item is not None
            self.marks.start_range(key_of(self.item))
            self._range_from = self.rows.cursor
        self.marks_changed()

    def rows_laid(self) -> None:
        super().rows_laid()
        if self.marks.anchor is not None:
            keys = enumerate(map(key_of, self.shown))
            self._range_from = next((place for place, key in keys if key == self.marks.anchor), None)

    @on(LineView.Moved, "MessageList")
    def _draw_range(self) -> None:
        if self.marks.anchor is None:
            return
        here = self.rows.cursor
        anchor = here if self._range_from is None else self._range_from
        between = self.shown[min(anchor, here) : max(anchor, here) + 1]
        self.marks.draw_range(key_of(item) for item in between if self._can_be_marked(item))
        self.marks_changed()

    # All of a kind

    @acts
    def action_mark_all(self) -> None:
        sent = self._sent_rows()
        facets = (Facet.VERDICT, Facet.TOOL, Facet.ROLE)
        rows = len(self.view_now.items)
        self.behind(rows, lambda: shares(sent(), self.seen, facets), self._choose_marks, words="adding up")

    def _sent_rows(self) -> Callable[[], Iterable[BlockRow]]:
        """A function that returns the rows that can be marked."""
        items, seen = self.view_now.items, self.seen
        return lambda: (item for item in items if isinstance(item, BlockRow) and is_sent(item, seen))

    def _choose_marks(self, found: Sequence[FilterShare]) -> None:
        offers = list(self._mark_offers(found))

        def choose(position: int | None) -> None:
            if position is not None:
                offers[position][1]()

        about = "Only rows sent to the model are marked; existing marks stay."
        choices = [choice for choice, _ in offers]
        self.app.push_screen(ChooseScreen("Mark ... (rows, tokens)", choices, about=about), choose)

    def _mark_offers(self, shares: Iterable[FilterShare]) -> Iterable[Offer]:
        for purpose, (label, _) in ASKED.items():
            yield Choice(f"{label.removesuffix(':')} ..."), partial(self._ask_filter, purpose)
        if self.rows.sought:
            found = [self.shown[place] for place in self.rows.matches if place < len(self.shown)]
            yield (
                Choice(f"matches of {self.rows.sought!r}", f"{human_number(len(found)):>7}  {'':>5}"),
                partial(self._mark_these, found),
            )
        for share in shares:
            note = f"{human_number(share.rows):>7}  {short_number(share.tokens):>5}"
            words = f"{share.only.facet}: {share.only.value}"
            yield Choice(words, note), partial(self._mark_only, share.only)

    def _ask_filter(self, purpose: str) -> None:
        label, proposed = ASKED[purpose]
        self.ask(f"mark-{purpose}", f"mark rows {label}", proposed)

    def _mark_only(self, only: FacetFilter) -> None:
        sent, seen = self._sent_rows(), self.seen
        self._mark_when_known(lambda: [row.key for row in sent() if has(row, seen, only)])

    def _mark_these(self, items: Iterable[Item]) -> None:
        self._mark_keys([key_of(item) for item in items if self._can_be_marked(item)])

    def _mark_when_known(self, keys: Callable[[], Sequence[str]]) -> None:
        self.behind(len(self.view_now.items), keys, self._mark_keys, words="finding these rows")

    def _mark_keys(self, keys: Iterable[str]) -> None:
        added = self.marks.add(keys)
        self.marks_changed(f"{counted(added, 'row')} more marked")

    @on(Prompt.Taken)
    def _filter_named(self, event: Prompt.Taken) -> None:
        kind, _, purpose = event.purpose.partition("-")
        if kind != "mark" or purpose not in ASKED or not event.text.strip():
            return
        text = event.text.strip()
        number = text.replace(",", "").replace("_", "")
        if purpose == "path":
            self._mark_filtered(Filter(path=text))
        elif not (number.isascii() and number.isdecimal()):
            self.say_row(f"expected a whole number, not {text!r}")
        elif purpose == "older":
            self._mark_filtered(Filter(before_turn=-int(number)))
        else:
            self._mark_filtered(Filter(larger_than=int(number)))

    def _mark_filtered(self, wanted: Filter) -> None:
        self._mark_when_known(lambda: select(self.workspace, wanted))

    @acts
    def action_invert(self) -> None:
        shown, seen = self.shown, self.seen

        def sent() -> list[str]:
            return [item.key for item in shown if isinstance(item, BlockRow) and is_sent(item, seen)]

        def invert(keys: Iterable[str]) -> None:
            self.marks.invert(keys)
            self.marks_changed("inverted the marks on the visible rows")

        self.behind(len(shown), sent, invert, words="finding these rows")

    @acts
    def action_unmark(self) -> None:
        self.marks.clear()
        self.marks_changed("no rows are marked")

    def marks_changed(self, words: str = "") -> None:
        """Refresh the marks, and show `words` instead of the previous status."""
        self.rows.repaint_rows()
        self.say_row(words)
        self.refresh_lines()

    # Edits of the marked rows, or of the one under the cursor

    @acts
    def action_pin(self) -> None:
        keys, pins = self.acted_keys(), self.workspace.state.pins
        named = counted(len(keys), "row")
        if len(self.marks) == 0 and isinstance(self.item, BlockRow):
            named = f"#{self.item.number}"
        if free := [key for key in keys if key not in pins]:
            self.workspace.pin(free)
            self.did(f"{named} pinned: stages leave {'it' if len(keys) == 1 else 'them'} alone")
        else:
            self.workspace.unpin(keys)
            self.did(f"{named} unpinned")
