"""What all screens share: header, status line, key bar, search, and keys that say why they cannot act."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static
from textual.worker import Worker, WorkerState

from app.display import UNICODE, Glyphs, safe_text
from app.errors import FileChanged
from app.settings import lets_errors_through
from app.tui.keys import Key, KeyScope, bar_of, bindings, keys_of, sign, told_elsewhere
from app.tui.screens.closes_early import ClosesEarly
from app.tui.widgets.entry import Entry
from app.tui.widgets.key_bar import BarKey, KeyBar
from app.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from app.opening import Opened
    from app.tui.app import HandcompactApp
    from app.work.workspace import Workspace

SMALLEST = (60, 16)
"""Columns and rows below which a screen only says that it needs more."""


Action = TypeVar("Action", bound=Callable[..., Any])


def acts(action: Action) -> Action:
    """Decorate an `action_...` method: run it only if `why_not` gives no reason, else show the reason."""
    name = action.__name__.removeprefix("action_")

    @wraps(action)
    def guarded(screen: BaseScreen, *arguments: Any) -> Any:
        reason = screen.why_not(name)
        if reason is None:
            try:
                return action(screen, *arguments)
            except FileChanged as error:
                reason = str(error)
        screen.status(reason)
        return None

    return cast(Action, guarded)


class Line(Static):
    """One line of text, made safe and never parsed as markup."""

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        self._said = safe_text(text)
        super().__init__(Content(self._said), id=id, classes=classes, markup=False)

    def say(self, text: str) -> None:
        """Show a text, made safe."""
        said = safe_text(text, getattr(self.app, "glyphs", UNICODE))
        if said != self._said:
            self._said = said
            # A line of fixed size moves nothing else, so it needs no layout, which costs as much as a
            # full repaint.
            self.update(Content(said), layout=self.styles.auto_dimensions)


class Prompt(Horizontal):
    """A one-line input at the bottom; enter submits it, escape cancels."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "give_up", "Cancel", show=False)]

    class Said(Message):
        """Base of the messages about the text in the prompt."""

        def __init__(self, purpose: str, text: str) -> None:
            super().__init__()
            self.purpose = purpose
            self.text = text

    class Taken(Said):
        """Enter was pressed."""

    class Typed(Said):
        """The text changed."""

    class GivenUp(Said):
        """Escape was pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.purpose = ""
        """What the text is for, such as `find`."""

    def compose(self) -> ComposeResult:
        yield Line(classes="prompt--label")
        yield Entry(select_on_focus=True)

    def ask(self, purpose: str, label: str, text: str = "") -> None:
        """Show the prompt and focus it, with `text` filled in and selected."""
        self.purpose = purpose
        self.query_one(Line).say(label)
        field = self.query_one(Input)
        field.value = text
        field.focus()

    def action_give_up(self) -> None:
        self.post_message(self.GivenUp(self.purpose, ""))

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Taken(self.purpose, event.value))

    @on(Input.Changed)
    def _type(self, event: Input.Changed) -> None:
        event.stop()
        if event.input.has_focus:
            self.post_message(self.Typed(self.purpose, event.value))


class BaseScreen(ClosesEarly, Screen[None]):
    """A screen with a header line, a body, a status line and the key bar.

    Subclasses set WHERE, compose their body in `body()`, and answer `why_not`. A stylesheet of the
    same name beside a screen's module is loaded with this one.
    """

    WHERE: ClassVar[KeyScope] = KeyScope.ANY
    CSS_PATH = [Path(__file__).with_suffix(".tcss")]  # noqa: RUF012 (Textual's form)

    def __init_subclass__(cls, **settings: Any) -> None:
        cls.BINDINGS = bindings(cls.WHERE)
        beside = Path(inspect.getfile(cls)).with_suffix(".tcss")
        if beside.exists() and beside not in cls.CSS_PATH:
            cls.CSS_PATH = [*cls.CSS_PATH, beside]
        super().__init_subclass__(**settings)

    # For subclasses

    def body(self) -> Iterable[Widget]:
        """The widgets between header and status line."""
        return ()

    def header(self) -> str:
        """The text of the header line; it need not be made safe yet."""
        return "handcompact"

    def why_not(self, action: str) -> str | None:
        """Why an action cannot be done now, as text for the user; None if it can."""
        return None

    def bar(self) -> Sequence[Key]:
        """The keys of the last line."""
        return bar_of(self.WHERE)

    def view(self) -> LineView | None:
        """The view that is searched: the focused one, else the first."""
        focused = self.focused
        return focused if isinstance(focused, LineView) else next(iter(self.query(LineView)), None)

    # Composition

    @property
    def shell(self) -> HandcompactApp:
        """The app, with its preferences."""
        return cast("HandcompactApp", self.app)

    @property
    def glyphs(self) -> Glyphs:
        """The glyph set in use."""
        return getattr(self.app, "glyphs", UNICODE)

    def compose(self) -> ComposeResult:
        yield Line(id="header")
        yield Vertical(*self.body(), id="body")
        yield Line(id="status")
        yield Prompt()
        yield KeyBar()
        yield Line(id="too-small")

    def on_mount(self) -> None:
        self.refresh_lines()

    def draw_with(self, glyphs: Glyphs) -> None:
        """Redraw everything with another glyph set."""
        for widget in self.query("*"):
            if hasattr(widget, "glyphs"):
                widget.glyphs = glyphs
        self.refresh_lines()

    def refresh_lines(self) -> None:
        """Update the header and the key bar."""
        self.query_one("#header", Line).say(self.header())
        self.query_one(KeyBar).show(
            [BarKey(key.id, sign(key), key.label, self.why_not(key.action) is not None) for key in self.bar()]
        )

    def status(self, text: str) -> None:
        """Show a text in the status line."""
        self.query_one("#status", Line).say(text)

    # Key handling

    @on(KeyBar.Pressed)
    async def _press(self, event: KeyBar.Pressed) -> None:
        key = next(key for key in keys_of(self.WHERE) if key.id == event.key)
        await self.app.run_action(key.action, default_namespace=self)

    def on_key(self, event: events.Key) -> None:
        """For a key of another screen, say which one; this screen's own keys go to their actions."""
        words = told_elsewhere(event.key, self.WHERE)
        if words is not None and event.key not in self.active_bindings:
            self.status(words)

    # The prompt, and searching

    _before_prompt: Widget | None = None

    def ask(self, purpose: str, label: str, text: str = "") -> None:
        """Open the prompt; a `Prompt.Taken` or `Prompt.GivenUp` of this purpose follows."""
        if not self.has_class("-asking"):
            self._before_prompt = self.focused
        self.add_class("-asking")
        self.query_one(Prompt).ask(purpose, label, text)

    def close_prompt(self) -> None:
        """Hide the prompt and restore the focus."""
        self.remove_class("-asking")
        if self._before_prompt is not None:
            self._before_prompt.focus()

    def action_find(self) -> None:
        self.ask("find", "find")

    @on(Prompt.Taken)
    def _prompt_taken(self, event: Prompt.Taken) -> None:
        self.close_prompt()
        if event.purpose == "find":
            self.find(event.text)

    @on(Prompt.GivenUp)
    def _prompt_given_up(self, event: Prompt.GivenUp) -> None:
        self.close_prompt()
        if event.purpose == "find":
            # Escape also ends the search, so that n and N step through the changes again.
            self.find("")

    def find(self, text: str) -> None:
        """Search for a text; an empty one ends the search."""
        view = self._before_prompt if isinstance(self._before_prompt, LineView) else self.view()
        if view is not None:
            view.find(text)
        if not text:
            self.status("")

    @on(LineView.Jumped)
    def _jumped(self, event: LineView.Jumped) -> None:
        if event.view is not self.view():
            return
        sought = event.view.sought
        what = repr(sought) if sought else "change"
        if not event.total:
            self.status(f"no match for {sought!r}" if sought else "nothing to jump to")
            return
        again = "  (wrapped around)" if event.wrapped else ""
        self.status(f"{what} {event.position:,} of {event.total:,}{again}")

    # Errors in worker threads

    @on(Worker.StateChanged)
    def _worker_failed(self, event: Worker.StateChanged) -> None:
        """Report an unexpected error in a worker thread without ending the app, to keep the user's work."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            if lets_errors_through():
                error = event.worker.error
                self.shell.say(f"{event.worker.group} failed: {type(error).__name__}: {error}", warning=True)
            else:
                self.shell.worker_failed(event.worker.error)

    # Size

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size
        small = width < SMALLEST[0] or height < SMALLEST[1]
        self.set_class(small, "-too-small")
        self.query_one("#too-small", Line).say(
            f"{width}x{height} is too small: at least {SMALLEST[0]}x{SMALLEST[1]} is needed"
        )
        self.refresh_lines()


class WorkScreen(BaseScreen):
    """A screen over an open session; it updates from the workspace whenever it is resumed."""

    def __init__(self, opened: Opened) -> None:
        super().__init__()
        self.opened = opened

    @property
    def workspace(self) -> Workspace:
        return self.opened.workspace
