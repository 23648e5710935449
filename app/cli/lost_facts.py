"""What an export loses, as lines and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from app.display import counted, one_line
from app.work.workspace import Workspace

if TYPE_CHECKING:
    from app.views.lost import Losses

MOST_CHARS: Final = 1_000_000
"""Code points of what goes that a command looks at: about a second."""
_LINES: Final = 3
_TOP: Final = 20
_CELLS: Final = 90


def losses_of(workspace: Workspace) -> Losses | None:
    """What the steps so far lose; None where only rough figures were asked for: no text is read for them."""
    if not workspace.estimator.exact:
        return None
    # Imported here: rough figures do without it.
    from app.views.lost import losses

    return losses(workspace.session.live, workspace.messages, workspace.judgements, most_chars=MOST_CHARS)


def lost_lines(found: Losses | None) -> list[str]:
    """A count, and the worst; nothing where nothing goes."""
    if found is None or not found.total:
        return []
    if not found.looked:
        return ["Lost      not searched: too much text remains"]
    part = "" if found.looked >= found.total else f" (in {found.looked:,} of {found.total:,} characters)"
    if not found.facts:
        return [f"Lost      no removed fact is still mentioned{part}"]
    lines = [f"Lost      {counted(len(found.facts), 'fact')} removed but still mentioned{part}"]
    for fact in found.facts[:_LINES]:
        times = "once" if fact.mentions == 1 else f"{fact.mentions:,} times"
        lines.append(f"          {fact.kind} {one_line(fact.text, _CELLS).rstrip()}  ({fact.said}, {times})")
    if len(found.facts) > _LINES:
        lines.append("          and more: see --json, or L in the program, which also shows their places")
    return lines


def lost_as_json(found: Losses | None) -> dict[str, Any] | None:
    """The count, how much was looked at, and the worst, as `lost` of an export's JSON object."""
    if found is None:
        return None
    return {
        "count": len(found.facts),
        "looked_chars": found.looked,
        "of_chars": found.total,
        "top": [
            {
                "kind": str(fact.kind),
                "text": fact.text,
                "handle": fact.handle,
                "mentions": fact.mentions,
                "mentioned": fact.mentioned,
                "places": list(fact.places),
            }
            for fact in found.facts[:_TOP]
        ],
    }
