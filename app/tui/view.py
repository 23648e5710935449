"""All that has to be worked out before a session can be shown: made in a thread, shown in one go."""

from __future__ import annotations

from dataclasses import dataclass

from app.listing import Item, items
from app.outlook import Figures, Outlook, first_look
from app.workspace import Workspace


@dataclass(frozen=True, slots=True)
class View:
    """What there is to show at one moment."""

    seen: Outlook
    items: list[Item]
    figures: Figures


def view_of(seen: Outlook) -> View:
    """An outlook with its rows and its figures."""
    _ = seen.touches
    return View(seen, items(seen), seen.figures())


def first_view(workspace: Workspace) -> View:
    """What can be shown before any stage was tried."""
    return view_of(first_look(workspace))
