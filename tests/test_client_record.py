"""The pages tell of what resumes just what the committed record of the clients' tests says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.edits import EDITS
from tests.clients.pinned import PINNED
from tests.clients.record import BEGIN, END, load, table, written_into

ROOT = Path(__file__).parents[1]


def test_the_reference_holds_the_table_of_the_record() -> None:
    text = (ROOT / "app/cli/REFERENCE.md").read_text("utf-8")
    assert written_into(text) == text, "python -m tests.clients --write app/cli/REFERENCE.md"


def test_the_readme_names_the_versions_that_are_pinned() -> None:
    section = (ROOT / "README.md").read_text("utf-8").partition("## Agents")[2].partition("\n## ")[0]
    for one in PINNED:
        name, _, version = str(one.agent).rpartition(" ")
        assert name in section and version in section, one.agent


def test_the_record_is_of_the_versions_that_are_pinned() -> None:
    agents = [str(one.agent) for one in PINNED]
    for edit, outcomes in load().items():
        assert list(outcomes) == [agent for agent in agents if EDITS[edit].is_for(agent)]


def test_an_edit_that_was_not_tried_yet_is_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tests.clients.record.load", lambda: {"cut": {"pi 1.6.0": False, "Codex 0.98.0": True}}
    )
    heads, _, row = (line.strip("| ").split(" | ") for line in table().splitlines())
    assert row[0] == EDITS["cut"].told
    told = dict(zip(heads[1:], row[1:], strict=True))
    assert (told["pi 1.6.0"], told["Codex 0.98.0"], told["Codex 0.171.0"]) == ("fails", "ok", "–")


@pytest.mark.parametrize("text", ["", BEGIN, f"{END}{BEGIN}"])
def test_a_text_without_the_marks_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="lacks"):
        written_into(text)
