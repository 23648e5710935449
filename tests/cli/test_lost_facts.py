"""An export says which facts it loses that the rest still speaks of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import Handcompact
from tests.formats.claude_code.records import assistant, lines, result, use, user

CLEAR = ("--do", "clear tool:Read", "--dry-run")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    long = "retry_budget = 17 # \x1b[2J\n" + "a line of a file\n" * 900
    path.write_bytes(
        lines(
            user(1, None, "Why?"),
            assistant(2, 1, [use("a", file_path="a.py")]),
            user(3, 2, [result("a", long)]),
            assistant(4, 3, "retry_budget is too small."),
            user(5, 4, "And?"),
            assistant(6, 5, "Wait."),
        )
    )
    return path


def test_the_lost_are_counted_and_named(handcompact: Handcompact, session: Path) -> None:
    done = handcompact("edit", session, *CLEAR)
    assert "Lost      1 fact removed but still mentioned" in done.out
    assert "value retry_budget = 17  (retry_budget, once)" in done.out
    told = handcompact("edit", session, *CLEAR, "--json").json["lost"]
    assert handcompact("edit", session, *CLEAR, "--json", "--count", "rough").json["lost"] is None
    assert told["count"] == 1 and told["looked_chars"] == told["of_chars"]
    assert told["top"][0]["text"] == "retry_budget = 17" and len(told["top"][0]["places"]) == 1


def test_where_nothing_goes_nothing_is_said(handcompact: Handcompact, session: Path) -> None:
    done = handcompact("edit", session, "--do", "pin 0", "--dry-run")
    assert "Lost" not in done.out
    session.write_bytes(session.read_bytes().replace(b"retry_budget = 17", b"nothing"))
    done = handcompact("edit", session, *CLEAR)
    assert "Lost      no removed fact is still mentioned" in done.out
