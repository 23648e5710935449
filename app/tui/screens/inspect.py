"""The main screen: every block with its tokens and verdict; all other views open from here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on

from app.display import cells, counted, fit, one_line, safe_text, spread
from app.formats import format_named
from app.model import Session
from app.tui.keys import KeyScope
from app.tui.messages import OpenFailed, SessionOpened
from app.tui.screens.base import acts
from app.tui.screens.diff import DiffScreen
from app.tui.screens.export import ExportScreen
from app.tui.screens.groups import GroupsScreen
from app.tui.screens.parts.choices import Chooses
from app.tui.screens.parts.comparing import Compares
from app.tui.screens.parts.copying import CopiesTexts
from app.tui.screens.parts.editing import Edits
from app.tui.screens.parts.lost_facts import ShowsLosses
from app.tui.screens.parts.mapping import ShowsMap
from app.tui.screens.parts.marking import MarksRows
from app.tui.screens.parts.moving import MovesSession
from app.tui.screens.parts.on_disk import LooksAtFiles
from app.tui.screens.parts.quick_fixes import OffersQuickFixes
from app.tui.screens.parts.recipes import Recipes
from app.tui.screens.parts.searching import Searches
from app.tui.screens.parts.subagents import OpensSubagents
from app.tui.screens.parts.undoing import TakesBack
from app.tui.screens.parts.watching import Watches
from app.tui.screens.stepper import StepperScreen
from app.tui.screens.text import TextScreen
from app.tui.stage_words import session_words
from app.tui.widgets.line_view import LineView
from app.tui.widgets.stage_strip import StageStrip
from app.views.describe import record_of
from app.views.grouping import Group
from app.views.listing import Item, KeysFilter
from app.views.outlook import Outlook
from app.views.problems import Problem
from app.work.attempts import EditVariant
from app.work.history import OpKind
from app.work.rows import BlockRow


class InspectScreen(
    Watches,
    MovesSession,
    OpensSubagents,
    Recipes,
    ShowsLosses,
    ShowsMap,
    Searches,
    LooksAtFiles,
    MarksRows,
    Chooses,
    Compares,
    CopiesTexts,
    Edits,
    OffersQuickFixes,
    TakesBack,
):
    """List and detail over one session."""

    WHERE: ClassVar[KeyScope] = KeyScope.INSPECT
    _problem = -1
    """Index of the problem last jumped to."""

    def header(self) -> str:
        session = self.workspace.session
        kind = format_named(session.format).title
        sent, total = len(session.live), counted(len(session.messages), "message")
        size = total if sent == len(session.messages) else f"{sent:,} of {total} sent"
        right = self._health()
        if self.since is not None:
            right = f"! file {self.since}  {right}"
        dot = f" {self.glyphs.dot} "
        width = self.size.width - 2
        # Only the title is shortened if the line is too long.
        room = width - cells(f"handcompact{dot}{dot}{kind}{dot}{size}  {right}")
        name = safe_text(session_words(session), self.glyphs)
        left = dot.join(("handcompact", fit(name, max(8, min(room, cells(name))), self.glyphs), kind, size))
        return spread(left, right, width, self.glyphs)

    def _health(self) -> str:
        """`ok`, or what is wrong, starting with what the steps so far broke."""
        found = self.problems
        if not found:
            return "checking" if found is None else "ok"
        broken = next((problem for problem in found if problem not in self.given_problems), None)
        if broken is None:
            return f"! {counted(len(found), 'problem')}"
        room = min(cells(broken.text), self.size.width // 2)
        return f"! {one_line(broken.text, room, self.glyphs).rstrip()}"

    def current(self) -> tuple[Item, Outlook] | None:
        return None if self.item is None else (self.item, self.seen)

    # Keys

    def why_not(self, action: str) -> str | None:
        item = self.item if self.is_mounted else None
        match action:
            case "open" | "raw" | "copy_raw" if item is None:
                return "there are no rows"
            case "raw" | "copy_raw" if item is not None and record_of(item) is None:
                return "made by a stage: there is no record in the file"
            case "pin" if not self.acted_keys():
                return "no message under the cursor"
            case "copy" | "save_text" if not isinstance(item, BlockRow):
                return "no message under the cursor"
            case "diff":
                return self._why_not_diff(item)
            case "drop_rows" | "clear_rows" | "cut_rows" | "rewrite" if self.is_mounted:
                return self.why_not_edit(action)
            case "mark" | "range" if self.is_mounted and self.marks.anchor is None:
                return self.why_not_mark()
            case "on_disk" if self.is_mounted:
                return self.why_not_on_disk()
            case "unmark" if not len(self.marks):
                return "no rows are marked: space marks one"
            case "agents" if self.is_mounted:
                return self.why_not_agents()
            case "reread":
                return self.why_not_reread()
            case "save_recipe":
                return self.why_not_save_recipe()
            case "problem":
                return self._why_no_problem()
            case "branch" if len(self.workspace.session.leaves) < 2:
                return "this session has only one branch"
            case "undo" | "redo":
                return self.why_not_back(action)
            case "next_stage" | "run_all" if reason := self.workspace.why_not(OpKind.RUN):
                return f"{reason}: e plans the export"
            case "previous_stage":
                return self.workspace.why_not(OpKind.BACK)
        return None

    def _why_not_diff(self, item: Item | None) -> str | None:
        if not isinstance(item, BlockRow):
            return "no message under the cursor"
        if self.seen.ahead and item.key not in self.seen.touches:
            return f"no stage of {self.workspace.pipeline.name} touches this row"
        return None if self.seen.ahead else "the stages are still running"

    def _why_no_problem(self) -> str | None:
        if self.problems is None:
            return "the session is still being checked"
        return None if self.problems else "no damage and no broken rule was found"

    @on(LineView.Opened)
    def _opened_row(self) -> None:
        self.action_open()

    @acts
    def action_open(self) -> None:
        self._read_row(raw=False)

    @acts
    def action_raw(self) -> None:
        self._read_row(raw=True)

    def _read_row(self, *, raw: bool) -> None:
        if self.item is not None:
            self.app.push_screen(TextScreen(self.opened, self.item, self.seen, raw=raw))

    def tell(self, words: str) -> None:
        self.say_row(words)

    def edited(self, way: EditVariant) -> None:
        self.marks.clear()
        super().edited(way)

    def action_groups(self) -> None:
        self.marks.end_range()
        self.app.push_screen(GroupsScreen(self.opened, self.marks, self._show_group))

    def _show_group(self, group: Group) -> None:
        self.only = KeysFilter(group.label, frozenset(group.keys))
        self.lay_rows(self.rows.action_first)

    @acts
    def action_diff(self) -> None:
        item = self.item
        assert isinstance(item, BlockRow)
        step, _ = self.seen.touches[item.key][-1]
        is_done = item.key in self.seen.changes
        self.app.push_screen(DiffScreen(self.opened, key=item.key, step=None if is_done else step.name))

    @acts
    def action_next_stage(self) -> None:
        self.show_steps()

    def show_steps(self) -> None:
        self.app.push_screen(StepperScreen(self.opened))

    @acts
    def action_previous_stage(self) -> None:
        step = self.workspace.pipeline.titles[len(self.workspace.state.taken) - 1]
        self.workspace.back()
        self.did(f"undid {step}")

    def action_jump_stage(self, number: int) -> None:
        total = len(self.workspace.pipeline.steps)
        if number > total:
            self.say_row(f"{self.workspace.pipeline.name} has {total} stages")
            return
        self.workspace.go_to(number)
        self.app.push_screen(StepperScreen(self.opened))

    @on(StageStrip.Chosen)
    def _chose_stage(self, event: StageStrip.Chosen) -> None:
        self.action_jump_stage(event.index + 1)

    @acts
    def action_run_all(self) -> None:
        self.workspace.run_all()
        self.did("")

    @acts
    def action_export(self) -> None:
        self.app.push_screen(ExportScreen(self.opened))

    def action_sort(self) -> None:
        by_tokens = not self.shell.preferences.by_tokens
        self.shell.prefer(by_tokens=by_tokens)
        self.say_row("sorting ...")

        def sorted_now() -> None:
            if by_tokens:
                self.rows.cursor = 0
            self.say_row("sorted by tokens" if by_tokens else "in file order")

        self.lay_rows(sorted_now)

    @acts
    def action_problem(self) -> None:
        assert self.problems
        self._problem = (self._problem + 1) % len(self.problems)
        problem = self.problems[self._problem]
        place = _place_of(problem, self.shown, self.workspace.session)
        if place is not None:
            self.rows.cursor = place
        where = f"line {problem.line:,}: " if problem.line is not None else ""
        count = f"{self._problem + 1:,} of {len(self.problems):,}"
        self.say_row(f"problem {count}: {where}{problem.text}")

    def action_close(self) -> None:
        if self.give_up_opening():
            return
        if self.give_up_search():
            self.say_row("cancelled")
        elif len(self.marks):
            self.action_unmark()
        elif self.rows.sought:
            self.find("")
        elif self.only is not None:
            self.only = None
            self.lay_rows()
        else:
            self.leave()

    # Another branch, or a subagent's transcript

    @on(SessionOpened)
    def _other_session(self, event: SessionOpened) -> None:
        screen = InspectScreen(event.opened, event.view)
        if event.opened.source.name == self.opened.source.name:
            self.go_on(screen, "")
        else:
            screen.kept = event.kept
            self.app.push_screen(screen)

    @on(OpenFailed)
    def _branch_failed(self, event: OpenFailed) -> None:
        self.status(event.reason)


def _place_of(problem: Problem, shown: Sequence[Item], session: Session) -> int | None:
    """The index of the row of a problem, or of the first row after its line; None if none is shown."""
    for place, item in enumerate(shown):
        if problem.key and isinstance(item, BlockRow) and item.message.key == problem.key:
            return place
        record = record_of(item)
        if problem.key or problem.line is None or record is None:
            continue
        if session.records[record].line >= problem.line:
            return place
    return None
