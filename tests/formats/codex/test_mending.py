"""What a provider would refuse is mended and named; damage of the file is not written again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.codex.records import (
    NEW_ID,
    Value,
    assistant,
    broken,
    call,
    compacted,
    item,
    lines,
    meta,
    output,
    read,
    read_bytes,
    read_sample,
    reasoning,
    request,
    rewrite,
    rolled_back,
    summary,
    user,
)
from tests.formats.edits import changed, rows, written


def mended(*records: Value | str) -> tuple[list[Value], list[str]]:
    """The items of the written file, which break no rule, and the words of the repairs."""
    session = read(*records)
    rewriting = rewrite(session, session_id=NEW_ID)
    again = read_bytes(written(rewriting))
    assert broken(again) == []
    assert rewrite(again).repairs == ()
    return request(again), sorted({notice.word for notice in rewriting.repairs})


def kinds(items: list[Value]) -> list[str]:
    return [item["type"] for item in items]


def test_an_interrupted_call_gets_an_output() -> None:
    items, words = mended(user("Build."), call("a"), call("b"), output("b"), user("Stop."))
    assert kinds(items) == ["message", "function_call", "function_call", "function_call_output"] * 1 + [
        "function_call_output", "message",
    ]  # fmt: skip
    assert (
        "No result was recorded"
        in next(i for i in items if i.get("call_id") == "a" and "output" in i)["output"]
    )
    assert words == ["open-call"]


def test_the_output_of_a_custom_tool_is_of_its_kind() -> None:
    custom = item("custom_tool_call", call_id="p", name="apply_patch", input="x")
    search = item("tool_search_call", call_id="s", execution="client", arguments={})
    items, _ = mended(user("Go"), custom, search)
    assert kinds(items)[-2:] == ["custom_tool_call_output", "tool_search_output"]
    items, words = mended(user("Go"), custom, output("p", "done"), assistant("Ok"))
    assert items[2] == {"type": "custom_tool_call_output", "call_id": "p", "output": "done"}
    assert words == ["orphan-result"]


def test_an_output_without_its_call_becomes_plain_words() -> None:
    items, words = mended(user("Go"), output("z", [{"type": "input_text", "text": "found"}]), assistant("Ok"))
    assert items[1]["role"] == "user" and items[1]["content"][0]["text"].endswith("found")
    assert words == ["orphan-result"]
    items, words = mended(user("Go"), compacted("Sum", user("Go"), output("a", "old"), user("Sum")))
    assert kinds(items) == ["message"] * 3


def test_an_output_in_front_of_its_call_is_moved_behind_it() -> None:
    items, words = mended(user("Go"), output("a", "early"), call("a"), assistant("Ok"))
    assert kinds(items) == ["message", "function_call", "function_call_output", "message"]
    assert words == ["result-order"]


def test_ids_are_made_good_and_told_apart() -> None:
    items, words = mended(
        user("Go"), call("x" * 70), output("x" * 70, "1"), call("a"), output("a", "2"),
        call("a"), output("a", "3"), output("a", "4"), call(""), output("", "5"),
    )  # fmt: skip
    calls = [i["call_id"] for i in items if i["type"] == "function_call"]
    outputs = {i["call_id"]: i["output"] for i in items if i["type"] == "function_call_output"}
    assert [outputs[ident] for ident in calls] == ["1", "2", "3", "5"]
    assert all(0 < len(ident) <= 64 for ident in calls) and calls[1] == "a"
    assert words == ["duplicate-call-id", "orphan-result", "unsafe-id"]


def test_names_and_arguments_are_made_good() -> None:
    bad = item("function_call", call_id="a", name="apply patch\0", arguments={"n": 1})
    items, words = mended(user("Go"), bad, output("a"))
    assert (items[1]["name"], items[1]["arguments"]) == ("apply_patch_", '{"n":1}')
    assert words == ["bad-tool-name", "input-not-object"]


def test_reasoning_that_leads_to_nothing_goes_whole() -> None:
    items, words = mended(
        user("Go"), reasoning("1", id="rs_1"), reasoning("2", id="rs_2"), user("On"),
        reasoning("3", id="rs_3"), call("a"), output("a"), reasoning("4", id="rs_4"),
    )  # fmt: skip
    assert [i["id"] for i in items if i["type"] == "reasoning"] == ["rs_3"]
    assert words == ["reasoning-alone"]
    items, words = mended(user("Go"), reasoning("1", None, id="rs_1"), assistant("Ok"))
    assert (kinds(items), words) == (["message", "message"], ["reasoning-lost"])
    items, words = mended(user("Go"), reasoning("1"), user("On"))
    assert (kinds(items), words) == (["message", "reasoning", "message"], [])


def test_a_stage_that_takes_a_call_from_its_reasoning_takes_that_too() -> None:
    session = read(user("Go"), reasoning("1", id="rs_1"), call("a"), output("a"), user("On"), assistant("Ok"))
    kept = changed(session.live, lambda b: None if b.kind in ("tool_use", "tool_result") else b)
    rewriting = rewrite(session, kept)
    assert [notice.word for notice in rewriting.repairs] == ["reasoning-alone"]
    assert kinds(request(read_bytes(written(rewriting)))) == ["message"] * 3


def test_parts_and_roles_are_made_good() -> None:
    wrong = item(
        "message", role="assistant", content=[{"type": "input_text", "text": "a"}, "b", {"type": "x", "y": 1}]
    )
    tool = item("message", role="tool", content=[{"type": "text", "text": "c"}])
    items, words = mended(user("Go"), wrong, tool)
    assert [part["type"] for part in items[1]["content"]] == ["output_text"] * 3
    assert items[2] == {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "c"}]}
    assert words == ["bad-role", "block-order"]


def test_half_characters_and_numbers_that_are_none_are_mended() -> None:
    half = '{"timestamp":"2026-01-02T03:00:00.000Z","type":"response_item","payload":{"type":"message",'
    half += '"role":"user","content":[{"type":"input_text","text":"\\ud83d"}],"n":NaN}}'
    items, words = mended(user("Go"), half)
    assert items[1]["content"][0]["text"] == "\ufffd"
    assert "lone-surrogate" in words


def test_repairs_are_named_with_their_line() -> None:
    session = read(user("Go"), call("a"), user("On"), call("b"), user("Stop"))
    notices = rewrite(session).repairs
    assert [(n.word, n.line) for n in notices] == [("open-call", 3)]
    assert "(2 times)" in notices[0].detail


def test_damage_is_left_behind() -> None:
    torn = lines(meta(), user("Hi"), assistant("Yo"))
    data = b"\xef\xbb\xbf" + torn.replace(b"\n", b"\r\n") + b'{"type":"event_msg","payl'
    session = read_bytes(data)
    rewriting = rewrite(session, session_id=NEW_ID)
    out = written(rewriting)
    assert b"\r" not in out and out.endswith(b"}\n") and not out.startswith(b"\xef")
    assert {"bom", "crlf", "torn-tail"} <= {notice.word for notice in rewriting.repairs}
    assert request(read_bytes(out)) == request(session)
    assert rewriting.dropped == 1


def test_glued_and_broken_records_are_written_on_their_own() -> None:
    good = lines(meta(), user("Hi"), assistant("Yo"), user("Ho")).splitlines()
    data = b"\n".join((good[0], good[1] + good[2], good[3].replace(b"Ho", b"H\no")))
    session = read_bytes(data)
    out = written(rewrite(session, session_id=NEW_ID))
    assert [json.loads(line)["type"] for line in out.splitlines()] == ["session_meta"] + ["response_item"] * 3
    assert request(read_bytes(out)) == request(session)


def test_a_meta_record_without_its_payload_is_no_obstacle() -> None:
    session = read(
        user("Hi"), {"type": "session_meta"}, {"type": "session_meta", "payload": []}, assistant("Yo")
    )
    assert read_bytes(written(rewrite(session, session_id=NEW_ID))).session_id == NEW_ID


ITEMS = st.sampled_from(
    [
        user("u"), assistant("a"), call("x"), call("y"), output("x"), output("y"), output("z"), user("w"),
        reasoning("r", id="rs"), reasoning("s"), rolled_back(1), rolled_back(2), compacted("S"),
        compacted("S", user("u"), call("x"), output("x"), user("S")),
        compacted("", output("y"), reasoning("r", id="q")), item("ghost_snapshot"), item("web_search_call"),
        item("custom_tool_call", call_id="x", name="p", input=""), "{broken",
        user("<environment_context>e</environment_context>"),
    ]
)  # fmt: skip


@given(
    records=st.lists(ITEMS, max_size=12),
    cut=st.integers(0, 6),
    mode=st.integers(0, 3),
    ordinals=st.booleans(),
)
@settings(max_examples=50, deadline=None)
def test_whatever_the_log_says_the_export_is_sound(
    records: list[Value | str], cut: int, mode: int, ordinals: bool
) -> None:
    session = read(*records, ordinals=ordinals)
    story = summary()
    kept = session.live[cut:]
    kept = (story, *kept) if mode > 1 else kept or session.live[:1]
    boundary = story.boundary if mode > 1 else None
    rewriting = rewrite(session, kept, boundary=boundary, drop_old=mode % 2 == 1, session_id=NEW_ID)
    data = written(rewriting)
    again = read_bytes(data)
    if again.live:
        assert broken(again) == []
    assert rewrite(again).repairs == ()
    assert len(rows(data)) == rewriting.kept + rewriting.changed + rewriting.added
    if not {n.word for n in rewriting.repairs} - {"bad-line", "torn-tail"}:
        assert request(again) == request(session, kept)


@pytest.mark.parametrize("name", ["codex-three-turns.jsonl", "codex-compacted.jsonl"])
def test_every_suffix_of_a_real_session_can_follow_a_summary(name: str) -> None:
    session = read_sample(name)
    story = summary()
    for cut in range(1, len(session.live) + 1):
        rewriting = rewrite(session, (story, *session.live[cut:]), boundary=story.boundary)
        again = read_bytes(written(rewriting))
        assert broken(again) == []
        if not rewriting.repairs:
            assert request(again) == request(session, (story, *session.live[cut:]))
