"""Our stages do what the recorded pipelines do, or better where those do harm."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle_adapter import run
from tests.recorded import cases, disagreements, plain

REACT_MINI = [case for case in cases("000") if case["verdict"] != "extra"]


@pytest.mark.parametrize("case", REACT_MINI, ids=[case["name"] for case in REACT_MINI])
def test_react_mini_agrees_with_the_recording(case: dict[str, Any]) -> None:
    assert disagreements(run, case) == []


def _after(name: str) -> list[dict[str, Any]]:
    case = next(case for case in REACT_MINI if case["name"] == name)
    params = {**case["params"], "env": case["env"]}
    return plain(run("000", case["stage"], params, case["messages"])["messages"])


def _texts(messages: list[dict[str, Any]]) -> list[str]:
    return [
        "+".join(
            block.get("text") or block.get("name") or "".join(part["text"] for part in block["content"])
            for block in message["content"]
        )
        for message in messages
    ]


# What changes is spelled out where the recording only names facts: an idle stage would pass those.


def test_a_cut_by_utf16_units_moves_back_to_a_whole_character() -> None:
    assert _texts(_after("budget-utf16-split"))[-1] == "123456789\n…[tool_result 已截断（compact）]"


def test_only_the_placeholders_that_are_shorter_are_made() -> None:
    texts = _texts(_after("micro-tool-names-default"))
    cleared = [text for text in texts if text.startswith("[Old tool result content cleared]")]
    assert cleared == []  # every result of that case has 40 characters, every placeholder more


def test_the_first_request_stands_in_front_of_the_tail() -> None:
    assert _texts(_after("retain-one-over-default"))[:3] == ["问题0", "问题1", "Read"]
    assert _texts(_after("retain-drops-first-user-default"))[0] == "ORIGINAL TASK"
    assert len(_after("retain-drops-first-user-default")) == 5
    assert _texts(_after("retain-empty-user-is-cut-default")) == ["q", "", "b"]
    assert _texts(_after("retain-mixed-user-not-cut-default")) == ["q", "last"]


@pytest.mark.parametrize("name", ["pipe-all-three-default", "pipe-budget-note-feeds-estimate-default"])
def test_the_whole_pipeline_shrinks_the_conversation(name: str) -> None:
    case = next(case for case in REACT_MINI if case["name"] == name)
    after = _after(name)
    assert len(after) < len(case["messages"]) and _texts(after)[0] == _texts(plain(case["messages"]))[0]
