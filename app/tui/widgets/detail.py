"""The row under the cursor, told at length: a heading, its text, and facts about it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from app.display import UNICODE, Glyphs, one_line, ruled, safe_text
from app.tui.widgets.text_pane import TextPane
from app.views.describe import Description, Fact

SHOWN_CHARS = 20_000
"""Code points of a text that the pane takes; the whole of it is one key away."""
NARROW_FACTS = 2


class Detail(Vertical):
    """A heading line, a text pane and the facts under it."""

    DEFAULT_CSS = """
    Detail {
        & > #detail-heading { height: 1; color: $text-primary; text-wrap: nowrap; }
        & > TextPane { height: 1fr; }
        & > #detail-facts { height: auto; max-height: 2; color: $text-muted; }
    }
    """

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glyphs = glyphs
        self._said: Description | None = None
        self._key = ""
        self._facts_shown = Content()

    def compose(self) -> ComposeResult:
        yield Static(id="detail-heading", markup=False)
        yield TextPane(glyphs=self._glyphs)
        yield Static(id="detail-facts", markup=False)

    @property
    def text(self) -> TextPane:
        return self.query_one(TextPane)

    def show(self, said: Description, *, key: str = "", sought: str = "") -> None:
        """Show a row, from the start of its text or from the first place that holds `sought`.

        What is said anew of the row with the same `key` leaves its text where it was scrolled to.
        """
        if key and key == self._key and self._said is not None and self._said.text == said.text:
            self._said = said
            self._lay_out()
            return
        self._said, self._key = said, key
        more = len(said.text) - SHOWN_CHARS
        cut = f"{said.text[:SHOWN_CHARS]}\n({more:,} more characters: enter shows all)"
        self.text.show(said.text if more <= 0 else cut)
        if sought:
            self.text.find(sought)
        self._lay_out()

    @property
    def glyphs(self) -> Glyphs:
        """The sign set in use; setting another one draws anew."""
        return self._glyphs

    @glyphs.setter
    def glyphs(self, glyphs: Glyphs) -> None:
        self._glyphs = glyphs
        self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        if self._said is None or not self.size.width:
            return
        width = self.size.width
        heading = ruled(self._said.heading, width, self._glyphs)
        self.query_one("#detail-heading", Static).update(Content(heading), layout=False)
        facts = self._wide_facts() if self.screen.has_class("-wide") else self._narrow_facts(width)
        if facts != self._facts_shown:
            self._facts_shown = facts
            self.query_one("#detail-facts", Static).update(facts)

    def _wide_facts(self) -> Content:
        """Each fact on as many lines as it takes, its label over it."""
        lines: list[Content] = []
        for fact in self._facts():
            lines.append(Content.styled(safe_text(fact.label, self._glyphs), "$text-secondary"))
            lines.append(Content(f"  {safe_text(fact.text, self._glyphs)}"))
        return Content("\n").join(lines)

    def _narrow_facts(self, width: int) -> Content:
        """The first facts, a line each."""
        lines = [f"{fact.label}: {fact.text}" for fact in self._facts()[:NARROW_FACTS]]
        return Content("\n".join(one_line(line, width, self._glyphs).rstrip() for line in lines))

    def _facts(self) -> Sequence[Fact]:
        return () if self._said is None else self._said.facts
