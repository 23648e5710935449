"""The choices on the session list: filters, and the subagents of a session."""

from __future__ import annotations

import time
from collections.abc import Sequence

from app.discovery.catalogue import Catalogue, SessionFilter
from app.discovery.folders import subagents
from app.discovery.found_session import FoundSession, SearchedFolder, Subagent
from app.display import counted, human_age, human_bytes, short_path
from app.tui.screens.choose import Choice

MOST_PROJECTS = 30
"""The most projects in the list of filters, largest first; others are found by typing."""


def sieves_of(
    catalogue: Catalogue, shelves: Sequence[SearchedFolder], now: SessionFilter
) -> tuple[list[SessionFilter], list[Choice]]:
    """Filters for all sessions, each agent with its folder, recent days and projects; words are kept."""
    sieves, choices = [now.choosing()], [Choice("everything", f"{len(catalogue):,}")]
    for shelf in shelves:
        sieves.append(now.choosing(agent=shelf.agent))
        choices.append(Choice(f"{shelf.agent}: {short_path(shelf.folder)}", f"{shelf.found:,}"))
    for days in (1, 7, 30):
        sieves.append(now.choosing(days=days))
        choices.append(Choice(f"the last {counted(days, 'day')}" if days > 1 else "the last day"))
    for name, number in catalogue.projects()[:MOST_PROJECTS]:
        sieves.append(now.choosing(project=name))
        choices.append(Choice(f"project: {name}", f"{number:,}"))
    return sieves, choices


def subagents_to_choose(found: FoundSession) -> tuple[list[Subagent], list[Choice]]:
    """The transcripts of a session's subagents, each with its size and age."""
    now = time.time()
    there = subagents(found.path)
    return there, [
        Choice(each.title, f"{human_bytes(each.size):>9}  {human_age(now - each.modified):>12}")
        for each in there
    ]
