"""Our stages do what the recorded pipelines do, or better where those do harm."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle_adapter import run
from tests.recorded import cases, disagreements, plain

RESULTS = [
    *cases("000", "budget", "micro", "retain", "pipeline"),
    *cases("001", "budget", "micro", "dedup", "estimate"),
    *cases("002", "budget", "micro", "fit"),
    *cases("003"),
]


def _name(case: dict[str, Any]) -> str:
    return f"{case['seed']}-{case['stage']}-{case['name']}"


@pytest.mark.parametrize("case", RESULTS, ids=map(_name, RESULTS))
def test_stages_agree_with_the_recording(case: dict[str, Any]) -> None:
    assert disagreements(run, case) == []


def _after(seed: str, name: str, **params: Any) -> list[dict[str, Any]]:
    case = next(case for case in RESULTS if (case["seed"], case["name"]) == (seed, name))
    given = {**case["params"], "env": case["env"], **params}
    return plain(run(seed, case["stage"], given, case["messages"])["messages"])


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
    assert _texts(_after("000", "budget-utf16-split"))[-1] == "123456789\n…[tool_result 已截断（compact）]"


def test_only_the_placeholders_that_are_shorter_are_made() -> None:
    texts = _texts(_after("000", "micro-tool-names-default"))
    cleared = [text for text in texts if text.startswith("[Old tool result content cleared]")]
    assert cleared == []  # every result of that case has 40 characters, every placeholder more


def test_the_first_request_stands_in_front_of_the_tail() -> None:
    assert _texts(_after("000", "retain-one-over-default"))[:3] == ["问题0", "问题1", "Read"]
    assert _texts(_after("000", "retain-drops-first-user-default"))[0] == "ORIGINAL TASK"
    assert len(_after("000", "retain-drops-first-user-default")) == 5
    assert _texts(_after("000", "retain-empty-user-is-cut-default")) == ["q", "", "b"]
    assert _texts(_after("000", "retain-mixed-user-not-cut-default")) == ["q", "last"]


@pytest.mark.parametrize("name", ["pipe-all-three-default", "pipe-budget-note-feeds-estimate-default"])
def test_the_whole_pipeline_shrinks_the_conversation(name: str) -> None:
    case = next(case for case in RESULTS if case["name"] == name)
    after = _after("000", name)
    assert len(after) < len(case["messages"]) and _texts(after)[0] == _texts(plain(case["messages"]))[0]


def test_a_list_is_saved_by_its_text() -> None:
    head = (
        "[Tool result persisted to disk — 500 chars]\n"
        "Tool: read_file\n"
        "Path: read_file_0_1750000000125.txt\n"
        "\n"
        "--- Preview (first/last lines) ---\n"
    )
    assert _texts(_after("001", "budget-list-content-short")) == [head + "q" * (500 - len(head))]


CLEARED_BY_TIME = "[Old tool result content cleared by time-based microcompact]"


def test_keeping_none_clears_all() -> None:
    assert _texts(_after("001", "micro-keep-zero")) == [CLEARED_BY_TIME, CLEARED_BY_TIME]


def test_results_given_as_lists_are_cleared_too() -> None:
    assert _texts(_after("001", "micro-list-content")) == [CLEARED_BY_TIME, "x", "x", "x", "x", "x"]


def test_repeated_reads_name_the_first_one() -> None:
    stub = (
        "[Read deduplicated: a.py]\nFile unchanged since last read. The content from the earlier Read"
        " tool_result in this conversation is still current — refer to that instead.\n"
        "(Original content at message index 2)"
    )
    assert _texts(_after("001", "dedup-agent-loop-order"))[4::2] == [stub, stub]
    assert [text == stub for text in _texts(_after("001", "dedup-ops"))[2::2]] == [
        False,
        True,
        False,  # another spelling of the path
        False,  # the file changed
        False,  # and changed back
    ]


def test_unsafe_ids_make_safe_names() -> None:
    assert _texts(_after("002", "budget-unsafe-id-v1"))[-1] == (
        "<persisted-output>\nFull output: /oracle/dir/.task_outputs/tool-results/call_.._x_y_1.txt\n"
        f"Preview:\n{'z' * 40}\n</persisted-output>"
    )


def test_a_saved_result_keeps_its_path_when_it_is_cleared() -> None:
    assert _texts(_after("002", "micro-persisted-v1"))[1] == "[Earlier tool result saved at /data/x.txt]"


def test_a_quoted_marker_does_not_spare_a_result() -> None:
    quoting = _after("003", "pre-marked")[2]["content"][1]["content"]
    assert quoting[0]["text"] == "quoting: tool result middle pruned"
    assert quoting[1]["text"] == f"{'y' * 4062}\n\n[... tool result middle pruned ...]\n\n{'y' * 1024}"
