"""All that has to be worked out before a session can be shown: made in a thread, shown in one go."""

from __future__ import annotations

from dataclasses import dataclass

from app.formats import format_named
from app.listing import Item, items
from app.outlook import Figures, Outlook, first_look
from app.prompt_cache import PRICES, Price, price
from app.workspace import Workspace


@dataclass(frozen=True, slots=True)
class View:
    """What there is to show at one moment."""

    seen: Outlook
    items: list[Item]
    figures: Figures
    cost: Price | None = None
    """What the steps so far cost and save; None where nothing was done or no price is known."""


def view_of(seen: Outlook) -> View:
    """An outlook with its rows and its figures."""
    _ = seen.touches
    return View(seen, items(seen), seen.figures(), cost_of(seen))


def cost_of(seen: Outlook) -> Price | None:
    """The price of what was done so far, as it is counted now."""
    workspace = seen.workspace
    before = workspace.session.live
    prices = PRICES.get(format_named(workspace.session.format).validity)
    if seen.messages is before or prices is None:
        return None
    return price(before, seen.messages, workspace.tokens, prices)


def first_view(workspace: Workspace) -> View:
    """What can be shown before any stage was tried."""
    return view_of(first_look(workspace))
