"""Lost facts: removed though the remaining text still mentions them; shows both places, and can keep them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from app.display import counted, human_number, spread
from app.errors import FileChanged
from app.model import text_of
from app.opening import Opened
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.screens.base import acts
from app.tui.screens.parts.progress import TellsWaits
from app.tui.screens.parts.undoing import TakesBack
from app.tui.screens.text import TextScreen
from app.tui.widgets.fact_list import Fact, FactList
from app.tui.widgets.line_view import LineView
from app.tui.widgets.lost_list import LostList
from app.views.listing import Item, items, key_of
from app.views.lost import Losses, Lost, losses
from app.views.outlook import Outlook
from app.work.rows import BlockRow

NOTHING = "no removed fact is still mentioned"
BEFORE, BEHIND = 40, 120
"""Code points of context shown before and after a fact."""


@dataclass(frozen=True)
class Found:
    """The lost facts, with the outlooks they are shown in."""

    losses: Losses
    original: Outlook
    """The session as it was opened."""
    now: Outlook
    """The session as it was compared."""
    rows: Mapping[str, Item]
    """Every row by key, including those of added messages."""
    is_ahead: bool
    """Whether no step was done yet, so that these are the facts that all stages would lose."""


class LostScreen(TakesBack, TellsWaits):
    """A list of facts, each with the text that held it and the text that still mentions it."""

    WHERE: ClassVar[KeyScope] = KeyScope.LOST

    class Looked(Message):
        """The lost facts were found."""

        def __init__(self, found: Found) -> None:
            super().__init__()
            self.found = found

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._found: Found | None = None
        self._said = ""
        """The result of the last key, shown until the cursor moves."""

    def body(self) -> Iterable[Widget]:
        yield LostList(glyphs=self.glyphs)
        yield FactList(glyphs=self.glyphs, id="about")

    def header(self) -> str:
        found = self._found
        if found is None:
            return "Lost facts"
        lost = found.losses
        when = "if all stages run" if found.is_ahead else "by your steps"
        left = f"{counted(len(lost.facts), 'fact')} lost {when}, still mentioned"
        part = f"{human_number(lost.looked)} of {human_number(lost.total)} characters searched"
        return spread(left, part if lost.looked < lost.total else "", self.size.width - 2, self.glyphs)

    @property
    def list(self) -> LostList:
        return self.query_one(LostList)

    def view(self) -> LineView:
        return self.list

    @on(events.ScreenResume)
    def _back_on_top(self) -> None:
        if not self.has_class("-asking"):
            self.list.focus()
        if self._found is None:
            self._look()

    def _look(self) -> None:
        self.wait_for("searching for lost facts that are still mentioned", way_out="esc goes back")
        self._find()

    @in_thread(exit_on_error=False, exclusive=True, group="lost")
    def _find(self) -> None:
        worker, workspace = get_current_worker(), self.workspace
        live = workspace.session.live
        ahead = workspace.ahead if not workspace.state.path else workspace.steps
        after = ahead[-1].result.messages if ahead else live
        lost = losses(live, after, workspace.judgements, lambda: worker.is_cancelled)
        state, changes = workspace.state, workspace.changes
        original = Outlook(workspace, state, live, (), {}, 0)
        now = Outlook(workspace, state, after, ahead, changes, 0)
        rows = {key_of(item): item for item in items(now)}
        if not worker.is_cancelled:
            found = Found(lost, original, now, rows, is_ahead=not workspace.state.path)
            self.post_message(self.Looked(found))

    @on(Looked)
    def _show(self, event: Looked) -> None:
        self.waited()
        self._found = event.found
        self.list.show(event.found.losses.facts)
        self.refresh_lines()
        self._describe()

    # Details of the fact under the cursor

    @on(LineView.Moved, "LostList")
    def _moved(self) -> None:
        self._said = ""
        self._describe()

    def _describe(self) -> None:
        fact, found = self.list.current, self._found
        about = self.query_one("#about", FactList)
        if found is None or fact is None:
            about.show([])
            unseen = found is not None and found.losses.total > 0 and not found.losses.looked
            empty = "not searched: too much text remains" if unseen else NOTHING
            self.status(self._said or ("" if found is None else empty))
            return
        about.show(list(self._facts(fact, found)))
        place = f"{self.list.cursor + 1:,} of {len(found.losses.facts):,}"
        words = self._said or "enter shows the removed text, o the mention; p keeps it"
        self.status(spread(words, place, self.size.width - 2, self.glyphs))

    def _facts(self, fact: Lost, found: Found) -> Iterable[Fact]:
        yield Fact(fact.kind, fact.text, whole=True)
        places = fact.places
        more = f", and in {counted(len(places) - 1, 'more block')}" if len(places) > 1 else ""
        stood = found.rows.get(places[-1])
        yield Fact("was in", f"{_title(stood)}{more}")
        yield Fact("", _around(stood, found.original, _needle(fact)), whole=True)
        speaks = found.rows.get(fact.mentioned)
        yield Fact("mention", f"{_title(speaks)}, {counted(fact.mentions, 'time')} in all")
        yield Fact("", _around(speaks, found.now, fact.handle), whole=True)

    # Keys

    def why_not(self, action: str) -> str | None:
        match action:
            case "open" | "spoken" | "pin" if self.is_mounted and self.list.current is None:
                return "there are no facts"
            case "undo" | "redo":
                return self.why_not_back(action)
        return None

    @on(LineView.Opened)
    def _opened_row(self) -> None:
        self.action_open()

    @acts
    def action_open(self) -> None:
        fact, found = self.list.current, self._found
        assert fact is not None and found is not None
        self._read(found.rows.get(fact.places[-1]), found.original, _needle(fact))

    @acts
    def action_spoken(self) -> None:
        fact, found = self.list.current, self._found
        assert fact is not None and found is not None
        self._read(found.rows.get(fact.mentioned), found.now, fact.handle)

    def _read(self, item: Item | None, seen: Outlook, sought: str) -> None:
        if item is None:
            self._say("that row is no longer in the list")
        else:
            self.app.push_screen(TextScreen(self.opened, item, seen, sought=sought))

    def _say(self, words: str) -> None:
        self._said = words
        self._describe()

    @acts
    def action_pin(self) -> None:
        fact, found = self.list.current, self._found
        assert fact is not None and found is not None
        self.workspace.pin([fact.places[-1]])
        self.did(f"pinned {_title(found.rows.get(fact.places[-1]))}: it stays; u undoes this")

    def did(self, words: str) -> None:
        self._said = words
        self.status(f"{words} ...")
        self._find()

    def action_close(self) -> None:
        self.dismiss()


def _title(item: Item | None) -> str:
    """The title of a row, such as `#12 tool_result Bash`."""
    if not isinstance(item, BlockRow):
        return "a summary"
    what = f"{item.block.kind} {item.tool}".rstrip()
    return f"#{item.number} {what} {item.path}".rstrip()


def _needle(fact: Lost) -> str:
    """The part of a fact that can be found in its source text, where a value may be worded differently."""
    name, _, _ = fact.text.partition(" = ")
    return name if fact.kind == "value" else fact.text.split(": ")[0] if fact.kind == "error" else fact.text


def _around(item: Item | None, seen: Outlook, needle: str) -> str:
    """The context of `needle` in a row's text, on one line."""
    if not isinstance(item, BlockRow):
        return ""
    try:
        text = text_of(seen.block(item) or item.block)
    except FileChanged as error:
        return str(error)
    at = max(0, text.lower().find(needle.lower()))
    start, end = max(0, at - BEFORE), at + len(needle) + BEHIND
    return " ".join(f"{'...' if start else ''}{text[start:end]}{'...' if end < len(text) else ''}".split())
