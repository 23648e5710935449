"""What each key does on the screen that was asked from, and what the words and signs mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from textual.binding import Binding
from textual.widget import Widget

from app.display import Glyphs, fit
from app.tui.keys import KEYS, TITLES, Key, Where, sign_of, signs
from app.tui.screens.base import BaseScreen
from app.tui.widgets.line_view import LineView
from app.tui.widgets.text_pane import TextPane
from app.tui.widgets.usage_bar import SHARES

VERDICTS: Final = (
    ("user", "typed by you; queued prompts too"),
    ("decision", "the model's words, answers, summaries, newest thinking"),
    ("call", "a tool call; it stays as long as its result"),
    ("only-copy", "cannot be had again: web, pictures, agents' results"),
    ("superseded", "a later result holds it; older thinking"),
    ("regenerable", "can be had again: reads, searches, commands, injected"),
    ("compacted", "a placeholder, a preview or a cut"),
    ("error", "a failed result"),
)
STATES: Final = (
    ("pinned", "by you: no stage may touch it"),
    ("protected", "no stage touches it: answers, instructions, newest turn"),
    ("dropped", "a stage took it out; going back brings it back"),
    ("before-boundary", "before a compaction: not sent any more"),
    ("off-branch", "on a branch that was left"),
    ("sidechain", "a subagent's own conversation"),
    ("never-sent", "in the file, but never sent to the model"),
    ("cleared-live", "the agent hid it while it ran; a resume sends it again"),
)


class HelpScreen(BaseScreen):
    """One page of text, made from the table of keys."""

    WHERE: ClassVar[Where] = Where.HELP

    def __init__(self, asked_from: Where) -> None:
        super().__init__()
        self._asked_from = asked_from

    def body(self) -> Iterable[Widget]:
        yield TextPane("\n".join(help_lines(self._asked_from, self.glyphs)), glyphs=self.glyphs)

    def header(self) -> str:
        return f"Help: {TITLES.get(self._asked_from, self._asked_from)}"

    def on_mount(self) -> None:
        self.query_one(TextPane).focus()

    def action_close(self) -> None:
        self.dismiss()


def help_lines(where: Where, glyphs: Glyphs) -> Iterator[str]:
    """The lines of the help page of a screen."""
    yield from _section(
        f"Keys of {TITLES.get(where, where)}", (key for key in KEYS if where in key.where and key.keys)
    )
    yield ""
    yield "Moving in a list or a text"
    for binding in LineView.BINDINGS:
        if isinstance(binding, Binding):
            keys = ", ".join(sign_of(name) for name in binding.key.split(","))
            yield _row(keys, binding.description)
    yield ""
    yield from _section("Everywhere", (key for key in KEYS if Where.ANY in key.where and key.keys))
    yield ""
    yield from _section("In the menu only (ctrl+p)", (key for key in KEYS if not key.keys))
    yield ""
    yield "Verdicts: what would be lost with a row"
    yield from (_row(word, about) for word, about in VERDICTS)
    yield ""
    yield "States: what else holds of it"
    yield from (_row(word, about) for word, about in STATES)
    yield ""
    yield "Signs"
    yield from _signs(glyphs)


def _signs(glyphs: Glyphs) -> Iterator[str]:
    for share, glyph in zip(SHARES, glyphs.bar, strict=True):
        yield _row(glyph if glyph.strip() else "(blank)", f"the share of the window that is {share}")
    yield _row("~", "an estimate; without it: counted with the named tokenizer")
    yield _row(glyphs.pinned, "pinned; in the list of sessions: steps not exported")
    yield _row(glyphs.warning, "a broken rule, or damage; in the list: at work")
    yield _row("v", "before the head of a column: the rows stand by it (S)")
    yield _row(glyphs.done, "a stage that was accepted")
    yield _row(glyphs.nothing, "a stage that had nothing to change")
    yield _row(glyphs.skipped, "a stage that was passed over")
    yield _row(glyphs.waiting, "a stage that waits")
    yield _row(glyphs.column, "on the map: a compaction")
    yield _row(glyphs.rewritten, "on the map: first change; the cache keeps what is before")
    yield _row(glyphs.frozen, "on the map: up to here a latch froze the results")
    yield _row(glyphs.here, "on the map: the cursor of the list")


def _section(title: str, keys: Iterable[Key]) -> Iterator[str]:
    yield title
    for key in keys:
        yield _row(signs(key), key.about)


def _row(left: str, right: str) -> str:
    return f"  {fit(left, 18)}  {right}"
