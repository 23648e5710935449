"""All that has to be worked out before a session can be shown: made in a thread, shown in one go."""

from __future__ import annotations

from dataclasses import dataclass

from app.listing import Item, items
from app.outlook import Figures, Outlook, first_look
from app.pricing import Pricing, pricing
from app.workspace import Workspace


@dataclass(frozen=True, slots=True)
class View:
    """What there is to show at one moment."""

    seen: Outlook
    items: list[Item]
    figures: Figures
    cost: Pricing | None = None
    """What the steps so far cost and save; None where nothing was changed."""


def view_of(seen: Outlook) -> View:
    """An outlook with its rows and its figures."""
    _ = seen.touches
    return View(seen, items(seen), seen.figures(), cost_of(seen))


def cost_of(seen: Outlook) -> Pricing | None:
    """The price of what was done so far, as it is counted now."""
    return None if seen.messages is seen.workspace.session.live else pricing(seen.workspace)


def first_view(workspace: Workspace) -> View:
    """What can be shown before any stage was tried."""
    return view_of(first_look(workspace))
