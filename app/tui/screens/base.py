"""What all screens share: header, status line, key bar, search, and keys that say why they cannot act."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from app.display import UNICODE, Glyphs, safe_text
from app.opening import Opened
from app.tui.keys import Where, bindings, keys_of, sign
from app.tui.widgets.key_bar import BarKey, KeyBar
from app.tui.widgets.line_view import LineView
from app.workspace import Workspace

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
        self.update(Content(safe_text(text, getattr(self.app, "glyphs", UNICODE))))


class SearchBox(Horizontal):
    """The prompt at the bottom; enter searches, escape gives up."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "give_up", "Give up", show=False)]

    class GivenUp(Message):
        """Escape in the prompt."""

    def compose(self) -> ComposeResult:
        yield Line("/ ", classes="search--sign")
        yield Input(placeholder="find", compact=True, select_on_focus=True)

    @property
    def input(self) -> Input:
        return self.query_one(Input)

    def action_give_up(self) -> None:
        self.post_message(self.GivenUp())


class BaseScreen(Screen[None]):
    """A screen with a header line, a body, a status line and the key bar.

    Subclasses set WHERE, compose their body in `body()`, and answer `why_not`. A stylesheet of the
    same name beside a screen's module is loaded with this one.
    """

    WHERE: ClassVar[Where] = Where.ANY
    CSS_PATH = [Path(__file__).with_suffix(".tcss")]  # noqa: RUF012 (Textual's form)

    def __init_subclass__(cls, **settings: Any) -> None:
        cls.BINDINGS = bindings(cls.WHERE)
        beside = Path(inspect.getfile(cls)).with_suffix(".tcss")
        if beside.exists() and beside not in cls.CSS_PATH:
            cls.CSS_PATH = [*cls.CSS_PATH, beside]
        super().__init_subclass__(**settings)

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
        """The view that search works on: the focused one, else the first."""
        focused = self.focused
        return focused if isinstance(focused, LineView) else next(iter(self.query(LineView)), None)

    # Composition

    @property
    def glyphs(self) -> Glyphs:
        """The sign set in use."""
        return getattr(self.app, "glyphs", UNICODE)

    def compose(self) -> ComposeResult:
        yield Line(id="header")
        yield Vertical(*self.body(), id="body")
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

    _searched: LineView | None = None
    """The view that was focused when the prompt opened."""

    def action_find(self) -> None:
        self._searched = self.view()
        self.add_class("-searching")
        self.query_one(SearchBox).input.focus()

    @on(Input.Submitted, "#search Input")
    def _search(self, event: Input.Submitted) -> None:
        event.stop()
        view = self._close_search()
        if view is None:
            return
        view.find(event.value)
        if not event.value:
            self.status("")

    @on(SearchBox.GivenUp)
    def _give_up(self) -> None:
        """Escape ends the search as well: n and N go to the changes again."""
        view = self._close_search()
        if view is not None:
            view.find("")
        self.status("")

    def _close_search(self) -> LineView | None:
        self.remove_class("-searching")
        if self._searched is not None:
            self._searched.focus()
        return self._searched

    @on(LineView.Jumped)
    def _jumped(self, event: LineView.Jumped) -> None:
        sought = event.view.sought
        what = f"{sought!r} " if sought else ""
        if not event.total:
            self.status(f"nothing holds {sought!r}" if sought else "there is nothing to go to")
            return
        again = "  (from the other end)" if event.wrapped else ""
        self.status(f"{what}{event.position:,} of {event.total:,}{again}")

    # Size

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        small = width < SMALLEST[0] or height < SMALLEST[1]
        self.set_class(small, "-too-small")
        self.query_one("#too-small", Line).say(
            f"{width}x{height} is too small: {SMALLEST[0]}x{SMALLEST[1]} are needed"
        )


class WorkScreen(BaseScreen):
    """A screen over an open session. It shows what the workspace says whenever it comes back on top."""

    def __init__(self, opened: Opened) -> None:
        super().__init__()
        self.opened = opened

    @property
    def workspace(self) -> Workspace:
        return self.opened.workspace
