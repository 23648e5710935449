"""Rows grouped by file, tool, turn or verdict: the largest groups, and edits of a whole group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from textual import events, on
from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from app.display import counted, spread
from app.opening import Opened
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.screens.base import acts
from app.tui.screens.parts.editing import Edits
from app.tui.screens.parts.progress import TellsWaits
from app.tui.screens.parts.quick_fixes import OffersQuickFixes
from app.tui.screens.parts.undoing import TakesBack
from app.tui.widgets.group_list import GroupList
from app.tui.widgets.line_view import LineView
from app.views.grouping import Group, GroupBy, groups
from app.views.marks import Marks
from app.work.attempts import EditVariant

ORDER = tuple(GroupBy)


class GroupsScreen(Edits, OffersQuickFixes, TakesBack, TellsWaits):
    """A list of groups; enter returns to the row list, filtered to the group."""

    WHERE: ClassVar[KeyScope] = KeyScope.GROUPS

    class Gathered(Message):
        """The groups were computed."""

        def __init__(self, by: GroupBy, found: Sequence[Group], total: int) -> None:
            super().__init__()
            self.by = by
            self.found = found
            self.total = total

    def __init__(self, opened: Opened, marks: Marks, choose: Callable[[Group], None]) -> None:
        """Marks are shared with the list of rows; `choose` is called with the group that is opened."""
        super().__init__(opened)
        self.marks = marks
        self._choose = choose
        self._by = ORDER[0]
        self._found: Sequence[Group] | None = None
        """The groups; None until they are computed."""
        self._total = 0
        self._said = ""
        """The result of the last key, shown until the cursor moves."""

    def body(self) -> Iterable[Widget]:
        yield GroupList(glyphs=self.glyphs)

    def header(self) -> str:
        right = "" if self._found is None else counted(len(self._found), "group")
        return spread(f"Rows by {self._by}", right, self.size.width - 2, self.glyphs)

    @property
    def list(self) -> GroupList:
        return self.query_one(GroupList)

    @on(events.ScreenResume)
    def _back_on_top(self) -> None:
        if not self.has_class("-asking"):
            self.list.focus()
        self._gather(self._by)

    def _gather(self, by: GroupBy) -> None:
        self.wait_for("adding up", way_out="esc goes back")
        self._gather_behind(by)

    @in_thread(exit_on_error=False, exclusive=True, group="gather")
    def _gather_behind(self, by: GroupBy) -> None:
        worker = get_current_worker()
        found = groups(self.workspace, by)
        total = self.workspace.tokens(self.workspace.messages)
        if not worker.is_cancelled:
            self.post_message(self.Gathered(by, found, total))

    @on(Gathered)
    def _show(self, event: Gathered) -> None:
        self.waited()
        self._by, self._found, self._total = event.by, event.found, event.total
        self._show_marks()

    def _show_marks(self) -> None:
        self.list.show(self._found or (), self.marks, self._total)
        self.refresh_lines()
        self._say()

    def _say(self) -> None:
        marked = f"{counted(len(self.marks), 'row')} marked  " if len(self.marks) else ""
        place = f"{self.list.cursor + 1:,} of {len(self._found):,}" if self._found else "no group"
        words = self._said or "o switches between path, tool, turn, verdict; enter shows rows"
        self.status(spread(words, marked + place, self.size.width - 2, self.glyphs))

    @on(LineView.Moved, "GroupList")
    def _moved(self) -> None:
        self._said = ""
        self._say()

    # Keys

    def acted_keys(self) -> tuple[str, ...]:
        if len(self.marks):
            return self.marks.keys
        return self.here_keys()

    def here_keys(self) -> tuple[str, ...]:
        group = self.list.current
        return () if group is None else group.keys

    def tell(self, words: str) -> None:
        self._said = words
        self._say()

    def did(self, words: str) -> None:
        self._said = words
        self._gather(self._by)

    def edited(self, way: EditVariant) -> None:
        self.marks.clear()
        super().edited(way)

    def why_not(self, action: str) -> str | None:
        match action:
            case "open" | "mark" if self.is_mounted and self.list.current is None:
                return "there are no groups"
            case "drop_rows" | "clear_rows" | "cut_rows" if self.is_mounted:
                return self.why_not_edit(action)
            case "unmark" if not len(self.marks):
                return "no rows are marked: space marks a group"
            case "undo" | "redo":
                return self.why_not_back(action)
        return None

    @on(LineView.Opened)
    def _opened_group(self) -> None:
        self.action_open()

    @acts
    def action_open(self) -> None:
        group = self.list.current
        assert group is not None
        self.dismiss()
        self._choose(group)

    @acts
    def action_mark(self) -> None:
        group = self.list.current
        assert group is not None
        if all(key in self.marks for key in group.keys):
            for key in group.keys:
                self.marks.toggle(key)
        else:
            self.marks.add(group.keys)
        self.list.action_move(1)
        self._show_marks()

    @acts
    def action_unmark(self) -> None:
        self.marks.clear()
        self._show_marks()

    def action_groups(self) -> None:
        self._said = ""
        self._gather(ORDER[(ORDER.index(self._by) + 1) % len(ORDER)])

    def action_close(self) -> None:
        self.dismiss()
