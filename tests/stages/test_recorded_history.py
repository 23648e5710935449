"""Our stages that cut history and write summaries do what the recorded pipelines do, or better."""

from __future__ import annotations

from typing import Any

import pytest

from app.errors import BadPipeline
from tests.oracle_adapter import run
from tests.recorded import cases, disagreements, plain

HISTORY = [
    *cases("000", "autocompact", "after_boundary"),
    *cases("001", "full", "session_memory", "auto", "summary", "pair_cut", "reactive", "pipeline"),
    *cases("002", "snip", "history", "reactive", "pipeline"),
]


def _name(case: dict[str, Any]) -> str:
    return f"{case['seed']}-{case['stage']}-{case['name']}"


@pytest.mark.parametrize("case", HISTORY, ids=map(_name, HISTORY))
def test_stages_agree_with_the_recording(case: dict[str, Any]) -> None:
    assert disagreements(run, case) == []


def _after(seed: str, name: str) -> list[dict[str, Any]]:
    case = next(case for case in HISTORY if (case["seed"], case["name"]) == (seed, name))
    given = {**case["params"], "env": case["env"]}
    return plain(run(seed, case["stage"], given, case["messages"])["messages"])


def _said(messages: list[dict[str, Any]]) -> list[str]:
    """Each message in a few words: the start of its texts, its calls and results by id."""
    return ["+".join(map(_word, message["content"])) for message in messages]


def _word(block: dict[str, Any]) -> str:
    match block["type"]:
        case "tool_use":
            return f"call {block['id']}"
        case "tool_result":
            return f"result {block['tool_use_id']}"
        case _:
            return str(block["text"])[:17].strip()


# What changes is spelled out where the recording only names facts: an idle stage would pass those.

MEMORY = "[Context compacte"
TAIL_OF_FIVE = ["answer 19 aaaaa", "please do task 20", "call t21", "result t21", "answer 23 aaaaa"]


@pytest.mark.parametrize("name", ["sm-small-total", "sm-fits-window-tail-empty", "sm-min-keep-over-max"])
def test_the_last_five_stay_beside_the_memory(name: str) -> None:
    after = _after("001", name)
    assert _said(after) == ["You are helpful", MEMORY, *TAIL_OF_FIVE]
    tokens = {"sm-small-total": 9612, "sm-fits-window-tail-empty": 36012, "sm-min-keep-over-max": 60012}
    assert after[1]["content"][0]["text"] == (
        "[Context compacted at 14:32:15 via Session Memory]\n"
        f"Messages removed: 19. Tokens before: ~{tokens[name]}\n\n"
        "## Project Memory & Context\n\nMEM\n\n--- Recent conversation continues below ---"
    )


def test_the_hard_cut_keeps_the_first_request_behind_its_marker() -> None:
    few = _after("001", "reactive-aggressive-few-default")
    assert _said(few) == [
        "You are helpful",
        "[Context aggressi",
        "please do task 0",
        "please do task 4",
        "call t5",
        "result t5",
    ]
    assert few[1]["content"][0]["text"] == (
        "[Context aggressively truncated for recovery — attempt 1]\n"
        "Earlier conversation was removed to fit context limits."
    )
    long = _said(_after("001", "reactive-aggressive-attempt-1-default"))
    assert long[:4] == [*_said(few)[:3], "please do task 28"] and len(long) == 15
    assert _said(_after("001", "reactive-no-auto"))[2:5] == ["please do task 0", "call t13", "result t13"]


def test_an_earlier_marker_hands_its_count_on() -> None:
    after = _said(_after("002", "snip-again-after-6-more"))
    assert after[:5] == ["u0", "a1", "u2", "[snipped 36 messa", "a39"]
    assert after[-2:] == ["new 4", "new 5"] and len(after) == 51


@pytest.mark.parametrize(
    ("name", "between"),
    [
        ("snip-head-pair-v1", ["call h", "result h", "[snipped 3 messag", "a7"]),
        ("snip-tail-pair-v1", ["u2", "[snipped 3 messag", "call t", "result t"]),
        ("snip-tail-second-result-v1", ["u2", "[snipped 2 messag", "call t+call s", "result t"]),
    ],
)
def test_a_snip_leaves_pairs_whole_at_both_ends(name: str, between: list[str]) -> None:
    assert _said(_after("002", name))[2:6] == between


@pytest.mark.parametrize("name", ["snip-max-3-v1", "snip-max-3-v1b"])
def test_a_limit_that_leaves_no_tail_is_refused(name: str) -> None:
    with pytest.raises(BadPipeline, match=r"snip\.max_messages of 3 leaves no tail"):
        _after("002", name)


def test_the_last_resort_keeps_a_tail_of_whole_pairs_or_none() -> None:
    assert _said(_after("002", "reactive-9-v1")) == [
        "[Reactive compact", "call r", "result r", "a5", "u6", "a7", "u8",
    ]  # fmt: skip
    for name in ("reactive-5-v1", "reactive-5-v1b"):
        [only] = _after("002", name)
        assert only["content"][0]["text"] == "[Reactive compact]\n\nSUMMARY-TEXT"


def test_snip_and_micro_work_on_what_the_other_left() -> None:
    after = _said(_after("002", "prepare-snip-micro-v1"))
    assert after[3:6] == ["result p1", "[snipped 10 messa", "call p7"] and len(after) == 52
