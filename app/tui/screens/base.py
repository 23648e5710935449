"""What all screens share: header, status line, key bar, search, and keys that say why they cannot act."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from app.display import UNICODE, Glyphs, safe_text
from app.tui.keys import Where, bindings, keys_of, sign
from app.tui.widgets.key_bar import BarKey, KeyBar
from app.tui.widgets.line_view import LineView

SMALLEST = (60, 16)
"""Columns and rows below which a screen only says that it needs more."""


Action = TypeVar("Action", bound=Callable[..., Any])


def acts(action: Action) -> Action:
    """An `action_...` method that is only run when nothing is against it; else the reason is said."""
    name = action.__name__.removeprefix("action_")

    @wraps(action)
    def guarded(screen: BaseScreen, *arguments: Any) -> Any:
        reason = screen.why_not(name)
        if reason is None:
            return action(screen, *arguments)
        screen.status(reason)
        return None

    return cast(Action, guarded)


class Line(Static):
    """One line of our own words and safe session text; never markup."""

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(Content(text), id=id, classes=classes, markup=False)

    def say(self, text: str) -> None:
        """Show a text, made safe."""
        self.update(Content(safe_text(text)))


class SearchBox(Horizontal):
    """The prompt at the bottom; enter searches, escape gives up."""

    def compose(self) -> ComposeResult:
        yield Line("/ ", classes="search--sign")
        yield Input(placeholder="find", compact=True)

    @property
    def input(self) -> Input:
        return self.query_one(Input)


class BaseScreen(Screen[None]):
    """A screen with a header line, a body, a status line and the key bar.

    Subclasses set WHERE, compose their body in `body()`, and answer `why_not`.
    """

    WHERE: ClassVar[Where] = Where.ANY
    CSS_PATH = str(Path(__file__).with_name("base.tcss"))
    inherit_bindings = False

    def __init_subclass__(cls, **settings: object) -> None:
        cls.BINDINGS = bindings(cls.WHERE)
        super().__init_subclass__()

    # What a subclass says

    def body(self) -> Iterable[Widget]:
        """The widgets between header and status line."""
        return ()

    def header(self) -> str:
        """The words of the header line; session text in them need not be safe yet."""
        return "handcompact"

    def why_not(self, action: str) -> str | None:
        """Why an action cannot be done now, in words; None when it can."""
        return None

    def view(self) -> LineView | None:
        """The view that search works on."""
        focused = self.focused
        return focused if isinstance(focused, LineView) else next(iter(self.query(LineView)), None)

    # Composition

    @property
    def glyphs(self) -> Glyphs:
        """The sign set in use."""
        return getattr(self.app, "glyphs", UNICODE)

    def compose(self) -> ComposeResult:
        yield Line(id="header")
        yield from self.body()
        yield Line(id="status")
        yield SearchBox(id="search")
        yield KeyBar()
        yield Line(id="too-small")

    def on_mount(self) -> None:
        self.refresh_lines()

    def refresh_lines(self) -> None:
        """Show header and keys as they are now."""
        self.query_one("#header", Line).say(self.header())
        keys = sorted((key for key in keys_of(self.WHERE) if key.bar), key=lambda key: key.bar)
        self.query_one(KeyBar).show(
            [BarKey(key.id, sign(key), key.label, self.why_not(key.action) is not None) for key in keys]
        )

    def status(self, text: str) -> None:
        """Say something in the status line."""
        self.query_one("#status", Line).say(text)

    # Keys that answer

    @on(KeyBar.Pressed)
    async def _press(self, event: KeyBar.Pressed) -> None:
        key = next(key for key in keys_of(self.WHERE) if key.id == event.key)
        await self.app.run_action(key.action, default_namespace=self)

    # Search

    def action_find(self) -> None:
        box = self.query_one(SearchBox)
        box.add_class("-open")
        box.input.value = ""
        box.input.focus()

    @on(Input.Submitted, "#search Input")
    def _search(self, event: Input.Submitted) -> None:
        event.stop()
        self._close_search()
        view = self.view()
        if view is None:
            return
        found = view.find(event.value)
        if event.value:
            self.status(f"{found} rows hold {event.value!r}" if found else f"nothing holds {event.value!r}")

    def _close_search(self) -> None:
        self.query_one(SearchBox).remove_class("-open")
        view = self.view()
        if view is not None:
            view.focus()

    async def on_key(self, event: events.Key) -> None:
        if event.key == "escape" and self.query_one(SearchBox).has_class("-open"):
            event.stop()
            event.prevent_default()
            self._close_search()

    # Size

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        small = width < SMALLEST[0] or height < SMALLEST[1]
        self.set_class(small, "-too-small")
        self.query_one("#too-small", Line).say(
            f"{width}x{height} is too small: {SMALLEST[0]}x{SMALLEST[1]} are needed"
        )
