"""A summary checked against its source: what it invented, and which of the user's rules it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from textual import on
from textual.message import Message
from textual.widget import Widget

from app.display import counted, spread
from app.errors import HandcompactError
from app.opening import Opened
from app.summarizers.mentions import Mention
from app.summarizers.proof import Proof
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.screens.base import WorkScreen, acts
from app.tui.widgets.fact_list import Fact, FactList
from app.tui.widgets.text_pane import TextPane
from app.work.summary_requests import SummaryTarget

MARK = "[? "
"""Starts the note after something that the session does not say."""


class ProofScreen(WorkScreen):
    """The summary with notes at what the session does not say; `a` adds the missing rules."""

    WHERE: ClassVar[KeyScope] = KeyScope.PROOF

    class Proved(Message):
        """A summary was checked against its source; without a proof, `note` says why."""

        def __init__(self, text: str, proof: Proof | None, note: str) -> None:
            super().__init__()
            self.text = text
            self.proof = proof
            self.note = note

    def __init__(self, opened: Opened, wish: SummaryTarget) -> None:
        super().__init__(opened)
        self._wish = wish
        self._proof: Proof | None = None
        self._words = ""

    def body(self) -> Iterable[Widget]:
        yield FactList(glyphs=self.glyphs, id="found")
        yield TextPane(wrap=True, line_numbers=True, glyphs=self.glyphs, id="text")

    def header(self) -> str:
        return spread(f"Summary for {self._wish.title}", self._words, self.size.width - 2, self.glyphs)

    def on_mount(self) -> None:
        self.query_one(TextPane).focus()
        self.status("checking it against the session ...")
        self._prove()

    @in_thread(exit_on_error=False, exclusive=True, group="prove")
    def _prove(self) -> None:
        written, note = self._wish.written()
        if written is None:
            self.post_message(self.Proved("", None, note))
        else:
            self.post_message(self.Proved(written.text, written.proof(), note))

    @on(Proved)
    def _show(self, event: Proved) -> None:
        self._proof = event.proof
        pane = self.query_one(TextPane)
        if event.proof is None:
            self._words = "not used"
            self.query_one(FactList).show([Fact("why", event.note or "there is none", "!", whole=True)])
            self.status("the text is kept; u undoes it")
        else:
            invented = event.proof.invented
            self._words = f"{len(event.text):,} characters"
            self.query_one(FactList).show(list(_facts(event.proof)))
            pane.show(marked(event.text, invented))
            self.status("these are hints: the texts are compared literally")
            if invented:
                pane.find(MARK)
        self.refresh_lines()

    def why_not(self, action: str) -> str | None:
        if action == "add_rules":
            if self._proof is None:
                return "there is no summary by a person or a model here"
            if not self._proof.missing:
                return "none of your rules is missing"
        return None

    @acts
    def action_add_rules(self) -> None:
        assert self._proof is not None
        try:
            self._wish.add_rules(self._proof.missing)
        except HandcompactError as error:
            self.status(str(error))
            return
        self._prove()

    def action_close(self) -> None:
        self.dismiss()


def marked(text: str, invented: Iterable[Mention]) -> str:
    """A summary with a note after each thing that the session does not say."""
    parts, last = [], 0
    for item in invented:
        if item.end >= last:
            parts += [text[last : item.end], f" {MARK}{item.thing}: not in the session]"]
            last = item.end
    return "".join([*parts, text[last:]])


def _facts(proof: Proof) -> Iterator[Fact]:
    """The findings: both counts, then each item."""
    if proof.missing:
        lacks = counted(len(proof.missing), "of your rules is missing", "of your rules are missing")
        yield Fact("rules", f"{lacks} (a adds them word for word)", "!")
    else:
        yield Fact("rules", "none of your rules is missing", "ok")
    if proof.invented:
        made_up = f"{counted(len(proof.invented), 'thing')} not found in the session (n: next)"
        yield Fact("invented", made_up, "!")
    else:
        yield Fact("invented", "every path, name, number, address and quotation is in the session", "ok")
    yield from (Fact("invented", f"{item.thing} {item.text}", "-") for item in proof.invented)
    yield from (Fact("missing", rule.text, "-") for rule in proof.missing)
