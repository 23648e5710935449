"""Everything that must be computed before a session is shown; built in a thread, then shown at once."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.views.listing import Item, is_live, items
from app.views.outlook import Figures, Outlook, first_look
from app.views.session_map import SessionMap, session_map
from app.work.pricing import Pricing, pricing
from app.work.workspace import Workspace


class View(Struct, frozen=True):
    """A snapshot of what the main screen shows."""

    seen: Outlook
    items: list[Item]
    figures: Figures
    cost: Pricing | None
    """What the steps so far cost and save; None if nothing was changed."""
    map: SessionMap
    """The distribution of tokens over the rows."""
    begins: int
    """The index of the first row that is sent; the rows before it are history."""


def view_of(seen: Outlook) -> View:
    """An outlook with its rows and its figures."""
    _ = seen.touches
    rows, cost = items(seen), cost_of(seen)
    begins = next((place for place, item in enumerate(rows) if is_live(item)), 0)
    return View(seen, rows, seen.figures(), cost, map_of(seen, rows, cost), begins)


def counted_again(view: View) -> View:
    """The same view with figures from the tokens counted by now."""
    cost = cost_of(view.seen)
    return replace(view, figures=view.seen.figures(), cost=cost, map=map_of(view.seen, view.items, cost))


def map_of(seen: Outlook, rows: list[Item], cost: Pricing | None) -> SessionMap:
    """The map of these rows."""
    return session_map(rows, seen, None if cost is None else cost.number)


def cost_of(seen: Outlook) -> Pricing | None:
    """The price of the steps so far, with the tokens counted by now."""
    return None if seen.messages is seen.workspace.session.live else pricing(seen.workspace)


def first_view(workspace: Workspace) -> View:
    """The view before any stage was tried."""
    return view_of(first_look(workspace))
