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
        """Unexported steps found in its journal."""


class HeadRead(Message):
    """The first messages of a session that is still being read are ready to be shown."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view
        self.painted = Event()
        """Set once it is on the screen."""


class OpenFailed(Message):
    """A session could not be opened; `reason` is a line for the user, not yet made safe."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason
