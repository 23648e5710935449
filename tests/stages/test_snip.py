"""Too many messages: what stays, where the marker stands, and what a second run does."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.errors import BadPipeline
from app.model import Author, Boundary, Held, Message, Role, Text, blocks_of
from app.stages import stage_named
from app.stages.base import ChangeKind, Messages, StageResult
from app.stages.snip import snipped_by
from tests.build import assistant, conversation, result, summary, system, use, user
from tests.stages.given import run

LONG = "a sentence of some length, so that a marker is shorter. "


def turns(count: int, key: str = "") -> tuple[Message, ...]:
    return tuple(
        replace(message, key=f"{key}{n}{message.role}" if key else "")
        for n in range(count)
        for message in (user(f"{n}? {LONG}"), assistant(f"{n}. {LONG}"))
    )


def talk(count: int) -> Messages:
    return conversation(*turns(count))


def snip(messages: Messages, **options: Any) -> StageResult:
    return run("snip", messages, options)


def starts(messages: Messages) -> list[str]:
    return [
        block.content.preview.split("?")[0].split(".")[0]
        for _, block in blocks_of(messages)
        if isinstance(block, Text)
    ]


def marker_of(done: StageResult) -> Text:
    [marker] = [block for _, block in blocks_of(done.messages) if snipped_by(block) is not None]
    assert isinstance(marker, Text)
    return marker


def test_the_marker_is_a_plain_message_that_hides_nothing() -> None:
    done = snip(talk(10), max_messages=8)
    assert starts(done.messages) == ["0", "0", "1", "[snipped 12 messages]", "7", "8", "8", "9", "9"]
    [marker] = [message for message in done.messages if message.boundary is not None]
    assert marker.role is Role.USER and marker.blocks == (marker_of(done),)
    assert marker_of(done).author is Author.MARKER
    boundary = marker.boundary
    assert boundary is not None and boundary == done.boundary and not boundary.hides
    assert (boundary.strategy, boundary.trigger, boundary.removed) == ("snip", "auto", 12)
    assert [change.kind for change in done.changes] == [ChangeKind.DROPPED] * 12 + [ChangeKind.MADE]


def test_protected_blocks_stay_directly_behind_the_marker_with_their_pairs_and_are_not_counted() -> None:
    messages = list(talk(10))
    messages[7:7] = conversation(
        assistant(
            "Reading.",
            use("c", "Read", {"file_path": "CLAUDE.md"}),
            use("d", "Read", {"file_path": "a.py"}),
            key="x",
        ),
        user(result("c", "Rules. " * 20, key="rules"), result("d", "x = 1 " * 30), key="y"),
    )
    done = snip(tuple(messages), max_messages=8)
    kept = done.messages[4:6]
    assert [block.kind for message in kept for block in message.blocks] == ["tool_use", "tool_result"]
    assert [message.key for message in kept] == ["x", "y"]
    assert marker_of(done).content.read() == "[snipped 12 messages]"
    assert done.protected == 1
    again = snip(done.messages, max_messages=8)
    assert again.messages is done.messages and again.note == "nothing between head and tail can be removed"


def test_a_second_run_carries_the_count_on_also_when_the_marker_was_joined_to_other_words() -> None:
    first = snip(talk(10), max_messages=8)
    marker, tail = first.messages[3], first.messages[4:]
    behind = Message(
        "joined",
        Role.USER,
        (*marker.blocks, Text("j", Held(f"joined? {LONG}"), Author.USER)),
        boundary=marker.boundary,
    )
    more = conversation(*turns(3, "more"))
    for grown in ((*first.messages, *more), (*first.messages[:3], behind, *tail, *more)):
        done = snip(grown, max_messages=8)
        joined = behind in grown
        assert marker_of(done).content.read() == f"[snipped {12 + 6 + joined} messages]"
        assert len(done.messages) == 9


def test_a_marker_beside_the_head_is_merged_into_the_new_one() -> None:
    old = Text("old", Held("[snipped 5 messages]"), Author.MARKER)
    messages = list(talk(10))
    told = Boundary("b", "auto", "snip", removed=5, hides=False)
    messages[2] = Message("m3", Role.USER, (*messages[2].blocks, old), boundary=told)
    done = snip(tuple(messages), max_messages=8)
    assert marker_of(done).content.read() == "[snipped 17 messages]"
    assert done.messages[2].boundary is None and len(done.messages[2].blocks) == 1
    assert "old" in {change.key for change in done.changes}


def test_a_quoted_marker_is_the_persons_words() -> None:
    messages = conversation(*turns(3), user("[snipped 5 messages] is what I saw"))
    assert snip(messages, max_messages=7).messages is messages


def test_the_live_summary_and_system_messages_stay_in_front() -> None:
    messages = conversation(system("Rules."), summary("All before.\n"), *turns(10))
    done = snip(messages, max_messages=5, head_messages=0)
    assert [message.key for message in done.messages[:2]] == ["m1", "m2"]
    assert done.messages[2].boundary is done.boundary


@pytest.mark.parametrize(("counts", "total"), [(False, 9), (True, 8)])
def test_the_marker_can_be_one_of_the_messages(counts: bool, total: int) -> None:
    done = snip(talk(10), max_messages=8, marker_counts=counts)
    assert len(done.messages) == total
    assert snip(done.messages, max_messages=8, marker_counts=counts).messages is done.messages


def test_without_growing_the_other_halves_stay_behind_the_marker() -> None:
    messages = list(talk(10))
    messages[2] = assistant("Reading.", use("h", "Read", {}), key="h")
    messages[9] = user(result("h", "late"), key="late")
    done = snip(tuple(messages), max_messages=8, keep_pairs=False)
    assert [message.key for message in done.messages[2:5]] == ["h", done.messages[3].key, "late"]
    grown = snip(tuple(messages), max_messages=8)
    assert [message.key for message in grown.messages[:10]] == [message.key for message in messages[:10]]


def test_a_marker_that_is_no_shorter_is_not_made() -> None:
    messages = conversation(*(user("x") if n % 2 else assistant("y") for n in range(9)))
    done = snip(messages, max_messages=8)
    assert done.messages is messages and "would not be shorter" in done.note
    assert snip(messages, max_messages=8, only_if_smaller=False).changes


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_messages": 3}, "leaves no tail: the head of 3 must be less"),
        ({"max_messages": 4, "marker_counts": True}, "the head of 3 and the marker must be less"),
        ({"head_messages": 50}, "snip.max_messages of 50 leaves no tail"),
        ({"max_messages": 0}, "must be at least 1"),
    ],
)
def test_a_limit_that_leaves_no_tail_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadPipeline, match=words):
        stage_named("snip").build(options)
