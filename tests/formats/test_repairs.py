"""Conversations that a provider refuses, and what is written instead."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.anthropic_repairs import mend_anthropic
from app.formats.plain.chat_repairs import mend_openai_chat
from app.formats.repairs import Ids, Mending, scrubbed
from app.validity import check

Messages = list[dict[str, Any]]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAAC0lEQVR42mNgQAUAABAAAaoZ+IIAAAAASUVORK5CYII="


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(ident: Any, name: Any = "Read", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": ident, "name": name, "input": {}, **more}


def result(ident: Any, content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": ident, "content": content, **more}


def image(data: Any = PNG, media: Any = "image/png") -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": media, "data": data}}


def thought(seal: str = "sig") -> dict[str, Any]:
    return {"type": "thinking", "thinking": "hm", "signature": seal}


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def bot(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


HI = {"role": "user", "content": "hi"}


def keyed(messages: Messages) -> list[tuple[str, dict[str, Any]]]:
    return [(f"m{number}", message) for number, message in enumerate(messages)]


def mended(mend: Callable[..., Mending], messages: Messages, **options: Any) -> tuple[Messages, Mending]:
    """The messages after repair; proves on the way that the input is left alone."""
    before = copy.deepcopy(messages)
    plan = mend(lambda: keyed(messages), **options)
    steps = list(plan.run())
    assert messages == before
    after = [step.message for step in steps if step.message is not None]
    assert {step.key for step in steps if step.key is not None} == {key for key, _ in keyed(messages)}
    assert {step.key for step in steps if step.touched and step.key is not None} == plan.touched
    assert sum(step.key is None for step in steps) == plan.made
    assert plan.needed == (after != messages or bool(plan.touched))
    return after, plan


def anthropic(messages: Messages, **options: Any) -> tuple[Messages, set[str]]:
    after, plan = mended(mend_anthropic, messages, **options)
    assert [v for v in check("anthropic", keyed(after)) if v.level == "error"] == []
    return after, {repair.word for repair in plan.repairs}


def chat(messages: Messages, **options: Any) -> tuple[Messages, set[str]]:
    after, plan = mended(mend_openai_chat, messages, **options)
    assert [v for v in check("openai-chat", keyed(after)) if v.level == "error"] == []
    return after, {repair.word for repair in plan.repairs}


GOOD = [
    HI,
    bot(thought(), text("a"), use("t1"), use("t2")),
    user(result("t2", [text("x"), image()]), result("t1", ""), text("and?")),
    bot({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}, text("done")),
    user(text("  spaces stay  "), image()),
    bot(text("ok")),
]  # fmt: skip


def test_a_sound_conversation_comes_back_as_the_very_same_objects() -> None:
    plan = mend_anthropic(lambda: keyed(GOOD))
    assert plan.repairs == ()
    assert not plan.needed
    assert all(step.message is message for step, message in zip(plan.run(), GOOD, strict=True))


def test_an_orphaned_result_becomes_words_and_keeps_its_picture() -> None:
    after, words = anthropic([user(result("gone", [text("42"), image()])), bot(text("a"))])
    assert words == {"orphan-result"}
    first, picture = after[0]["content"]
    assert first["type"] == "text"
    assert "42" in first["text"]
    assert picture == image()


def test_an_open_call_gets_a_result_behind_those_that_are_there() -> None:
    after, words = anthropic([HI, bot(use("a"), use("b")), user(result("b"), text("go on"))])
    assert words == {"open-call"}
    kinds = [(block["type"], block.get("tool_use_id")) for block in after[2]["content"]]
    assert kinds == [("tool_result", "b"), ("tool_result", "a"), ("text", None)]
    assert after[2]["content"][1]["is_error"] is True


def test_an_open_call_at_the_end_gets_a_message_of_its_own() -> None:
    after, words = anthropic([HI, bot(use("a"))])
    assert words == {"open-call"}
    assert after[2]["role"] == "user"


def test_results_spread_over_two_user_messages_are_brought_together() -> None:
    after, words = anthropic(
        [HI, bot(use("a"), use("b")), user(text("note"), result("a")), user(result("b"))]
    )
    assert words == {"result-order"}
    assert [block["type"] for block in after[2]["content"]] == ["tool_result", "tool_result", "text"]
    assert len(after) == 3


def test_a_second_answer_to_one_call_becomes_words() -> None:
    after, words = anthropic([HI, bot(use("a")), user(result("a", "one"), result("a", "two"))])
    assert words == {"orphan-result"}
    assert [block["type"] for block in after[2]["content"]] == ["tool_result", "text"]


def test_ids_are_mapped_on_both_sides_and_never_made_equal() -> None:
    ids = ["call.1", "call_1", "call|1", "", None, "call.1"]
    batch = [bot(*(use(ident) for ident in ids)), user(*(result(ident) for ident in ids))]
    talk = [HI, *batch, bot(use("call_1")), user(result("call_1"))]
    after, words = anthropic(talk)
    assert words == {"unsafe-id", "duplicate-call-id"}
    calls = [block["id"] for message in after for block in message["content"] if "id" in block]
    answers = [
        block["tool_use_id"]
        for message in after[1:]
        for block in message["content"]
        if "tool_use_id" in block
    ]
    assert len(set(calls)) == len(calls) == 7
    assert calls == answers
    assert calls[1] == "call_1"


def test_mapped_ids_are_the_same_on_every_run() -> None:
    talk = [HI, bot(use("a:b")), user(result("a:b"))]
    assert anthropic(talk)[0] == anthropic(talk)[0]


@pytest.mark.parametrize(
    ("message", "word"),
    [
        (bot(text(""), text("a")), "empty-text"),
        (bot(text(" \n"), thought(), text("a")), "empty-text"),
        (bot(text("a"), thought(), text("b")), "block-order"),
        (bot(text("a"), {"type": "thinking", "thinking": "x"}), "thinking-unsigned"),
        (bot(thought(), text("a"), thought()), "thinking-last"),
        (bot(use("a", "no good!"), text("late")), "block-order"),
        (bot(text("a"), {"type": "server_tool_use", "id": "s", "name": "n", "input": {}}), "open-call"),
        (bot({"type": "new_tool_result", "tool_use_id": "s", "content": {}}, text("a")), "orphan-result"),
        (bot(text("a"), image()), "block-order"),
        (bot(text("half \ud83d")), "lone-surrogate"),
        (bot(use("a", input={"n": float("nan")})), "not-finite"),
        (bot(use("a", input="{}")), "input-not-object"),
        (bot(use("a", "x" * 200)), "bad-tool-name"),
        (bot("words", 7), "not-a-record"),
        ({"role": "assistant", "content": None}, "empty-content"),
    ],
)
def test_a_broken_assistant_message_is_mended(message: dict[str, Any], word: str) -> None:
    after, words = anthropic([HI, message, HI, bot(text("end"))])
    assert word in words
    assert after[1]["content"]


def test_a_final_message_of_thinking_alone_goes() -> None:
    after, words = anthropic([HI, bot(thought())])
    assert after == [HI]
    assert words == {"thinking-last"}


def test_only_the_final_assistant_text_loses_its_last_space() -> None:
    after, words = anthropic([user(text(" a ")), bot(text("b ")), user(text(" c ")), bot(text(" d \n"))])
    assert words == {"trailing-space"}
    assert [message["content"][0]["text"] for message in after] == [" a ", "b ", " c ", " d"]


def test_a_conversation_begins_with_the_user() -> None:
    after, words = anthropic([bot(text("a")), HI])
    assert [message["role"] for message in after] == ["user", "assistant", "user"]
    assert words == {"first-role"}


def test_pictures_that_nobody_takes_become_lines_and_others_stay() -> None:
    broken = ["PGh0bWw+", "", "not base64!", None]
    parts = [image(data) for data in broken] + [image(), image(PNG, "image/jpeg")]
    after, words = anthropic([HI, bot(use("a")), user(result("a", parts)), bot(text("b"))])
    assert words == {"image-invalid"}
    kept = after[2]["content"][0]["content"]
    assert [part["type"] for part in kept] == ["text"] * 4 + ["image", "image"]
    assert kept[5]["source"]["media_type"] == "image/png"


def test_of_more_than_a_hundred_pictures_the_newest_stay() -> None:
    after, words = anthropic([user(*(image() for _ in range(103))), bot(text("a"))])
    kinds = [block["type"] for block in after[0]["content"]]
    assert kinds == ["text"] * 3 + ["image"] * 100
    assert words == {"image-too-big"}


def test_an_error_result_holds_text_and_its_picture_stands_behind_all_results() -> None:
    error = result("a", [text("no"), image()], is_error=True)
    after, words = anthropic([HI, bot(use("a"), use("b")), user(error, result("b")), bot(text("c"))])
    assert words == {"error-result-not-text"}
    assert [block["type"] for block in after[2]["content"]] == ["tool_result", "tool_result", "image"]
    assert after[2]["content"][0]["content"][0] == text("no")


def test_at_most_four_marks_of_the_cache_stay_the_newest_ones() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    talk = [
        user(*({**text(str(number)), **mark} for number in range(5))),
        bot({**thought(), **mark}, text("a")),
    ]
    after, words = anthropic(talk)
    assert words == {"cache-marks"}
    assert ["cache_control" in block for block in after[0]["content"]] == [False, True, True, True, True]
    more, _ = anthropic(talk, outer_marks=2)
    assert ["cache_control" in block for block in more[0]["content"]] == [False, False, False, True, True]


def test_runs_of_one_role_are_joined_for_targets_that_ask_for_it() -> None:
    talk = [
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b"},
        bot(text("c")),
        bot(text("d")),
    ]
    after, words = chat(talk, alternate=True)
    assert after == [{"role": "user", "content": "a\n\nb"}, bot(text("c"), text("d"))]
    assert words == {"alternation"}
    assert chat(talk)[0] == talk
    assert len(anthropic(talk, alternate=True)[0]) == 2


def call(*idents: Any, **more: Any) -> dict[str, Any]:
    calls = [{"id": i, "type": "function", "function": {"name": "f", "arguments": "{}"}} for i in idents]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def called(*calls: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def tool(ident: Any, content: Any = "x") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": ident, "content": content}


def function(name: str) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": "{}"}}


def test_what_sdks_write_is_no_fault() -> None:
    talk: Messages = [
        {"role": "developer", "content": "d"},
        {"role": "user", "content": [{"type": "text", "text": "u"}]},
        call("a", "b", refusal=None, audio=None, function_call=None),
        tool("b"), tool("a", [{"type": "text", "text": "r"}]),
        {"role": "assistant", "content": "", "tool_calls": None},
        function("g"), {"role": "function", "name": "g", "content": "1"},
        {"role": "assistant", "content": None, "refusal": "no"},
    ]  # fmt: skip
    plan = mend_openai_chat(lambda: keyed(talk))
    assert plan.repairs == ()
    assert all(step.message is message for step, message in zip(plan.run(), talk, strict=True))


def test_answers_are_brought_behind_their_call() -> None:
    after, words = chat([call("a", "b"), tool("a"), HI, tool("b"), call("a"), tool("a")])
    assert words == {"result-order"}
    assert [message.get("tool_call_id") for message in after[1:3]] == ["a", "b"]
    assert after[3] == HI


def test_what_is_unanswered_gets_an_answer_and_what_answers_nothing_becomes_words() -> None:
    after, words = chat(
        [tool("x", "42"), call("a"), tool("a"), tool("a", "again"), call("b"), HI, function("g")]
    )
    assert words == {"orphan-result", "open-call"}
    assert [message["role"] for message in after] == [
        "user", "assistant", "tool", "user", "assistant", "tool", "user", "assistant", "function",
    ]  # fmt: skip
    assert "42" in after[0]["content"]
    assert "again" in after[3]["content"]


def test_long_ids_are_shortened_alike_on_both_sides_and_stay_apart() -> None:
    one, two = "x" * 50 + "1", "x" * 50 + "2"
    after, words = chat([call(one, two), tool(two, "second"), tool(one, "first")])
    assert words == {"unsafe-id"}
    short = [each["id"] for each in after[0]["tool_calls"]]
    assert len(set(short)) == 2
    assert max(map(len, short)) <= 40
    assert [message["tool_call_id"] for message in after[1:]] == short[::-1]


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ({"role": "user", "content": None}, "empty-content"),
        ({"role": "user"}, "empty-content"),
        ({"role": "user", "content": []}, "empty-content"),
        ({"role": "user", "content": {"a": 1}}, "empty-content"),
        ({"role": "user", "content": ["a", 7, {"type": "text"}]}, "not-a-record"),
        ({"role": "user", "content": "a", "name": "a b"}, "bad-name"),
        ({"role": "user", "content": "a", "name": 7}, "bad-name"),
        ({"role": "assistant", "content": "a", "tool_calls": []}, "empty-content"),
        ({"role": "assistant", "content": "a", "tool_calls": "x"}, "empty-content"),
        ({"role": "assistant", "content": None, "tool_calls": [7]}, "not-a-record"),
        ({"role": "assistant", "content": None, "function_call": 7}, "block-order"),
        (called({"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}), "input-not-object"),
        (called({"id": "a", "type": "custom", "custom": {"name": "é", "input": None}}), "bad-tool-name"),
        (call("a", "a"), "duplicate-call-id"),
        (call(""), "unsafe-id"),
    ],
)  # fmt: skip
def test_a_broken_chat_message_is_mended(message: dict[str, Any], word: str) -> None:
    assert word in chat([HI, message, HI])[1]


IDENTS = st.sampled_from(["a", "b", "c.d", "c_d", "", None, "x" * 50, 7])
TEXTS = st.sampled_from(["", " ", "a", "b ", "\ud800", "é"])
BLOCKS = st.one_of(
    TEXTS.map(text),
    IDENTS.map(use),
    IDENTS.map(result),
    st.builds(result, IDENTS, st.lists(st.one_of(TEXTS.map(text), st.just(image()), st.none()), max_size=2),
              is_error=st.booleans()),
    st.sampled_from(["sig", ""]).map(thought),
    st.sampled_from([PNG, "", "PGh0bWw+"]).map(image),
    IDENTS.map(lambda i: {"type": "server_tool_use", "id": i, "name": "n", "input": {}}),
    IDENTS.map(lambda i: {"type": "web_search_tool_result", "tool_use_id": i, "content": []}),
    st.sampled_from([7, None, "s", {}, {"type": "document"}, {"type": "new"}]),
)  # fmt: skip
ANTHROPIC = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant"]),
            "content": st.one_of(TEXTS, st.none(), st.lists(BLOCKS, max_size=5)),
        }
    ),
    min_size=1,
    max_size=6,
)
CHAT = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant", "tool", "function"])},
        optional={
            "content": st.one_of(
                TEXTS, st.none(), st.just(7), st.lists(st.one_of(TEXTS, TEXTS.map(text)), max_size=2)
            ),
            "tool_calls": st.one_of(
                st.none(), st.lists(IDENTS.map(lambda i: call(i)["tool_calls"][0]), max_size=3)
            ),
            "tool_call_id": IDENTS,
            "name": st.sampled_from(["g", "h h", 7, None]),
            "function_call": st.sampled_from([None, {"name": "g", "arguments": "{}"}, {"name": "h h"}]),
        },
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=50, deadline=None)
@given(ANTHROPIC, st.booleans())
def test_whatever_is_broken_is_mended_once_and_for_all(messages: Messages, alternate: bool) -> None:
    after, _ = anthropic(messages, alternate=alternate)
    again, words = anthropic(after, alternate=alternate) if after else ([], set())
    assert again == after
    assert words == set()


@settings(max_examples=50, deadline=None)
@given(CHAT, st.booleans())
def test_whatever_is_broken_in_a_chat_is_mended_once_and_for_all(messages: Messages, alternate: bool) -> None:
    after, _ = chat(messages, alternate=alternate)
    again, words = chat(after, alternate=alternate)
    assert again == after
    assert words == set()


def test_scrubbing_leaves_sound_values_alone_and_keys_apart() -> None:
    value = {"a": [1, {"b": "\U0001f600"}]}
    assert scrubbed(value)[0] is value
    assert scrubbed({"k\ud800": [float("inf"), {"x": "\udfff"}]}) == (
        {"k\ufffd": [None, {"x": "\ufffd"}]}, ("lone-surrogate",),
    )  # fmt: skip
    assert scrubbed([float("-inf"), "a"]) == ([None, "a"], ("not-finite",))


def test_an_id_that_looks_like_a_mapped_one_is_kept_apart() -> None:
    ids = Ids()
    mapped = ids.take("a.b")
    assert ids.take(mapped) != mapped
