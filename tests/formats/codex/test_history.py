"""The history that a log stands for: compactions, turns taken back, and what each call reported."""

from __future__ import annotations

import pytest

from app.model import Author, SendStatus, Text, Usage, blocks_of
from tests.formats.codex.records import (
    PREFIX,
    Value,
    assistant,
    call,
    compacted,
    counted,
    event,
    item,
    output,
    read,
    read_sample,
    request,
    rolled_back,
    said,
    texts,
    turn,
    user,
)

ENVIRONMENT = user("<environment_context>x</environment_context>")


def two_turns() -> list[Value]:
    return [user("One"), assistant("1"), user("Two"), assistant("2")]


def test_a_compaction_leaves_its_own_history_and_hides_the_rest() -> None:
    session = read(*two_turns(), compacted("Sum", user("One"), user("Sum")), assistant("3"))
    assert texts(session.live) == [["One"], ["Sum"], ["3"]]
    assert [m.standing for m in session.messages].count(SendStatus.BEFORE_BOUNDARY) == 4
    assert session.live[0].boundary is session.boundaries[0]
    assert [b.author for _, b in blocks_of(session.live) if isinstance(b, Text)] == [
        Author.USER, Author.SUMMARY, Author.ASSISTANT,
    ]  # fmt: skip


def test_the_last_compaction_governs() -> None:
    first = compacted("Sum 1", user("One"), user("Sum 1"))
    second = compacted("Sum 2", user("One"), user("Sum 2"))
    session = read(*two_turns(), first, assistant("3"), second, assistant("4"))
    assert texts(session.live) == [["One"], ["Sum 2"], ["4"]]
    assert len(session.boundaries) == 2
    # The copies of an older compaction are not shown again, its summary is.
    before = [m for m in session.messages if m.standing is SendStatus.BEFORE_BOUNDARY]
    assert texts(before) == [["One"], ["1"], ["Two"], ["2"], ["Sum 1"], ["3"]]
    assert "superseded-history" in {notice.word for notice in session.notices}


def test_a_compaction_without_a_history_keeps_the_users_words() -> None:
    session = read(
        ENVIRONMENT, *two_turns(), compacted(PREFIX + "\nSum 1"), user("Three"), call("a"), output("a"),
        compacted(PREFIX + "\nSum 2"), assistant("4"),
    )  # fmt: skip
    assert texts(session.live) == [["One"], ["Two"], ["Three"], [PREFIX + "\nSum 2"], ["4"]]
    assert [item["role"] for item in request(session)] == ["user"] * 4 + ["assistant"]


def test_such_a_compaction_keeps_the_newest_words_only() -> None:
    session = read(user("a" * 50_000), user("b" * 50_000), user("c" * 50_000), compacted("Sum"))
    assert [row[0][0] for row in texts(session.live)] == ["b", "c", "S"]


def test_many_such_compactions_are_no_burden() -> None:
    records: list[Value] = []
    for number in range(1500):
        records += (user(f"Say {number}"), compacted(f"Sum {number}"))
    session = read(*records)
    assert len(session.live) == 1501
    assert len(session.boundaries) == 1500


def test_turns_are_taken_back_from_the_end() -> None:
    session = read(*two_turns(), user("Three"), assistant("3"), rolled_back(2), user("Other"))
    assert texts(session.live) == [["One"], ["1"], ["Other"]]
    assert [m.standing for m in session.messages].count(SendStatus.OFF_BRANCH) == 4
    assert texts(read(*two_turns(), rolled_back(0)).live) == texts(read(*two_turns()).live)


def test_no_more_turns_are_taken_back_than_there_are() -> None:
    assert texts(read(ENVIRONMENT, *two_turns(), rolled_back(9)).live) == [
        ["<environment_context>x</environment_context>"]
    ]


def test_what_the_client_put_before_a_turn_goes_with_it() -> None:
    note = said("developer", "<permissions instructions>x</permissions instructions>")
    kept = said("developer", "Something else.")
    assert texts(read(user("One"), ENVIRONMENT, note, user("Two"), rolled_back(1)).live) == [["One"]]
    assert texts(read(user("One"), kept, user("Two"), rolled_back(1)).live) == [["One"], ["Something else."]]


