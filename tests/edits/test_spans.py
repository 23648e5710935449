"""Stretches: one message takes the place of many, behind a boundary where they stood in front."""

from __future__ import annotations

from typing import Any

import pytest

from app.model import Author, Boundary, Text
from app.stages.base import Messages, StageResult
from app.stages.protection import protected
from app.work.checks import CheckLevel, check_pairs
from tests.build import assistant, conversation, result, summary, system, thinking, use, user
from tests.edits.given import LONG, authors, blocks, done, gone, talk, text, why_not
from tests.stages.given import context


def boundary(result: StageResult) -> Boundary:
    assert result.boundary is not None
    return result.boundary


def made(result: StageResult) -> str:
    """The text of the message that was made."""
    (change,) = [change for change in result.changes if change.before is None]
    assert isinstance(change.after, Text)
    return change.after.content.read()


def test_everything_before_a_row_goes_behind_a_boundary() -> None:
    before = talk()
    after = done("drop_before", before, ["m7/0"], allow_words=True)
    assert [message.key for message in after.messages][1:] == ["m7", "m8", "m9", "m10"]
    assert made(after) == "[6 earlier messages dropped]"
    told = boundary(after)
    assert (told.hides, told.trigger, told.strategy, told.removed) == (True, "manual", "drop-before", 6)
    assert told.preserved == ("m7", "m10")
    assert after.messages[0].boundary == told


def test_the_persons_words_before_it_need_a_yes_that_says_how_many() -> None:
    words = "2 messages of yours would be removed: this needs your consent (allow_words)"
    before = (*conversation(user("Hello.", key="h"), assistant("Hello!", key="a")), *talk())
    assert why_not("drop_before", before, ["m7/0"]) == words
    assert done("drop_before", before, ["m7/0"]).messages is before


def test_the_first_request_can_stay() -> None:
    after = done("drop_before", talk(), ["m7/0"], keep_first_user=True)
    assert [message.key for message in after.messages][1:3] == ["m1", "m7"]
    assert made(after) == "[5 earlier messages dropped]"


def test_a_row_inside_a_pair_keeps_the_call() -> None:
    after = done("drop_before", talk(), ["m5/0"], allow_words=True)
    assert [message.key for message in after.messages][1] == "m4"


def test_what_stands_for_it_can_be_a_summary_by_rules() -> None:
    after = done("drop_before", talk(), ["m7/0"], leave="structured", allow_words=True)
    said = made(after)
    assert said.startswith("[Context compacted at ") and "- Fix the login." in said
    assert "mend it" not in said, "what stays is not summed up"
    assert authors(after.messages)[0] == "summary"


def test_earlier_summaries_are_carried_on_and_counted() -> None:
    told = Boundary("b", "auto", "full", removed=30)
    earlier = conversation(summary("Once upon.", boundary=told, key="s"))
    after = done("drop_before", (*earlier, *talk()), ["m7/0"], allow_words=True)
    assert [text(after.messages, block.key) for block in after.messages[0].blocks] == [
        "[36 earlier messages dropped]",
        "Once upon.",
    ]
    assert boundary(after).removed == 36


def test_pins_and_answers_stay_behind_the_line() -> None:
    before = talk()
    given = context(before, protection=protected(before, pinned=["m3/0"]))
    after = done("drop_before", before, ["m7/0"], given=given, allow_words=True)
    assert [message.key for message in after.messages][1:4] == ["m2", "m3", "m7"]
    assert check_pairs(before, after.messages).level is CheckLevel.OK


def test_the_newest_turns_stay() -> None:
    before = talk()
    after = done("keep_last_turns", before, turns=1, allow_words=True)
    assert [message.key for message in after.messages][1:] == ["m7", "m8", "m9", "m10"]
    assert why_not("keep_last_turns", before, turns=2) == "there are only 2 turns"
    assert "1 message of yours" in str(why_not("keep_last_turns", before, turns=1))


def test_system_prompts_stay_in_front() -> None:
    before = (*conversation(system("Rules.", key="s")), *talk())
    after = done("keep_last_turns", before, turns=1, allow_words=True)
    assert after.messages[0].key == "s"
    assert after.messages[1].boundary is not None


