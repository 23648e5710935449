"""The full prompt for a model-written summary, shown before anything leaves the machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.containers import Horizontal
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import get_current_worker

from app.display import counted, human_number, short_number, spread
from app.errors import HandcompactError, Stopped, SummaryFailed
from app.opening import Opened
from app.secrets import find_secrets
from app.summarizers import SummaryRequest
from app.summarizers.model import obtain
from app.summarizers.provider import Provider, settings_file
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.screens.base import Prompt, WorkScreen, acts
from app.tui.screens.proof import ProofScreen
from app.tui.widgets.controls import Control, PushButton
from app.tui.widgets.fact_list import Fact, FactList
from app.tui.widgets.text_pane import TextPane
from app.work.stage_inputs import prompt_tokens
from app.work.summary_requests import SummaryTarget

SPELL_SECONDS = 1.0


class PromptScreen(WorkScreen):
    """The prompt, its destination and its contents; only the explicit send button sends it."""

    WHERE: ClassVar[KeyScope] = KeyScope.PROMPT

    class Ready(Message):
        """The prompt was built; None if none is needed, which `note` explains."""

        def __init__(self, request: SummaryRequest | None, tokens: int, note: str) -> None:
            super().__init__()
            self.request = request
            self.tokens = tokens
            self.note = note

    class Answered(Message):
        """The model answered."""

        def __init__(self, answer: str) -> None:
            super().__init__()
            self.answer = answer

    class Failed(Message):
        """The request was cancelled or gave no usable answer."""

        def __init__(self, error: HandcompactError) -> None:
            super().__init__()
            self.error = error

    def __init__(
        self,
        opened: Opened,
        wish: SummaryTarget,
        provider: Provider | None,
        lacking: str = "",
        taken: Callable[[], None] = lambda: None,
    ) -> None:
        """Without a provider the prompt can only be read and saved; `lacking` says why there is none.

        `taken` is called once an answer was inserted as the summary.
        """
        super().__init__(opened)
        self._wish = wish
        self._taken = taken
        self._provider = provider
        self._lacking = lacking or f"no model is set: add [model] to {settings_file()}"
        self._request: SummaryRequest | None = None
        self._about: list[Fact] = []
        self._asked_at: float | None = None
        self._asked = 0
        """How many times the model was asked, including failures."""
        self._clock: Timer | None = None
        self._stopped = threading.Event()
        self._heard = 0
        """Characters of the answer received so far, set by the requesting thread."""

    def body(self) -> Iterable[Widget]:
        yield FactList(glyphs=self.glyphs, id="facts")
        yield TextPane(wrap=True, glyphs=self.glyphs, id="text")
        buttons = (
            PushButton("Cancel", id="cancel"),
            PushButton("Save to a file", id="save"),
            PushButton("Send", id="send"),
        )
        yield Horizontal(*buttons, id="buttons")

    def header(self) -> str:
        times = "once" if self._asked == 1 else f"{self._asked} times"
        right = f"asked {times}" if self._asked else "nothing sent yet"
        return spread(f"Ask a model for {self._wish.title}", right, self.size.width - 2, self.glyphs)

    def on_mount(self) -> None:
        self.query_one(TextPane).focus()
        self.status("building the prompt ...")
        self._wish.begin()
        self._prepare()

    @in_thread(exit_on_error=False, exclusive=True, group="prepare")
    def _prepare(self) -> None:
        request, note = self._wish.request()
        if request is None:
            self.post_message(self.Ready(None, 0, note))
            return
        # Counting secrets scans the whole text, so it is done here, before the screen shows it.
        _ = request.secrets
        self.post_message(self.Ready(request, prompt_tokens(self.workspace, request), ""))

    @on(Ready)
    def _show(self, event: Ready) -> None:
        self._request = event.request
        self._about = list(self._facts(event))
        self.query_one(FactList).show(self._about)
        if event.request is not None:
            prompt = event.request.prompt
            self.query_one(TextPane).show(prompt, [secret.start for secret in find_secrets(prompt)])
            self.query_one("#send", PushButton).label = f"Send ~{short_number(event.tokens)} tokens"
            self.query_one("#send", PushButton).refresh(layout=True)
        self.status(self.why_not("send") or "nothing is sent before you press Send")
        self.refresh_lines()

    def _facts(self, event: Ready) -> Iterable[Fact]:
        request = event.request
        if request is None:
            yield Fact("nothing", event.note, "!", whole=True)
            return
        if self._provider is None:
            yield Fact("to", self._lacking, "!", whole=True)
        else:
            yield Fact("to", self._provider.place, whole=True)
        size = f"~{human_number(event.tokens)} tokens, {request.chars:,} characters"
        yield Fact("sends", size)
        if request.secrets:
            look = "looks" if request.secrets == 1 else "look"
            found = f"{counted(request.secrets, 'string')} in it {look} like a key or a password"
            yield Fact("secrets", f"{found} (n jumps to them)", "!", whole=True)
        else:
            yield Fact("secrets", "nothing in it looks like a known kind of key", "ok")

    # Sending

    def why_not(self, action: str) -> str | None:
        match action:
            case "send" | "save_prompt" if self._asked_at is not None:
                return "already sent: esc stops waiting"
            case "send" | "save_prompt" if self._request is None:
                return "there is nothing to send"
            case "send" if self._provider is None:
                return self._lacking
        return None

    def refresh_lines(self) -> None:
        super().refresh_lines()
        for name, action in (("send", "send"), ("save", "save_prompt")):
            self.query_one(f"#{name}", PushButton).dimmed = self.why_not(action) is not None

    @on(Control.Used, "PushButton")
    def _pressed(self, event: Control.Used) -> None:
        match event.used.id:
            case "send":
                self.action_send()
            case "save":
                self.action_save_prompt()
            case _:
                self.action_close()

    @acts
    def action_send(self) -> None:
        assert self._request is not None and self._provider is not None
        self._stopped.clear()
        self._asked_at = time.monotonic()
        self._asked += 1
        self._clock = self.set_interval(SPELL_SECONDS, self._tell_time)
        self._tell_time()
        self.refresh_lines()
        self._ask(self._request, self._provider)

    def _tell_time(self) -> None:
        if self._asked_at is not None and not self._stopped.is_set():
            heard = f", {counted(self._heard, 'character')} so far" if self._heard else ""
            self.status(f"asked {time.monotonic() - self._asked_at:.0f} s ago{heard}  (esc stops)")

    @in_thread(exit_on_error=False, exclusive=True, group="ask")
    def _ask(self, request: SummaryRequest, provider: Provider) -> None:
        worker = get_current_worker()
        try:
            ask = provider.ask(lambda: self._stopped.is_set() or worker.is_cancelled, self._hear)
            self.post_message(self.Answered(obtain(request, ask, allowed=True)))
        except HandcompactError as error:
            self.post_message(self.Failed(error))

    def _hear(self, chars: int) -> None:
        # Called from the thread that reads the answer; the progress line shows it.
        self._heard = chars

    def _done(self) -> None:
        self._asked_at = None
        self._heard = 0
        if self._clock is not None:
            self._clock.stop()

    @on(Answered)
    def _take(self, event: Answered) -> None:
        self._done()
        if self._request is None or self._stopped.is_set():
            self._tell_stopped()
            return
        try:
            self._wish.take(event.answer, self._request)
        except HandcompactError as error:
            self._tell_failure(f"not used: {error}")
            return
        self._taken()
        self.app.switch_screen(ProofScreen(self.opened, self._wish))

    @on(Failed)
    def _fail(self, event: Failed) -> None:
        self._done()
        error = event.error
        if isinstance(error, SummaryFailed):
            self._wish.failed(str(error))
        elif not isinstance(error, Stopped):
            # It did not come to that.
            self._asked -= 1
        if isinstance(error, Stopped):
            self._tell_stopped()
        else:
            self._tell_failure(str(error))

    def _tell_stopped(self) -> None:
        self.status("stopped; nothing changed")
        self.refresh_lines()

    def _tell_failure(self, why: str) -> None:
        """Show the failure in full: it may be longer than the status line."""
        failed = Fact("failed", why, "FAIL", whole=True)
        self.query_one(FactList).show([failed, *self._about])
        self.status("no summary came back; nothing changed")
        self.refresh_lines()

    # Saving, and leaving

    @acts
    def action_save_prompt(self) -> None:
        self.ask("prompt", "save the prompt to:", f"{self._wish.title.replace(' ', '-')}-prompt.txt")

    @on(Prompt.Taken)
    def _save(self, event: Prompt.Taken) -> None:
        if event.purpose != "prompt" or not event.text or self._request is None:
            return
        try:
            path = Path(event.text).expanduser()
            with path.open("x", encoding="utf-8", errors="surrogatepass", newline="") as file:
                file.write(self._request.prompt)
        except FileExistsError:
            self.status(f"already exists, choose another name: {event.text}")
        except (OSError, ValueError) as error:
            self.status(f"not saved: {error}")
        else:
            self.status(f"saved: {path}; nothing was sent")

    def action_close(self) -> None:
        if self._asked_at is not None:
            self._stopped.set()
            self.status("stopping ...")
            return
        self._wish.give_up()
        self.dismiss()
