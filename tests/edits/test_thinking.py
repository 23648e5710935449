"""Thinking goes whole turns at a time, and a stage can be run by hand."""

from __future__ import annotations

from typing import Any

import pytest

from app.errors import BadPipeline
from app.stages.protection import protected
from tests.build import assistant, conversation, thinking, user
from tests.edits.given import done, gone, talk, why_not
from tests.stages.given import context


def test_any_row_of_a_turn_means_all_thinking_of_it() -> None:
    before = talk()
    assert gone(before, done("strip_thinking", before, ["m3/0"]).messages) == ["m2/0", "m4/0"]


def test_without_rows_it_is_the_older_turns() -> None:
    before = talk()
    assert gone(before, done("strip_thinking", before).messages) == ["m2/0", "m4/0"]
    assert gone(before, done("strip_thinking", before, keep_turns=0).messages) == ["m2/0", "m4/0"]
    assert why_not("strip_thinking", before, keep_turns=2) == "no thinking in these turns"


def test_the_turn_of_the_newest_reply_keeps_its_thinking() -> None:
    told = why_not("strip_thinking", talk(), ["m8/0"], force=True)
    assert told == "thinking of the turn of the newest reply"


def test_one_pinned_block_keeps_the_thinking_of_its_turn() -> None:
    before = talk()
    given = context(before, protection=protected(before, pinned=["m4/0"]))
    assert why_not("strip_thinking", before, ["m1/0"], given=given) == "2 of 2 stay: pinned by you"
    assert done("strip_thinking", before, ["m1/0"], given=given).messages is before


def test_a_message_of_nothing_but_thinking_goes() -> None:
    before = conversation(user("A"), assistant(thinking("x")), user("B"), assistant("C"))
    assert [m.key for m in done("strip_thinking", before, ["m1"]).messages] == ["m1", "m3", "m4"]


def test_a_stage_run_by_hand_changes_only_the_chosen_rows() -> None:
    before = talk()
    options: dict[str, Any] = {
        "stage": "microcompact",
        "settings": ("when=always", "keep_recent=0", "tools=*"),
    }
    both = done("stage", before, **options)
    assert [change.key for change in both.changes] == ["m3/0", "m5/0"]
    assert [c.key for c in done("stage", before, ["m5/0"], **options).changes] == ["m5/0"]


def test_a_stage_run_by_hand_asks_for_the_persons_words() -> None:
    before = talk()
    options: dict[str, Any] = {"stage": "snip", "settings": ("max_messages=4", "head_messages=0")}
    assert why_not("stage", before, **options) == (
        "1 message of yours would be removed: this needs your consent (allow_words)"
    )
    assert done("stage", before, allow_words=True, **options).changes


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stage": "nope"}, "unknown stage 'nope'"),
        ({"stage": "fit", "settings": ("x",)}, "expected OPTION=VALUE"),
        ({"stage": "fit", "settings": ("x=1",)}, "no option 'x'"),
        ({"stage": "microcompact", "settings": ("root=/etc",)}, "is not allowed in an edit"),
    ],
)
def test_a_stage_that_does_not_fit_is_told_at_once(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadPipeline, match=words):
        done("stage", talk(), **options)
