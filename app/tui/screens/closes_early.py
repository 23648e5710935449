"""Screens that may be closed before they are mounted."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.message_pump import MessagePump


class ClosesEarly(MessagePump):
    """A screen that skips mounting if it was closed already.

    On a busy machine the key that closes it can arrive before its widgets are mounted.
    """

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Mount) or self._is_shown():
            await super().on_event(event)

    def _is_shown(self) -> bool:
        shown: Sequence[MessagePump] = self.app.screen_stack
        return self in shown
