"""Files that are sound line by line and odd as a whole: what they were found to break once."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.model import Author, Held, Text
from app.validity import check, errors
from tests.formats.claude_code.records import said as words
from tests.formats.edits import cleared, compaction, rows, written
from tests.formats.pi.records import (
    FORMAT,
    NEW_ID,
    Value,
    assistant,
    by_id,
    call,
    compacted,
    edit,
    entry,
    header,
    ident,
    lines,
    read,
    read_bytes,
    request,
    result,
    rewrite,
    text,
    thinking,
    user,
)


def version_1(*entries: Value | str) -> bytes:
    """The entries as version 1 had them: without ids, and compactions with numbers."""
    first = header()
    del first["version"]
    old = [
        row
        if isinstance(row, str)
        else {name: value for name, value in row.items() if name not in ("id", "parentId")}
        for row in entries
    ]
    return lines(first, *old)


def test_thinking_that_a_repair_took_out_does_not_come_back() -> None:
    session = read(
        user(1, None, "Hi"),
        assistant(2, 1, "Work."),
        assistant(3, 2, [thinking("Hm"), call("t1")]),
        result(4, 3, "t1", "one"),
    )
    rewriting = rewrite(session, session_id=NEW_ID)
    assert [notice.word for notice in rewriting.repairs] == ["block-order"]
    again = read_bytes(written(rewriting))
    assert errors(check("anthropic", FORMAT.request(again, again.live))) == []
    assert by_id(written(rewriting))[ident(3)]["message"]["content"] == [call("t1")]


def test_words_made_inside_a_reply_stand_where_they_were_put() -> None:
    session = read(user(1, None, "Hi"), assistant(2, 1, [text("One."), text("Three.")]), user(3, 2, "Go."))
    asked, reply, last = session.live
    made = Text("m/0", Held("Two."), Author.ASSISTANT)
    messages = (asked, replace(reply, blocks=(reply.blocks[0], made, reply.blocks[1])), last)
    out = written(rewrite(session, messages, session_id=NEW_ID))
    assert by_id(out)[ident(2)]["message"]["content"] == [text("One."), text("Two."), text("Three.")]


def test_what_an_older_compaction_kept_is_led_behind_a_newer_one_without_a_circle() -> None:
    session = read(
        user(1, None, "Kept."),
        entry(2, 1, "model_change", provider="p", modelId="m"),
        assistant(3, 2, "Yes."),
        compacted(4, 3, 1),
        user(5, 4, "New."),
    )
    mark, story = compaction()
    messages = (story, *session.live)
    out = written(rewrite(session, messages, boundary=mark, session_id=NEW_ID))
    again = read_bytes(out)
    assert again.notices == () or {notice.word for notice in again.notices} == {"forked"}
    assert request(again) == request(session, messages)


def test_a_broken_tree_is_mended_where_only_results_are_cleared() -> None:
    session = read(
        user(1, None, "Hi"), assistant(3, 2, [call("t1")]), result(4, 3, "t1", "one"), user(5, 4, "Go.")
    )
    rewriting = rewrite(session, cleared(session.live))
    assert [notice.word for notice in rewriting.repairs] == ["missing-parent"]
    again = read_bytes(written(rewriting))
    assert (again.notices, words(again.live)) == ((), words(cleared(session.live)))


def test_the_model_that_would_go_on_goes_on() -> None:
    session = read(
        user(1, None, "Hi"),
        assistant(2, 1, [thinking("Hm"), text("One.")], model="old"),
        user(3, 2, "Go."),
        assistant(4, 3, "Two.", model="new"),
        user(5, 4, "And?"),
    )
    messages = (*session.live[:3], session.live[-1])
    out = written(rewrite(session, messages, session_id=NEW_ID))
    assert request(read_bytes(out)) == request(session, messages)
    last = rows(out)[-1]
    assert (last["type"], last["provider"], last["modelId"]) == ("model_change", "p", "new")
    assert last["parentId"] == ident(5)


def test_a_header_without_an_id_gets_the_new_one() -> None:
    first = header()
    del first["id"]
    session = read_bytes(lines(first, user(1, None, "Hi")))
    assert written(rewrite(session)) == lines(first, user(1, None, "Hi"))
    assert rows(written(rewrite(session, session_id=NEW_ID)))[0]["id"] == NEW_ID


def test_an_old_version_number_over_entries_with_ids_is_a_tree() -> None:
    first = header(version=1)
    entries = (user(1, None, "Hi"), user(2, 1, "Left."), user(3, 1, "Now."))
    assert words(read_bytes(lines(first, *entries)).live) == [["Hi"], ["Now."]]


def test_in_version_1_lines_that_are_no_entries_have_no_number_and_are_no_leaf() -> None:
    kept = entry(3, None, "compaction", summary="Story.", tokensBefore=9, firstKeptEntryIndex=2)
    old = (user(1, None, "Old."), "{}", user(2, None, "Kept."), kept, user(4, None, "New."), '"end"')
    session = read_bytes(version_1(*old))
    assert words(session.live) == [["Story."], ["Kept."], ["New."]]
    assert written(rewrite(session)) == version_1(*old)
    mark, story = compaction()
    messages = (story, *session.live[1:])
    out = written(rewrite(session, messages, boundary=mark, session_id=NEW_ID))
    assert request(read_bytes(out)) == request(session, messages)


def test_a_number_that_names_nothing_stays_as_it_is() -> None:
    kept = entry(2, None, "compaction", summary="Story.", tokensBefore=9, firstKeptEntryIndex=77)
    data = version_1(user(1, None, "Old."), kept, user(3, None, "New."))
    session = read_bytes(data)
    assert words(session.live) == [["Story."], ["New."]]
    assert written(rewrite(session)) == data


@pytest.mark.parametrize(
    "odd",
    [
        entry(2, 1, "compaction", firstKeptEntryId=ident(2), tokensBefore=9),
        entry(2, 1, "compaction", firstKeptEntryId=ident(2), tokensBefore=9, summary=["x"]),
        assistant(2, 1, "Yes.", stopReason=["stop"]),
        edit(2, 1, 1, [text("x")]) | {"replacement": {}},
        {name: value for name, value in user(2, 1, "x").items() if name != "type"},
        user(2, 1, "x") | {"id": "\ud800"},
    ],
)
def test_an_odd_entry_is_read_and_kept(odd: Any) -> None:
    data = lines(header(), user(1, None, "Hi"), odd, user(3, 2, "Go."))
    session = read_bytes(data)
    assert request(session)[-1] == ("user", [text("Go.")])
    written(rewrite(session, session.live[-1:], session_id=NEW_ID, title="T"))
    if not rewrite(session).repairs:
        assert written(rewrite(session)) == data


def test_a_result_whose_edit_says_nothing_can_be_changed() -> None:
    empty = edit(4, 3, 3, "x") | {"replacement": {}}
    session = read(user(1, None, "Hi"), assistant(2, 1, [call("t1")]), result(3, 2, "t1", "one"), empty)
    messages = cleared(session.live)
    out = written(rewrite(session, messages, session_id=NEW_ID))
    assert request(read_bytes(out)) == request(session, messages)
