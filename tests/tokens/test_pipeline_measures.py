"""The seeds' own measures agree with what their programs computed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import BadPipeline
from app.model import Held, HeldValue, Role, ToolUse
from app.tokens import ESTIMATORS, estimator
from app.tokens.pipeline_measures import MiniCodeEstimator, Utf16Estimator
from tests.build import assistant, conversation, image, opaque, result, system, thinking, tool, use, user
from tests.recorded import cases
from tests.recorded_runs.neutral import to_model

Json = dict[str, Any]

RECORDED = [
    pytest.param(messages, report[key], id=f"{case['name']} {key}")
    for case in cases("000")
    for report in [case.get("expected_report") or {}]
    for key, messages in (("size_before", case["messages"]), ("size_after", case["expected"]))
    if key in report and messages is not None
]


@pytest.mark.parametrize(("messages", "size"), RECORDED)
def test_utf16_agrees_with_the_recording(messages: list[Json], size: int) -> None:
    assert estimator("utf16").total(to_model(messages)) == size


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ({"n": 1.0}, '{"n":1}'),
        ({"n": -0.0, "m": [2.0, 2.5]}, '{"n":0,"m":[2,2.5]}'),
        ({"n": 1e20}, '{"n":100000000000000000000}'),
        ({"n": 1e21}, '{"n":1e+21}'),
        ({"s": 'é\u2028\n"', "t": True, "x": None}, '{"s":"é\u2028\\n\\"","t":true,"x":null}'),
        ({}, "{}"),
    ],
)
def test_utf16_prints_an_input_as_javascript_does(value: Json, printed: str) -> None:
    assert estimator("utf16").block(use("c", "Read", value)) == len("Read") + len(printed)


@settings(max_examples=50, deadline=None)
@given(text=st.text(st.sampled_from("ab😀的\ud83d\ude00🎉"), max_size=30), length=st.integers(-1, 40))
def test_utf16_cut_is_the_longest_start_that_fits(text: str, length: int) -> None:
    measure = Utf16Estimator()
    cut = measure.cut(text, length)
    assert text.startswith(cut)
    assert measure.length(cut) <= max(length, 0)
    if len(cut) < len(text):
        assert measure.length(text[: len(cut) + 1]) > length


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0), ("a", 1), ("abc", 1), ("abcdefgh", 2), ("好", 1), ("好好", 1), ("好好好", 2), ("好a", 1),
        ("こんにちは", 3), ("カタカナ", 2), ("한국어", 2), ("，。！", 1), ("😀" * 4, 1), ("é" * 8, 2),
        ("混合 mixed 文本 text", 5),
    ],
)  # fmt: skip
def test_minicode_text(text: str, tokens: int) -> None:
    assert MiniCodeEstimator().text(text) == tokens
    assert estimator("minicode").block(result("c", text)) == tokens


def test_minicode_adds_an_overhead_per_entry() -> None:
    measure = MiniCodeEstimator()
    call = use("c", "read_file", {"file_path": "src/f1.py"})
    assert measure.block(call) == len('{"file_path": "src/f1.py"}') // 4
    sizes = [
        measure.message(message)
        for message in (
            system("abcd"), user("abcd"), assistant("abcd"), assistant(call), user(result("c", "abcd")),
            user(result("c", "abcd"), result("d", "abcd"), "abcd"),
        )
    ]  # fmt: skip
    assert sizes == [4, 5, 4, 7 + 6, 7, 7 + 7 + 5]


def test_minicode_gives_an_empty_entry_nothing() -> None:
    measure = MiniCodeEstimator()
    assert measure.message(user("", result("c"))) == 0
    assert measure.message(assistant(use("c", "now", {}))) == 0


def test_minicode_escapes_an_input_as_its_program_does() -> None:
    printed = r'{"q": "\u597d\u597d\u597d\u597d"}'
    assert estimator("minicode").block(use("c", "x", {"q": "好好好好"})) == len(printed) // 4


def _neutral() -> list[Json]:
    arguments = {"path": "a.py", "n": [1, 2.5, None]}
    failed = {"type": "tool_result", "tool_use_id": "c", "content": "x = 1\n", "is_error": True}
    return [
        {"role": "user", "content": [{"type": "text", "text": 'Say "hi"\n你好 \ud83d'}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "so\tthen"},
                {"type": "tool_use", "id": "c", "name": "Read", "input": arguments},
            ],
        },
        {"role": "user", "content": [failed]},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "d",
                    "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
                }
            ],
        },
        {"role": "assistant", "content": []},
    ]


@pytest.mark.parametrize("count", range(6))
def test_json_chars_is_the_length_of_the_json(count: int) -> None:
    neutral = _neutral()[:count]
    expected = len(json.dumps(neutral, ensure_ascii=False))
    assert estimator("json-chars").total(to_model(neutral)) == expected


def test_chars_are_code_points_of_text() -> None:
    measure = estimator("chars")
    block = result("c", "a😀", image("A" * 400), "的")
    assert measure.block(block) == 3
    assert measure.message(user(block, "xy")) == 5
    assert measure.cut("a😀的", 2) == "a😀"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_takes_every_block(name: str) -> None:
    messages = conversation(
        system("You are a coder."),
        user("Hi", image(), opaque("new", '{"type":"new"}')),
        assistant(thinking("hm"), "text", use("c", "Read", {"a": 1}), use("d", "Bad", "{not json")),
        user(result("c"), result("d", "x", image(), opaque("tool_reference"))),
    )
    measure = estimator(name, model="claude-opus-4-7")
    assert measure.name == name
    assert measure.unit and measure.describe()
    assert measure.total(messages) >= sum(map(measure.message, messages)) > 0
    assert measure.total(()) >= 0
    assert measure.length(measure.cut("some words", 4)) == 4


def test_hostile_inputs_are_measured() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for name in ESTIMATORS:
        measure = estimator(name)
        broken = ToolUse("k", "c", "Read", Held("{"))
        assert measure.block(broken) >= 0
        if name in ("utf16", "minicode", "json-chars"):
            with_depth = ToolUse("k", "c", "Read", _Deep(deep))
            assert measure.block(with_depth) > 0


class _Deep(HeldValue):
    """A value too deep to be printed as JSON; its text is still there."""

    def read(self) -> str:
        return "[" * 100

    @property
    def chars(self) -> int:
        return 100


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadPipeline, match="tokens, rough, utf16"):
        estimator("bytes")


def test_an_openai_result_message_is_a_result() -> None:
    message = tool(result("c", "abcd"))
    assert message.role is Role.TOOL
    assert estimator("minicode").message(message) == 7