def test_words_that_a_compaction_left_can_be_taken_back() -> None:
    marked = user(
        "Sum", internal_chat_message_metadata_passthrough={"content_item_kinds": ["compaction.summary"]}
    )
    history = compacted("Sum", user("One"), ENVIRONMENT, user("Two"), marked)
    session = read(*two_turns(), history, assistant("3"), rolled_back(1), assistant("4"))
    assert texts(session.live) == [["One"], ["4"]]
    session = read(*two_turns(), history, user("Three"), rolled_back(1), assistant("4"))
    assert texts(session.live)[-1] == ["4"] and len(session.live) == 5


def test_usage_belongs_to_the_reply_before_it() -> None:
    session = read(
        turn(), user("Go"), event("token_count", info=None), call("a"), output("a"), counted(100, cached=40),
        assistant("Ok"), counted(150, 7, total=250, cached=100),
    )  # fmt: skip
    usages = [message.usage for message in session.live]
    assert usages == [None, Usage(60, 5, 40, 0), None, Usage(50, 7, 100, 0)]
    assert session.usage == Usage(110, 12, 140, 0)
    assert session.last_usage == Usage(50, 7, 100, 0)


@pytest.mark.parametrize(
    "noise",
    [
        event("token_count", info=None),
        counted(100),
        counted(0),
        event("token_count", info={"last_token_usage": None}),
        event("token_count"),
    ],
    ids=["null", "repeated", "zero", "no usage", "no info"],
)
def test_counts_that_tell_nothing_are_passed_over(noise: Value) -> None:
    session = read(
        user("Go"), assistant("1"), counted(100), user("On"), noise, assistant("2"), counted(120, total=220)
    )
    assert [m.usage.context for m in session.live if m.usage] == [100, 120]
    assert session.usage is not None and session.usage.context == 220


def test_the_guess_behind_a_compaction_is_nobodys_usage() -> None:
    guess = counted(0)
    guess["payload"]["info"]["last_token_usage"]["total_tokens"] = 6918
    session = read(
        user("Go"), assistant("1"), counted(100), compacted("Sum", user("Go"), user("Sum")), guess,
        counted(6918, total=9000), assistant("2"),
    )  # fmt: skip
    assert [message.usage for message in session.live] == [None, None, None]
    assert session.last_usage is None


def test_replies_that_follow_each_other_are_told_apart_by_their_usage() -> None:
    record = {"type": "token_usage_record", "payload": {"usage": {}}}
    parts = [assistant("a"), call("x")], [assistant("b"), call("y")]
    session = read(user("Go"), *parts[0], record, *parts[1], record, output("x"), output("y"))
    assert [len(message.blocks) for message in session.live] == [1, 2, 2, 2]
    session = read(user("Go"), *parts[0], counted(50), *parts[1], counted(60, total=110))
    assert [m.usage.context for m in session.live if m.usage] == [50, 60]


def test_a_marker_hides_nothing() -> None:
    session = read(user("One"), said("developer", "[snipped 4 messages]"), assistant("2"))
    assert [(b.strategy, b.removed, b.hides) for b in session.boundaries] == [("snip", 4, False)]
    assert len(session.live) == 3


def test_sealed_history_of_older_compactions_is_named() -> None:
    sealed = item("compaction", encrypted_content="s" * 99)
    first, second = compacted("", user("One"), sealed), compacted("", user("One"), sealed)
    session = read(*two_turns(), first, assistant("3"), second)
    assert sum("Sealed summary" in row[0] for row in texts(session.messages)) == 2


def test_a_real_compaction_within_a_turn() -> None:
    session = read_sample("codex-compacted.jsonl")
    assert texts(session.live)[-1] == ["Understood."]
    assert [m.role for m in session.live] == [
        "user",
        "user",
        "user",
        "system",
        "user",
        "user",
        "user",
        "assistant",
    ]
    assert session.last_usage is not None and session.last_usage.context == 8375
    assert sum(isinstance(b, Text) and b.author is Author.USER for _, b in blocks_of(session.live)) == 4
