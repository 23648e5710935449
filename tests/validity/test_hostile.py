"""Nothing that stands in a message makes a checker raise, and no size makes it slow."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.validity import CHECKERS, Options, check, check_anthropic, check_openai_chat
from tests.validity.made import assistant, call, growth, paired, result, text, thinking, user

NAMES = (
    "role",
    "content",
    "type",
    "text",
    "id",
    "tool_use_id",
    "name",
    "input",
    "is_error",
    "thinking",
    "signature",
    "data",
    "source",
    "media_type",
    "cache_control",
    "tool_calls",
    "tool_call_id",
    "function",
    "function_call",
    "arguments",
    "custom",
    "refusal",
    "parts",
    "functionCall",
    "functionResponse",
    "thought",
)
WORDS = (
    "",
    " ",
    "user",
    "assistant",
    "system",
    "tool",
    "function",
    "text",
    "image",
    "base64",
    "image/png",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "tool_result",
    "server_tool_use",
    "x_tool_result",
    "a",
    "{",
    "\ud800",
    "/9j/",
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.builds(lambda: 10**5000),
    st.floats(),
    st.sampled_from(WORDS),
    st.text(max_size=5),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=6)
    ),
    max_leaves=25,
)


@pytest.mark.parametrize("validity", CHECKERS)
@given(messages=st.lists(VALUES, max_size=6), before=st.lists(VALUES, max_size=3), on=st.booleans())
@settings(max_examples=50, deadline=None)
def test_no_value_anywhere_raises(validity: str, messages: list[Any], before: list[Any], on: bool) -> None:
    options = Options("on" if on else "auto", alternate=on, before=list(paired(before)))
    found = check(validity, paired(messages), options)
    assert found == check(validity, paired(messages), options)
    positions = [int(v.where[9 : v.where.index("]")]) for v in found if v.where != "messages"]
    assert positions == sorted(positions)
    assert all(f"k{position}" == v.key for position, v in zip(positions, found, strict=False))


@pytest.mark.parametrize("validity", CHECKERS)
@given(data=st.data())
@settings(max_examples=50, deadline=None)
def test_no_damaged_value_in_a_good_message_raises(validity: str, data: st.DataObject) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    good = [
        user(text(), {"type": "image", "source": source}),
        assistant(thinking("x", "s"), call("a")),
        user(result("a")),
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "f"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "ok"}}}]},
    ]
    message = data.draw(st.sampled_from(good))
    holders: list[Any] = [message]
    for holder in holders:
        holders += [value for value in _values(holder) if isinstance(value, dict | list)]
    holder = data.draw(st.sampled_from([holder for holder in holders if holder]))
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    holder[data.draw(st.sampled_from(keys))] = data.draw(VALUES)
    check(validity, paired(good), Options(before=list(paired(good))))


@pytest.mark.parametrize("validity", CHECKERS)
def test_no_depth_of_nesting_is_too_deep(validity: str) -> None:
    deep: Any = float("nan")
    for _ in range(50_000):
        deep = {"a": [deep]}
    message = {"role": "user", "content": "x", "parts": [{"text": "x"}], "more": deep}
    found = check(validity, paired([message]))
    assert [v.rule for v in found] == ["json.not-finite"]
    assert len(found[0].where) < 100


def test_hostile_names_of_fields_are_written_out_in_plain_signs() -> None:
    message = {"role": "user", "content": "x", "\x1b]52;c;[/x]\n" * 99: "\ud800"}
    where = check_anthropic(paired([message]))[0].where
    assert where.isascii() and where.isprintable() and len(where) < 400


def _anthropic(messages: int) -> Iterator[tuple[str, Any]]:
    for i in range(0, messages, 4):
        turn = (
            user(text("Go on.")),
            assistant(thinking("hm", f"s{i}"), call(f"t{i}")),
            user(result(f"t{i}")),
            assistant(text("Done.")),
        )
        for j, message in enumerate(turn):
            yield f"m{i + j}", message


def _openai_chat(messages: int) -> Iterator[tuple[str, Any]]:
    for i in range(0, messages, 4):
        function = {"name": "read", "arguments": '{"path":"a.py"}'}
        turn: tuple[Any, ...] = (
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": None, "tool_calls": [{"id": f"t{i}", "function": function}]},
            {"role": "tool", "tool_call_id": f"t{i}", "content": "ok"},
            {"role": "assistant", "content": "Done."},
        )
        for j, message in enumerate(turn):
            yield f"m{i + j}", message


def _one_turn(messages: int) -> Iterator[tuple[str, Any]]:
    for i in range(messages):
        yield f"m{i}", user(result("lost"))


@pytest.mark.parametrize(
    ("checker", "made"),
    [(check_anthropic, _anthropic), (check_openai_chat, _openai_chat), (check_anthropic, _one_turn)],
)
def test_the_time_grows_no_faster_than_the_conversation(checker: Any, made: Any) -> None:
    assert growth(lambda messages: checker(made(messages), Options())) < 35


def _values(holder: Any) -> list[Any]:
    return list(holder.values()) if isinstance(holder, dict) else list(holder)


@pytest.mark.slow
def test_a_hundred_thousand_messages_are_checked_in_seconds() -> None:
    start = time.process_time()
    assert check_anthropic(_anthropic(100_000), Options(before=_anthropic(100_000))) == []
    assert check_openai_chat(_openai_chat(100_000)) == []
    assert time.process_time() - start < 30
