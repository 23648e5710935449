"""Dropping blocks by hand: pairs go together, and what a provider would refuse is refused first."""

from __future__ import annotations

import pytest

from app.stages.protection import protected
from tests.build import assistant, conversation, opaque, result, system, thinking, use, user
from tests.edits.given import blocks, done, gone, talk, text, why_not
from tests.stages.given import context

QUESTION = {"question": "Which?"}


@pytest.mark.parametrize("half", ["m2/2", "m3/0"])
def test_one_half_of_a_pair_takes_the_other_and_says_so(half: str) -> None:
    before = talk()
    after = done("drop", before, [half])
    assert gone(before, after.messages) == ["m2/2", "m3/0"]
    reasons = {change.key: change.reason for change in after.changes}
    assert reasons.pop(half) == "dropped by you"
    word = "result" if half == "m3/0" else "call"
    assert list(reasons.values()) == [f"dropped by you with its {word}"]


def test_a_message_key_stands_for_all_of_its_blocks() -> None:
    before = talk()
    after = done("drop", before, ["m2"])
    assert gone(before, after.messages) == ["m2/0", "m2/1", "m2/2", "m3/0"]
    assert [message.key for message in after.messages][:2] == ["m1", "m4"]


def test_thinking_goes_with_all_that_it_led_to_and_not_before() -> None:
    before = talk()
    assert gone(before, done("drop", before, ["m2/2"]).messages) == ["m2/2", "m3/0"]
    assert gone(before, done("drop", before, ["m4/1"]).messages) == ["m4/0", "m4/1", "m5/0"]


def test_thinking_between_calls_goes_with_the_calls_behind_it() -> None:
    before = conversation(
        user("Go."),
        assistant(thinking("a"), use("1", "Read"), thinking("b"), use("2", "Read"), use("3", "Read")),
        user(result("1", "x"), result("2", "y"), result("3", "z")),
        assistant("Done."),
    )
    assert gone(before, done("drop", before, ["m2/1"]).messages) == ["m2/0", "m2/1", "m3/0"]
    assert gone(before, done("drop", before, ["m2/3"]).messages) == ["m2/3", "m3/1"]
    after = done("drop", before, ["m2/3", "m3/2"])
    assert gone(before, after.messages) == ["m2/2", "m2/3", "m2/4", "m3/1", "m3/2"]


def test_thinking_alone_is_not_dropped() -> None:
    assert why_not("drop", talk(), ["m2/0"]) == (
        "thinking is sealed: only whole turns of it can be removed (strip_thinking)"
    )


def test_a_pinned_half_keeps_the_other() -> None:
    before = talk()
    given = context(before, protection=protected(before, pinned=["m3/0"]))
    assert why_not("drop", before, ["m2/2"], given=given) == (
        "2 of 2 stay: its result must stay too (pinned by you)"
    )
    assert why_not("drop", before, ["m2/2"], given=given, force=True) is not None
    after = done("drop", before, ["m2/2", "m4/1"], given=given)
    assert gone(before, after.messages) == ["m4/0", "m4/1", "m5/0"]
    assert "2 of 5 stay" in after.note and after.protected == 2


def test_the_persons_words_go_only_after_a_yes() -> None:
    before = talk()
    words = "1 text of yours would be dropped: this needs your consent (allow_words)"
    assert why_not("drop", before, ["m7/0"]) == words
    assert done("drop", before, ["m7/0"]).messages is before
    after = done("drop", before, ["m7/0"], allow_words=True)
    assert gone(before, after.messages) == ["m7/0"]


@pytest.mark.parametrize("force", [False, True])
def test_the_newest_reply_and_its_pairs_are_not_touched(force: bool) -> None:
    before = (*talk(), *conversation(user("And?", key="u"), assistant(use("z", "Read"), key="a")))
    before = (*before, *conversation(user(result("z", "x"), key="r")))
    assert "newest reply" in str(why_not("drop", before, ["a/0"], force=force))
    assert "newest reply" in str(why_not("drop", before, ["r/0"], force=force))


def test_an_answer_of_the_person_goes_only_by_force() -> None:
    before = conversation(
        user("Go."),
        assistant(use("q", "AskUserQuestion", QUESTION)),
        user(result("q", "The first.")),
        assistant("Good."),
    )
    assert "contains your answer" in str(why_not("drop", before, ["m3/0"]))
    assert "(override: force)" in str(why_not("drop", before, ["m3/0"]))
    assert gone(before, done("drop", before, ["m3/0"], force=True).messages) == ["m2/0", "m3/0"]


def test_thinking_of_an_open_turn_keeps_what_it_led_to() -> None:
    before = talk()[:5]
    assert before[-1].key == "m5"
    words = why_not("drop", before, ["m2/1", "m2/2"], force=True)
    assert words == "3 of 3 stay: its thinking must stay too (thinking of the unfinished turn)"
    assert gone(before, done("drop", before, ["m2/2"]).messages) == ["m2/2", "m3/0"]


def test_the_conversation_does_not_begin_with_the_model() -> None:
    before = talk()
    words = why_not("drop", before, ["m1/0"], allow_words=True)
    assert words is not None and words.startswith("the conversation would begin with a reply of the model")
    assert done("drop", before, ["m1/0"], allow_words=True).messages is before
    everything = [message.key for message in before[:6]]
    assert gone(before, done("drop", before, everything, allow_words=True).messages)[-1] == "m6/0"


def test_replies_do_not_run_together_where_thinking_comes_first() -> None:
    before = conversation(
        user("Go."),
        assistant("One."),
        user("On."),
        assistant(thinking("x"), "Two."),
        user("?"),
        assistant("3"),
    )
    words = why_not("drop", before, ["m3/0"], allow_words=True)
    assert words == "a reply without thinking would be joined with one that begins with thinking"


def test_something_is_always_left() -> None:
    only = conversation(user("Hello?"))
    assert why_not("drop", only, ["m1"], allow_words=True) == "nothing would be left of the conversation"


def test_a_system_prompt_stays() -> None:
    before = (*conversation(system("Rules.", key="s")), *talk())
    assert "system prompt" in str(why_not("drop", before, ["s/0"], force=True))


def test_unknown_blocks_and_calls_without_a_result_can_go() -> None:
    before = conversation(
        user("Go.", opaque("document")), assistant("A", use("x", "Read")), user("Stop."), assistant("Yes.")
    )
    after = done("drop", before, ["m1/1", "m2/1"])
    assert gone(before, after.messages) == ["m1/1", "m2/1"]


def test_a_pair_of_the_providers_own_tool_goes_together() -> None:
    before = conversation(
        user("Search."),
        assistant(use("s", "web_search", server=True), result("s", "[]", server=True), "Found."),
        user("Thanks."),
        assistant("Yes."),
    )
    assert gone(before, done("drop", before, ["m2/1"]).messages) == ["m2/0", "m2/1"]


def test_keys_that_are_not_there_are_told_and_passed_over() -> None:
    before = talk()
    assert why_not("drop", before, ["gone", "m2/2"]) == "1 row is not in the conversation as it is now"
    assert why_not("drop", before) == "no rows are chosen"
    assert gone(before, done("drop", before, ["gone", "m2/2"]).messages) == ["m2/2", "m3/0"]


def test_what_stays_is_the_very_same() -> None:
    before = talk()
    after = done("drop", before, ["m2/2"]).messages
    assert all(block is blocks(before)[key] for key, block in blocks(after).items())
    assert text(after, "m6/0") == "It fails."
