"""A compaction written in the client's own form."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.model import Message, SendStatus
from tests.formats.claude_code.records import (
    NEW_ID,
    OLD_ID,
    assistant,
    by_uuid,
    read,
    read_bytes,
    read_sample,
    record,
    request,
    result,
    rewrite,
    said,
    use,
    user,
    uuid,
)
from tests.formats.edits import cleared, compaction, rows, without_pair, written


def long_session() -> list[dict[str, object]]:
    return [
        {"type": "mode", "mode": "plan", "sessionId": OLD_ID},
        {"type": "custom-title", "customTitle": "Work", "sessionId": OLD_ID},
        user(1, None, "Build it."),
        assistant(2, 1, [use("t1")]),
        user(3, 2, [result("t1", "one")]),
        assistant(4, 3, "Built."),
        {"type": "mode", "mode": "normal", "sessionId": OLD_ID},
        record(5, 4, "progress", data={}),
        user(6, 5, "Test it."),
        assistant(7, 6, [use("t2")]),
        user(8, 7, [result("t2", "two")]),
        assistant(9, 8, "Tested.", tokens=(90_000, 3)),
        {"type": "last-prompt", "lastPrompt": "Test it.", "leafUuid": uuid(9), "sessionId": OLD_ID},
    ]


def test_boundary_summary_and_tail() -> None:
    session = read(*long_session())
    mark, words = compaction()
    kept = (words, *session.live[4:])
    out = written(rewrite(session, kept, boundary=mark, session_id=NEW_ID, context_tokens=500))
    kinds = [row["type"] for row in rows(out)]
    at = kinds.index("system")
    made, said_so = rows(out)[at], rows(out)[at + 1]
    assert made["parentUuid"] is None
    assert made["logicalParentUuid"] == uuid(4)
    assert made["subtype"] == "compact_boundary"
    metadata = made["compactMetadata"]
    assert (metadata["trigger"], metadata["preTokens"], metadata["postTokens"]) == ("manual", 900, 90)
    assert "preservedSegment" not in metadata
    assert said_so["parentUuid"] == made["uuid"]
    assert said_so["isCompactSummary"] is said_so["isVisibleInTranscriptOnly"] is True
    assert rows(out)[at + 2]["uuid"] == uuid(6)
    assert by_uuid(out)[uuid(6)]["parentUuid"] == said_so["uuid"]
    assert by_uuid(out)[uuid(4)]["timestamp"] < made["timestamp"] < said_so["timestamp"]
    assert said_so["timestamp"] < by_uuid(out)[uuid(6)]["timestamp"]


def test_it_reads_back_as_it_was_meant() -> None:
    session = read(*long_session())
    mark, words = compaction()
    kept = (words, *session.live[4:])
    again = read_bytes(written(rewrite(session, kept, boundary=mark, session_id=NEW_ID)))
    assert request(again) == request(session, kept)
    found = again.boundaries[-1]
    assert (found.trigger, found.strategy, found.removed) == ("manual", "structured", 4)
    old = [message for message in again.messages if message.standing is SendStatus.BEFORE_BOUNDARY]
    assert said(old) == said(session.live[:4])


def test_the_old_part_can_be_left_out() -> None:
    session = read(*long_session())
    mark, words = compaction()
    kept = (words, *session.live[4:])
    out = written(rewrite(session, kept, boundary=mark, session_id=NEW_ID, drop_old=True))
    uuids = by_uuid(out)
    assert uuid(1) not in uuids and uuid(5) not in uuids and uuid(6) in uuids
    outside = [(row["type"], row.get("mode")) for row in rows(out) if "uuid" not in row]
    assert outside == [("custom-title", None), ("mode", "normal"), ("last-prompt", None)]
    assert request(read_bytes(out)) == request(session, kept)


def test_the_first_request_is_moved_behind_the_boundary() -> None:
    session = read(*long_session())
    mark, words = compaction()
    kept = (words, session.live[0], *session.live[4:])
    out = written(rewrite(session, kept, boundary=mark))
    order = [row.get("uuid") for row in rows(out)]
    assert order.index(uuid(4)) < order.index(uuid(1)) < order.index(uuid(6))
    again = read_bytes(out)
    assert said(again.live)[0] == ["What was done.", "Build it.", "Test it."]
    assert again.facts.messages == 4
    assert [m.standing for m in again.messages[:3]] == [SendStatus.BEFORE_BOUNDARY] * 3


def test_everything_can_be_summarised() -> None:
    session = read(*long_session())
    mark, words = compaction()
    again = read_bytes(written(rewrite(session, (words,), boundary=mark)))
    assert said(again.live) == [["What was done."]]
    assert again.facts.branches == 1


def test_pairs_dropped_from_the_tail_do_not_come_back() -> None:
    session = read(
        user(1, None, "Old."),
        assistant(2, 1, "Work."),
        user(3, 2, "New."),
        assistant(4, 3, [use("t1")], ident="m"),
        assistant(5, 4, [use("t2")], ident="m"),
        user(6, 4, [result("t1", "one")]),
        user(7, 5, [result("t2", "two")]),
        assistant(8, 7, "Ok."),
    )
    mark, words = compaction()
    kept = (words, *without_pair(session.live[2:], "t1"))
    out = written(rewrite(session, kept, boundary=mark))
    assert request(read_bytes(out)) == request(session, kept)
    assert uuid(4) not in by_uuid(out)
    assert uuid(1) in by_uuid(out)


def test_what_is_hidden_does_not_hang_from_what_stays() -> None:
    """The client sends what it finds below a call or a result, wherever that stands in the file."""
    session = read(
        user(1, None, "Go"),
        assistant(2, 1, [use("t1")]),
        user(3, 2, [result("t1", "one")]),
        user(4, 3, "[snipped 5 messages]", isMeta=True),
        record(5, 4, "progress", data={}),
        assistant(6, 5, "Ok"),
    )
    mark, words = compaction()
    reply, answer = session.live[1], session.live[2]
    kept = (words, reply, replace(answer, blocks=answer.blocks[:1]), session.live[-1])
    out = written(rewrite(session, kept, boundary=mark))
    above = by_uuid(out)[uuid(4)]["parentUuid"]
    assert above == uuid(1)
    assert request(read_bytes(out)) == request(session, kept)


def test_a_note_stays_reachable_when_its_result_goes() -> None:
    session = read(
        user(1, None, "Go"),
        assistant(2, 1, [use("t1")], ident="m"),
        assistant(3, 2, [use("t2")], ident="m"),
        user(4, 2, [result("t1", "one")]),
        user(5, 4, "Note.", isMeta=True),
        user(7, 3, [result("t2", "two")]),
        assistant(8, 7, "Ok"),
    )
    kept = without_pair(session.live, "t1")
    assert said(kept)[2] == ["result t2", "Note."]
    assert request(read_bytes(written(rewrite(session, kept)))) == request(session, kept)
    only_words = without_pair(kept, "t2")
    assert request(read_bytes(written(rewrite(session, only_words)))) == request(session, only_words)


def test_the_last_prompt_names_nothing_that_is_hidden() -> None:
    """The client would go on from there, as if nothing had been compacted."""
    session = read(
        user(1, None, "Old."),
        assistant(2, 1, "Done."),
        user(3, 2, "New."),
        {"type": "last-prompt", "leafUuid": uuid(2), "sessionId": OLD_ID},
        assistant(4, 3, "Ok."),
    )
    mark, words = compaction()
    out = written(rewrite(session, (words, *session.live[2:]), boundary=mark))
    (named,) = [row["leafUuid"] for row in rows(out) if row["type"] == "last-prompt"]
    assert named == uuid(4)
    assert said(read_bytes(out).live) == [["What was done.", "New."], ["Ok."]]


def test_a_second_compaction_counts_both() -> None:
    session = read(*long_session())
    mark, words = compaction("First story.")
    once = read_bytes(written(rewrite(session, (words, *session.live[4:]), boundary=mark)))
    mark, words = compaction("Second story.")
    twice = read_bytes(written(rewrite(once, (words, once.live[-1]), boundary=mark)))
    assert said(twice.live) == [["Second story."], ["Tested."]]
    assert len(twice.boundaries) == 2
    assert twice.facts.branches == 1


def test_a_preserved_segment_is_chained_behind_our_own_boundary() -> None:
    session = read_sample("claude-code-compacted.jsonl")
    mark, words = compaction()
    kept: tuple[Message, ...] = (words, *cleared(session.live[1:]))
    again = read_bytes(written(rewrite(session, kept, boundary=mark, session_id=NEW_ID)))
    assert request(again) == request(session, kept)
    assert len(again.boundaries) == 2


def test_the_summary_stands_before_words_that_are_sent_behind_attachments() -> None:
    """The client joins user records as they stand; only attachments move before the words."""
    session = read(
        user(1, None, "Old."),
        assistant(2, 1, "Done."),
        user(3, 2, "<command-name>/model</command-name>"),
        record(4, 3, "attachment", attachment={"type": "date"}, rendered=[{"content": "Today."}]),
        user(5, 4, "New."),
        assistant(6, 5, "Ok."),
    )
    mark, words = compaction()
    out = written(rewrite(session, (words, *session.live[2:]), boundary=mark))
    order = [row["uuid"] for row in rows(out)]
    made = next(row for row in rows(out) if row.get("isCompactSummary"))
    assert order.index(uuid(2)) < order.index(made["uuid"]) < order.index(uuid(3))
    assert by_uuid(out)[uuid(3)]["parentUuid"] == made["uuid"]
    assert said(read_bytes(out).live)[0] == [
        "What was done.", "Today.", "<command-name>/model</command-name>", "New.",
    ]  # fmt: skip


@pytest.mark.parametrize("trigger", ["manual", "auto", "reactive", "time"])
def test_the_client_is_given_triggers_that_it_knows(trigger: str) -> None:
    session = read(*long_session())
    mark, words = compaction()
    mark = type(mark)(mark.key, trigger)
    words = Message(words.key, words.role, words.blocks, boundary=mark)
    out = written(rewrite(session, (words, session.live[-1]), boundary=mark))
    made = next(row for row in rows(out) if row["type"] == "system")
    assert made["compactMetadata"]["trigger"] in ("manual", "auto")
    assert read_bytes(out).boundaries[-1].trigger == trigger
