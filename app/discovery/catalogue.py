"""Sorting, filtering and grouping the sessions that were found on a machine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, TypeAlias

from app.discovery.found_session import FoundSession

DAY: Final = 24 * 60 * 60


class SortOrder(StrEnum):
    """The sort key of sessions; the largest and newest come first, samples last by name."""

    AGE = "age"
    SIZE = "size"
    TOKENS = "tokens"
    MESSAGES = "messages"
    AGENT = "agent"

    @property
    def next(self) -> SortOrder:
        """The next order, cyclically."""
        order = tuple(SortOrder)
        return order[(order.index(self) + 1) % len(order)]


_KEYS: Final[Mapping[SortOrder, Callable[[FoundSession], Any]]] = {
    SortOrder.AGE: lambda found: -found.modified,
    SortOrder.SIZE: lambda found: -found.size,
    SortOrder.TOKENS: lambda found: (-(found.tokens or 0), -found.modified),
    SortOrder.MESSAGES: lambda found: (-(found.messages or 0), -found.modified),
    SortOrder.AGENT: lambda found: (found.agent, -found.modified),
}


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """Which sessions are shown; the default shows all."""

    words: str = ""
    """Each word must occur in title, project, path or agent, in any case."""
    agent: str | None = None
    project: str | None = None
    days: int | None = None
    """Modified within this many days."""

    @property
    def only(self) -> str:
        """A description of the filters other than `words`; empty if there are none."""
        if self.days is not None:
            return "from the last day" if self.days == 1 else f"from the last {self.days} days"
        return f"of {self.agent}" if self.agent is not None else f"in {self.project}" if self.project else ""

    def choosing(self, **only: Any) -> SessionFilter:
        """The same words with other filters."""
        return replace(SessionFilter(self.words), **only)

    def holds(self, now: float) -> Callable[[FoundSession], bool]:
        """A predicate that tells whether a session is shown at time `now` (seconds since 1970)."""
        words = self.words.casefold().split()
        since = None if self.days is None else now - self.days * DAY

        def shown(found: FoundSession) -> bool:
            if self.agent is not None and found.agent != self.agent:
                return False
            if self.project is not None and found.project != self.project:
                return False
            if since is not None and (found.modified < since or found.is_sample):
                return False
            text = f"{found.title} {found.project} {found.name} {found.agent}".casefold() if words else ""
            return all(word in text for word in words)

        return shown


@dataclass(frozen=True, slots=True)
class Project:
    """The line above the sessions of one project."""

    name: str
    sessions: int
    size: int
    """Bytes of all its sessions."""
    modified: float
    """Time of its newest session, in seconds since 1970."""
    folded: bool


Row: TypeAlias = FoundSession | Project


@dataclass
class Catalogue:
    """All sessions that were found so far."""

    _found: dict[str, FoundSession] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[FoundSession]:
        return iter(self._found.values())

    def add(self, found: Iterable[FoundSession]) -> None:
        """Add sessions, replacing those that are already known."""
        self._found.update((each.name, each) for each in found)

    def clear(self) -> None:
        """Forget all sessions."""
        self._found.clear()

    def shown(self, sieve: SessionFilter, sort: SortOrder, now: float) -> list[FoundSession]:
        """The sessions that pass the filter `sieve`, sorted."""
        chosen = (
            filter(sieve.holds(now), self._found.values())
            if sieve != SessionFilter()
            else self._found.values()
        )
        ordered = sorted(chosen, key=_KEYS[sort])
        samples = sorted((found for found in ordered if found.is_sample), key=lambda found: found.name)
        return [*(found for found in ordered if not found.is_sample), *samples]

    def projects(self) -> list[tuple[str, int]]:
        """Every project with its number of sessions, the most first."""
        return _numbers(found.project for found in self._found.values() if not found.is_sample)

    def agents(self) -> list[tuple[str, int]]:
        """Every agent with its number of sessions, the most first."""
        return _numbers(found.agent for found in self._found.values() if not found.is_sample)


def by_project(sessions: Sequence[FoundSession], folded: Collection[str]) -> list[Row]:
    """The sessions grouped under a line for each project, in the order of each project's first session."""
    groups: dict[str, list[FoundSession]] = {}
    for found in sessions:
        groups.setdefault(found.project, []).append(found)
    rows: list[Row] = []
    for name, members in groups.items():
        newest = max(found.modified for found in members)
        size = sum(found.size for found in members)
        rows.append(Project(name, len(members), size, newest, name in folded))
        if name not in folded:
            rows += members
    return rows


def _numbers(names: Iterable[str]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
