"""Sessions sorted, filtered and put together by project."""

from __future__ import annotations

from typing import Any

from app.discovery.catalogue import DAY, Catalogue, Project, SessionFilter, SortOrder, by_project
from app.discovery.found_session import SAMPLE, FoundSession

NOW = 1_000 * DAY


def found(
    name: str, age: float, *, project: str = "/a", agent: str = "pi", size: int = 1, **more: Any
) -> FoundSession:
    return FoundSession(f"/{name}", agent, project, f"Title {name}", NOW - age * DAY, size, **more)


ONE = found("one", 0.5, size=5, tokens=10, messages=9)
TWO = found("two", 3, project="/b", agent="Codex", size=9, tokens=90)
SIX = found("six", 20, size=7, messages=70)
BOOK = FoundSession("/s", SAMPLE, "samples", "a sample", NOW, 99)


def catalogue() -> Catalogue:
    made = Catalogue()
    made.add((BOOK, SIX, ONE, TWO))
    return made


def shown(sieve: SessionFilter = SessionFilter(), sort: SortOrder = SortOrder.AGE) -> list[FoundSession]:  # noqa: B008 (frozen)
    return catalogue().shown(sieve, sort, NOW)


def test_every_sort_has_the_samples_last() -> None:
    assert shown() == [ONE, TWO, SIX, BOOK]
    assert shown(sort=SortOrder.SIZE) == [TWO, SIX, ONE, BOOK]
    assert shown(sort=SortOrder.TOKENS) == [TWO, ONE, SIX, BOOK]
    assert shown(sort=SortOrder.MESSAGES) == [SIX, ONE, TWO, BOOK]
    assert shown(sort=SortOrder.AGENT) == [TWO, ONE, SIX, BOOK]
    sort = SortOrder.AGE
    for _ in SortOrder:
        sort = sort.next
    assert sort is SortOrder.AGE


def test_a_sieve_holds_back_what_was_not_asked_for() -> None:
    assert shown(SessionFilter("TITLE six")) == [SIX]
    assert shown(SessionFilter("codex")) == [TWO]
    assert shown(SessionFilter(agent="pi")) == [ONE, SIX]
    assert shown(SessionFilter(project="/b")) == [TWO]
    assert shown(SessionFilter(days=7)) == [ONE, TWO]
    assert shown(SessionFilter("one").choosing(days=1)) == [ONE]
    assert SessionFilter("one", agent="pi").choosing(days=1).agent is None


def test_a_project_stands_where_its_first_session_stood() -> None:
    rows = by_project(shown(), folded={"/b"})
    assert [row.name for row in rows] == ["/a", "/one", "/six", "/b", "samples", "/s"]
    assert rows[0] == Project("/a", 2, 12, ONE.modified, folded=False)
    assert rows[3] == Project("/b", 1, 9, TWO.modified, folded=True)


def test_what_is_known_of_a_session_is_replaced() -> None:
    made = catalogue()
    made.add([found("one", 0, tokens=7)])
    assert len(made) == 4 and made.shown(SessionFilter(), SortOrder.AGE, NOW)[0].tokens == 7
    assert made.projects() == [("/a", 2), ("/b", 1)] and made.agents() == [("pi", 2), ("Codex", 1)]
