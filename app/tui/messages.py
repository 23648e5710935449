"""Messages that workers send to more than one screen."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from app.opening import Opened
    from app.persistence.recovery import Leftovers
    from app.tui.view import View


class SessionOpened(Message):
    """A session was read and can be shown."""

    def __init__(self, opened: Opened, view: View, kept: Leftovers) -> None:
        super().__init__()
        self.opened = opened
        self.view = view
        self.kept = kept
        """Steps that were left behind for it."""


class HeadRead(Message):
    """The beginning of a session that is being read can be looked at."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view
        self.painted = Event()
        """Set once it is on the screen."""


class OpenFailed(Message):
    """A session could not be opened; `reason` is a line for the person, not yet safe."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason
