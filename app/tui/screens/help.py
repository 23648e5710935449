"""The help page: the keys of the current screen, and what terms and signs mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from textual.binding import Binding
from textual.widget import Widget

from app.display import Glyphs, fit
from app.tui.keys import KEYS, TITLES, Key, KeyScope, sign_of, signs
from app.tui.screens.base import BaseScreen
from app.tui.widgets.line_view import LineView
from app.tui.widgets.text_pane import TextPane
from app.tui.widgets.usage_bar import SHARES

VERDICTS: Final = (
    ("user", "typed by you; queued prompts too"),
    ("decision", "the model's words, answers, summaries, newest thinking"),
    ("call", "a tool call; it stays as long as its result"),
    ("only-copy", "cannot be regenerated: web pages, images, agents' results"),
    ("superseded", "a later result repeats it; older thinking"),
    ("regenerable", "can be regenerated: reads, searches, commands, injected"),
    ("compacted", "already a placeholder, a preview or cut"),
    ("error", "a failed result"),
)
STATES: Final = (
    ("pinned", "by you: no stage touches it"),
    ("protected", "no stage touches it: answers, instructions, newest reply"),
    ("dropped", "removed by a stage; undoing the stage restores it"),
    ("before-boundary", "before a compaction: no longer sent"),
    ("off-branch", "on an abandoned branch"),
    ("sidechain", "a subagent's own conversation"),
    ("never-sent", "in the file, but never sent to the model"),
    ("cleared-live", "hidden by the agent while it ran; a resume sends it"),
)


class HelpScreen(BaseScreen):
    """One page of text, built from the key table."""

    WHERE: ClassVar[KeyScope] = KeyScope.HELP

    def __init__(self, asked_from: KeyScope) -> None:
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


def help_lines(where: KeyScope, glyphs: Glyphs) -> Iterator[str]:
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
    yield from _section("Everywhere", (key for key in KEYS if KeyScope.ANY in key.where and key.keys))
    yield ""
    yield from _section("Only in the menu (ctrl+p)", (key for key in KEYS if not key.keys))
    yield ""
    yield "Verdicts: what a row is, and what removing it would lose"
    yield from (_row(word, about) for word, about in VERDICTS)
    yield ""
    yield "States: what else applies to a row"
    yield from (_row(word, about) for word, about in STATES)
    yield ""
    yield "Signs"
    yield from _signs(glyphs)


def _signs(glyphs: Glyphs) -> Iterator[str]:
    for share, glyph in zip(SHARES, glyphs.bar, strict=True):
        yield _row(glyph if glyph.strip() else "(blank)", f"in the usage bar: {share}")
    yield _row("~", "an estimate; without it: counted with the tokenizer")
    yield _row(glyphs.pinned, "pinned; in the session list: has unexported steps")
    yield _row(glyphs.warning, "broken rule or damage; in the session list: in use")
    yield _row("v", "by a column heading: rows are sorted by it (S)")
    yield _row(glyphs.done, "an accepted stage")
    yield _row(glyphs.nothing, "a stage that changed nothing")
    yield _row(glyphs.skipped, "a skipped stage")
    yield _row(glyphs.waiting, "a stage still to run")
    yield _row(glyphs.column, "on the map: a compaction")
    yield _row(glyphs.rewritten, "on the map: first change; what is before it stays cached")
    yield _row(glyphs.frozen, "on the map: the latch froze the results up to here")
    yield _row(glyphs.here, "on the map: the cursor")


def _section(title: str, keys: Iterable[Key]) -> Iterator[str]:
    yield title
    for key in keys:
        yield _row(signs(key), key.about)


def _row(left: str, right: str) -> str:
    return f"  {fit(left, 18)}  {right}"
