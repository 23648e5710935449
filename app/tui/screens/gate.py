"""The result gate, call by call: the measured prompt size, the latch, and the state of each long result."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import ClassVar

from textual import events, on
from textual.message import Message
from textual.widget import Widget

from app.display import counted, human_number, percent, spread
from app.opening import Opened
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.screens.base import Line, WorkScreen, acts
from app.tui.screens.parts.progress import TellsWaits
from app.tui.widgets.change_list import ChangeList, ChangeRow
from app.views.gate_walk import CallView, GateWalk, ResultThen, gate_walk
from app.work.walk import Step

BAR_CELLS = 30


class ResultList(ChangeList):
    """The long tool results of one prompt; left and right go to other prompts."""

    class Turned(Message):
        """Go to another call; 1 means the next one."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def action_scroll_left(self) -> None:
        self.post_message(self.Turned(-1))

    def action_scroll_right(self) -> None:
        self.post_message(self.Turned(1))


class GateScreen(WorkScreen, TellsWaits):
    """Shows one model call at a time."""

    WHERE: ClassVar[KeyScope] = KeyScope.GATE

    class Walked(Message):
        """The calls were computed."""

        def __init__(self, walk: GateWalk | None) -> None:
            super().__init__()
            self.walk = walk

    def __init__(self, opened: Opened, step: Step) -> None:
        super().__init__(opened)
        self._step = step
        self._walk: GateWalk | None = None
        self._at = 0

    def body(self) -> Iterable[Widget]:
        yield Line(id="measure")
        yield Line(id="latch")
        yield ResultList(glyphs=self.glyphs, id="results")

    def header(self) -> str:
        title = f"{self._step.name}, call by call"
        where = "" if self._walk is None else f"call {self._at + 1:,} of {len(self._walk.calls):,}"
        return spread(title, where, self.size.width - 2, self.glyphs)

    @property
    def _list(self) -> ResultList:
        return self.query_one(ResultList)

    def on_mount(self) -> None:
        self._list.focus()
        self.wait_for("replaying the calls", way_out="esc goes back")
        self._lay_out()

    @in_thread(exit_on_error=False, exclusive=True, group="walk")
    def _lay_out(self) -> None:
        self.post_message(self.Walked(gate_walk(self.workspace, self._step)))

    @on(Walked)
    def _begin(self, event: Walked) -> None:
        self.waited()
        self._walk = event.walk
        if event.walk is not None:
            self._go(event.walk.start)

    def on_resize(self, event: events.Resize) -> None:
        if self._walk is not None:
            self._show(self._walk, self._walk.calls[self._at])

    # Showing

    def _go(self, place: int) -> None:
        assert self._walk is not None
        self._at = max(0, min(place, len(self._walk.calls) - 1))
        view = self._walk.calls[self._at]
        self._show(self._walk, view)
        cut = next((i for key in view.call.cut if (i := self._list.index_of(key)) is not None), None)
        if cut is not None:
            self._list.cursor = cut
        self.refresh_lines()

    def _show(self, walk: GateWalk, view: CallView) -> None:
        self.query_one("#measure", Line).say(_measure_words(walk, view, self.size.width - 2))
        self.query_one("#latch", Line).say(_latch_words(walk, view))
        self._list.show([self._row(view, result) for result in view.results])
        if not view.results:
            self.status("no result in this prompt is over the limit")
        else:
            self._say_row()

    def _row(self, view: CallView, result: ResultThen) -> ChangeRow:
        tokens, exact = self.workspace.counter.tokens(result.block)
        cut = next((c for c in self._step.changes if c.key == result.block.key), None)
        is_cut = result.standing == "cut" and cut is not None and cut.after is not None
        after = self.workspace.counter.tokens(cut.after)[0] if is_cut and cut and cut.after else tokens
        name = f"{result.tool} {PurePath(result.path).name}".strip()
        return ChangeRow(
            result.block.key,
            result.number,
            tokens,
            after,
            str(result.standing),
            f"{name}: {result.words}",
            exact=exact,
            warning=result.block.key in view.call.cut,
        )

    @on(ChangeList.Moved, "#results")
    def _say_row(self) -> None:
        row = self._list.current
        self.status("" if row is None else f"#{row.number} {row.preview}")

    # Keys

    def why_not(self, action: str) -> str | None:
        if self._walk is None:
            return "the calls are still being replayed"
        match action:
            case "next_call" if self._at == len(self._walk.calls) - 1:
                return "this is the call that follows when the session goes on"
            case "previous_call" if self._at == 0:
                return "this is the first call"
            case "latch" if self._walk.opened_at is None:
                return "the latch never opens in this session"
        return None

    @on(ResultList.Turned)
    def _turn(self, event: ResultList.Turned) -> None:
        if event.by > 0:
            self.action_next_call()
        else:
            self.action_previous_call()

    @acts
    def action_next_call(self) -> None:
        self._go(self._at + 1)

    @acts
    def action_previous_call(self) -> None:
        self._go(self._at - 1)

    @acts
    def action_latch(self) -> None:
        """Go to the call at which the latch opens, then from cut to cut."""
        assert self._walk is not None and self._walk.opened_at is not None
        stops = [i for i, view in enumerate(self._walk.calls) if view.opens or view.call.cut]
        self._go(next((i for i in stops if i > self._at), stops[0]))

    def action_close(self) -> None:
        self.dismiss()


def _measure_words(walk: GateWalk, view: CallView, width: int) -> str:
    """The measured prompt size, against the threshold that opens the latch."""
    tokens = view.call.tokens
    if tokens is None:
        return "no token count for this call"
    share = min(1.0, tokens / walk.open_at_tokens) if walk.open_at_tokens else 1.0
    bar = "#" * round(share * BAR_CELLS)
    how = "as recorded" if view.call.recorded else "estimated"
    about = "" if view.call.recorded else "~"
    words = f"{about}{human_number(tokens)} tokens, {how}"
    part = percent(tokens, walk.open_at_tokens) if walk.open_at_tokens else "-"
    return spread(f"[{bar:.<{BAR_CELLS}}] {words}", f"{part} of {human_number(walk.open_at_tokens)}", width)


def _latch_words(walk: GateWalk, view: CallView) -> str:
    """Whether the latch is open, and what this call does."""
    if view.opens:
        return "latch: opens at this call and cuts nothing; results up to here stay whole"
    if not view.call.is_open:
        return "latch: closed, so nothing is cut"
    cut = counted(len(view.call.cut), "result")
    does = f"{cut} cut before this call (marked !)" if view.call.cut else "nothing is cut before this call"
    return f"latch: open since call {walk.opened_at}; {does}"