def test_a_stretch_in_the_middle_becomes_one_message_without_a_boundary_that_hides() -> None:
    before = talk()
    after = done("summarise_range", before, ["m2/1", "m5/0"], source="hand", text=" Read and run. ")
    assert after.messages[0].key == "m1"
    assert made(after) == "[Summary of 4 messages]\n\nRead and run."
    assert gone(before, after.messages) == ["m2/0", "m2/1", "m2/2", "m3/0", "m4/0", "m4/1", "m5/0"]
    told = boundary(after)
    assert (told.hides, told.strategy, told.removed) == (False, "range", 4)
    assert authors(after.messages)[1] == str(Author.SUMMARY)


def test_a_stretch_in_front_goes_behind_a_boundary() -> None:
    after = done(
        "summarise_range", talk(), ["m1/0", "m6/0"], source="model", text="Ran it.", allow_words=True
    )
    assert made(after) == "[Compacted]\n\nRan it."
    assert boundary(after).hides and [message.key for message in after.messages][1] == "m7"


def test_a_stretch_is_made_smaller_for_the_sake_of_pairs() -> None:
    before = talk()
    after = done("summarise_range", before, ["m3/0", "m6/0"])
    assert gone(before, after.messages) == ["m4/0", "m4/1", "m5/0", "m6/0"]
    assert why_not("summarise_range", before, ["m3/0"]) == ("these rows contain no complete call/result pair")


def test_the_persons_words_in_a_stretch_need_a_yes() -> None:
    assert why_not("summarise_range", talk(), ["m2/0", "m9/0"]) == (
        "1 message of yours would be removed: this needs your consent (allow_words)"
    )


def test_an_earlier_summary_goes_only_when_it_was_chosen() -> None:
    earlier = conversation(summary("Once upon.", boundary=Boundary("b", "auto", "full"), key="s"))
    before: Messages = (*earlier, *talk())
    whole: dict[str, Any] = {"source": "hand", "text": "All.", "allow_words": True}
    after = done("summarise_range", before, ["s/0", "m6/0"], **whole)
    assert [text(after.messages, block.key) for block in after.messages[0].blocks] == ["[Compacted]\n\nAll."]
    after = done("summarise_range", before, ["m1/0", "m6/0"], **whole)
    assert text(after.messages, after.messages[0].blocks[1].key) == "Once upon."


def test_a_summary_needs_its_text_and_must_be_shorter() -> None:
    assert why_not("summarise_range", talk(), ["m2/0", "m5/0"], source="hand") == (
        "the summary has no text yet"
    )
    long = why_not("summarise_range", talk(), ["m2/0", "m5/0"], source="hand", text=LONG * 3)
    assert long == "the replacement would not be shorter than what it replaces"


def test_the_newest_reply_is_never_put_between_its_neighbours() -> None:
    before = talk()
    after = done("summarise_range", before, ["m8/0", "m10/1"], force=True)
    assert "m10/1" in blocks(after.messages)


def test_a_model_is_asked_about_the_stretch_alone() -> None:
    from app.edits.summarise_range import SummariseRange

    edit = SummariseRange(keys=("m4/1", "m5/0"), source="model")
    asked = edit.request(talk(), context(talk()))
    assert "pytest" in asked.text and "login.py" not in asked.text


@pytest.mark.parametrize("kind", ["drop_before", "summarise_range"])
def test_a_reply_that_would_end_in_thinking_is_refused(kind: str) -> None:
    before = conversation(
        user("Go."),
        assistant(thinking("a"), use("1", "Read")),
        user(result("1", LONG)),
        assistant("One."),
        user("On."),
        assistant(thinking("b"), "Two."),
    )
    given = context(before, protection=protected(before, pinned=["m2/0"]))
    keys = ["m2/1", "m4/0"] if kind == "summarise_range" else ["m5/0"]
    after = done(kind, before, keys, given=given, allow_words=True)
    assert check_pairs(before, after.messages).level is CheckLevel.OK
    assert after.messages is before and after.note == "a reply would end with thinking"
