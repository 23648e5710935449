"""What the tables do not show: rules that several together, an original, or sheer size bring about."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.validity import Options, check_anthropic
from app.validity.base import Location, Report
from app.validity.json_values import examine
from tests.validity.made import assistant, call, paired, result, text, thinking, user

X, Y = thinking("x", "sig-x"), thinking("y", "sig-y")
OPEN_LOOP = [
    user(text()),
    assistant(X, call("a")),
    user(result("a")),
    assistant(Y, call("b")),
    user(result("b")),
]


def rules(messages: list[Any], **options: Any) -> list[str]:
    return [violation.rule for violation in check_anthropic(paired(messages), Options(**options))]


def test_findings_come_in_message_order_whenever_they_were_made() -> None:
    messages = [
        user(text()),
        assistant(call("a")),
        user(text("")),
        assistant(text("so ")),
        "x",
        assistant(text("y ")),
    ]
    found = check_anthropic(paired(messages))
    assert [(v.rule.removeprefix("anthropic."), v.key) for v in found] == [
        ("open-call", "k1"),
        ("empty-text", "k2"),
        ("shape.not-a-message", "k4"),
        ("split-turn", "k5"),
        ("trailing-space", "k5"),
    ]


def test_messages_of_one_role_are_one_turn() -> None:
    split = [user(text()), assistant(thinking("x", "s")), assistant(call("a")), user(result("a"))]
    assert rules(split) == ["anthropic.split-turn"]


def test_a_system_message_parts_a_call_from_its_result() -> None:
    messages = [user(text()), assistant(call("a")), {"role": "system", "content": "x"}, user(result("a"))]
    assert rules(messages) == ["anthropic.open-call", "anthropic.mid-system", "anthropic.orphan-result"]


def test_details_hold_only_the_start_of_session_text() -> None:
    messages = [user(text()), assistant({**call("a"), "name": "n" * 10_000}), user(result("a"))]
    assert len(check_anthropic(paired(messages))[0].detail) < 100


@pytest.mark.parametrize(
    "after",
    [
        OPEN_LOOP,
        [user(text("The task so far ...")), *OPEN_LOOP[3:]],
        [user(text()), assistant(X, call("a")), user(result("a")), assistant(call("b")), user(result("b"))],
        [user(text()), assistant(call("a")), user(result("a")), assistant(Y, call("b")), user(result("b"))],
        [user(text("The task so far ..."))],
        [*OPEN_LOOP, assistant(text("Done.")), user(text("Next."))],
    ],
    ids=["same", "old part summarised", "newest dropped", "older dropped", "all summarised", "went on"],
)
def test_thinking_may_be_kept_or_left_out_whole(after: list[Any]) -> None:
    assert rules(after, before=paired(OPEN_LOOP)) == []


def test_an_open_loop_may_not_lose_all_its_thinking() -> None:
    after = [user(text()), assistant(call("a")), user(result("a")), assistant(call("b")), user(result("b"))]
    assert rules(after, before=paired(OPEN_LOOP)) == ["anthropic.thinking-missing"]
    assert rules([*after, assistant(text("Done.")), user(text())], before=paired(OPEN_LOOP)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([*OPEN_LOOP[:3], assistant(text("Done."))], [user(text()), assistant(text("Done."))]),
        (OPEN_LOOP, [user(text()), assistant(call("a")), user(result("a")), assistant(text("Done."))]),
        ([user(text()), assistant(call("a")), user(result("a"))],) * 2,
    ],
    ids=["ended before", "ended since", "never thought"],
)
def test_thinking_is_missed_only_where_a_loop_goes_on(before: list[Any], after: list[Any]) -> None:
    assert rules(after, before=paired(before)) == []


def test_a_model_that_skips_thinking_between_two_calls_is_no_loss() -> None:
    loop = [user(text()), assistant(X, call("a")), user(result("a")), assistant(call("b")), user(result("b"))]
    assert rules(loop, thinking="on") == []


def test_a_block_that_stands_in_two_turns_is_measured_by_the_one_it_matches() -> None:
    before = [user(text()), assistant(X, text()), user(text()), assistant(X, text(), Y, text())]
    assert rules(before[:2], before=paired(before)) == []


def test_thinking_that_was_put_in_is_no_block_of_the_original() -> None:
    before = paired([user(text()), assistant(text())])
    assert rules([user(text()), assistant(X, text())], before=before) == ["anthropic.thinking-altered"]


def test_an_original_full_of_damage_is_no_obstacle() -> None:
    before: list[Any] = [5, None, {"content": [5]}, {"role": "assistant", "content": [X, 7]}]
    assert rules([user(text()), assistant(X, text())], before=paired(before)) == []


def test_the_size_of_a_request_is_that_of_its_json() -> None:
    half = user(text("x" * (17 * 1024 * 1024)))
    assert rules([half, assistant(text()), half]) == ["anthropic.request-size"]
    assert rules([half, assistant(text())]) == []


def test_cache_marks_of_the_system_prompt_and_the_tools_count() -> None:
    marked = [user({**text(), "cache_control": {"type": "ephemeral"}})]
    assert rules(marked, outer_marks=3) == []
    assert rules(marked, outer_marks=4) == ["anthropic.cache-control-count"]


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, -20, 1.5, True, False, None, ""], "b": {}, "c": []},
        'quotes " and \\ and \n and \x01',
        "漢字 and 👩\u200d💻",
        [[[["deep"]]], {"key \u00fc": {"x": 10}}],
    ],
)
def test_a_size_is_counted_without_writing_the_json(value: Any) -> None:
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    assert examine(value, Location(0, "k"), Report()) == len(written)
