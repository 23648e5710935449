"""Links between the pages lead to files and headings that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "app/cli/REFERENCE.md",
    "sample_sessions/README.md",
    "tests/data/cases/README.md",
)


def anchors(page: Path) -> Iterator[str]:
    """What GitHub calls the headings of a page."""
    for title in re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE):
        yield re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name: str) -> None:
    page = ROOT / name
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.is_file(), link
        assert not anchor or anchor in anchors(there), link
