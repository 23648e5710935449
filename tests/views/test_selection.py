"""Rows are marked by what they are."""

from __future__ import annotations

import pytest

from app.edits import make_edit
from app.errors import InputError
from app.model import SendStatus, blocks_of
from app.pipeline import load
from app.views.selection import Filter, current_rows, matching, select, turn_numbers
from app.work.workspace import Workspace
from tests.build import assistant, conversation, off, user
from tests.edits.given import talk
from tests.work.test_workspace import session


@pytest.fixture
def workspace() -> Workspace:
    return Workspace(session(*talk()), load("gentle"), exact=False)


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        ({"verdict": "user"}, ["m1/0", "m7/0"]),
        ({"tool": "read"}, ["m2/2", "m3/0"]),
        ({"tool": "b*", "role": "tool_result"}, ["m5/0"]),
        ({"role": "thinking", "before_turn": 2}, ["m2/0", "m4/0"]),
        ({"role": "thinking", "before_turn": -1}, ["m2/0", "m4/0"]),
        ({"role": "thinking", "before_turn": 3}, ["m2/0", "m4/0", "m10/0"]),
        ({"larger_than": 500}, ["m3/0", "m5/0"]),
        ({"path": "*.py", "role": "tool_use"}, ["m2/2", "m8/0"]),
        ({"path": "login.py", "role": "tool_result"}, ["m3/0", "m9/0"]),
        ({"path": "src/*.md"}, []),
        ({"text": "EXIT CODE"}, ["m5/0"]),
        ({"text": "[/x]"}, []),
        ({}, [block.key for _, block in blocks_of(talk())]),
    ],
)
def test_a_filter_gives_the_keys_of_what_passes(
    workspace: Workspace, wanted: dict[str, object], keys: list[str]
) -> None:
    assert list(select(workspace, Filter(**wanted))) == keys  # type: ignore[arg-type]


def test_words_that_a_person_types_are_understood() -> None:
    typed = {"verdict": "superseded", "larger_than": "2_000", "before_turn": "-2"}
    assert Filter.parse(typed) == Filter(verdict="superseded", larger_than=2000, before_turn=-2)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"colour": "red"}, "rows cannot be chosen by 'colour'"),
        ({"larger_than": "big"}, "larger_than must be a whole number, not 'big'"),
        ({"verdict": "good"}, "unknown verdict 'good'; available: user, decision"),
    ],
)
def test_what_does_not_fit_is_told(typed: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Filter.parse(typed)


def test_blocks_are_asked_as_they_are_now(workspace: Workspace) -> None:
    workspace.edit(make_edit("drop", ["m2/2"]))
    workspace.edit(make_edit("clear", ["m5/0"]))
    assert select(workspace, Filter(larger_than=500)) == ()
    assert select(workspace, Filter(verdict="compacted")) == ("m5/0",)
    assert {row.key for row in current_rows(workspace)} == {b.key for _, b in blocks_of(workspace.messages)}


def test_what_is_not_sent_is_never_marked() -> None:
    messages = conversation(off(user("Old."), SendStatus.BEFORE_BOUNDARY), user("New."), assistant("Yes."))
    work = Workspace(session(*messages), load("gentle"), exact=False)
    assert select(work, Filter()) == ("m2/0", "m3/0")
    assert matching(work.rows, Filter(role="user"), work.block_tokens) == ("m2/0",)


def test_turns_are_counted_from_one() -> None:
    numbers = turn_numbers(talk())
    assert (numbers["m1"], numbers["m6"], numbers["m7"], numbers["m10"]) == (1, 1, 2, 2)
    assert turn_numbers(()) == {}
