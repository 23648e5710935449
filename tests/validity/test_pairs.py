"""Which result answers which call, over the model's messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.model import Block, Message
from app.validity import PairIndex
from tests.build import assistant, conversation, result, tool, use, user
from tests.validity.made import growth
from tests.validity.test_cases import cases, messages_of


def test_results_in_user_messages_are_paired_with_their_calls() -> None:
    index = PairIndex(
        conversation(
            user("Read two."),
            assistant(use("a", "Read"), use("b", "Read")),
            user(result("b", "2"), result("a", "1")),
        )
    )
    assert index.results_of("m2/0") == ("m3/1",)
    assert index.call_of("m3/0") == "m2/1"
    assert index.partners("m3/0") == ("m3/0", "m2/1")
    assert index.partners("m1/0") == ("m1/0",)
    assert (index.tool_pairs, index.open_calls, index.orphan_results) == (2, (), ())


def test_results_in_tool_messages_are_paired_with_their_calls() -> None:
    index = PairIndex(
        conversation(
            user("Read two."),
            assistant(use("a", "Read"), use("b", "Read")),
            tool(result("a", "1")),
            tool(result("b", "2")),
        )
    )
    assert (index.results_of("m2/0"), index.results_of("m2/1")) == (("m3/0",), ("m4/0",))
    assert index.tool_pairs == 2


def test_halves_are_told_by_key_and_by_id() -> None:
    index = PairIndex(
        conversation(
            user(result("gone", "?"), "Go on."),
            assistant(use("a", "Read"), use("b", "Read")),
            user(result("b", "ok")),
        )
    )
    assert (index.open_calls, index.open_call_ids) == (("m2/0",), ("a",))
    assert (index.orphan_results, index.orphan_result_ids) == (("m1/0",), ("gone",))
    assert index.partners("m2/0") == ("m2/0",)
    assert index.call_of("m1/0") is None


def test_a_result_before_its_call_answers_nothing() -> None:
    index = PairIndex(conversation(user(result("a", "early")), assistant(use("a", "Read"))))
    assert (index.orphan_results, index.open_calls, index.tool_pairs) == (("m1/0",), ("m2/0",), 0)


def test_an_id_used_again_pairs_with_the_nearest_earlier_call() -> None:
    index = PairIndex(
        conversation(
            assistant(use("a", "Read")),
            user(result("a", "1")),
            assistant(use("a", "Read")),
            user(result("a", "2")),
        )
    )
    assert (index.call_of("m2/0"), index.call_of("m4/0")) == ("m1/0", "m3/0")
    assert index.tool_pairs == 1
    assert index.open_calls == ()


def test_a_result_does_not_reach_over_a_nearer_call_to_an_open_one() -> None:
    index = PairIndex(
        conversation(
            assistant(use("a", "Read")),
            user("Stop. Again."),
            assistant(use("a", "Read")),
            user(result("a", "ok")),
        )
    )
    assert (index.call_of("m4/0"), index.open_calls) == ("m3/0", ("m1/0",))


def test_equal_ids_in_one_message_pair_in_order_and_a_surplus_result_joins_the_last() -> None:
    index = PairIndex(
        conversation(
            assistant(use("a", "Read"), use("a", "Grep")),
            user(result("a", "1"), result("a", "2"), result("a", "3")),
        )
    )
    assert index.results_of("m1/0") == ("m2/0",)
    assert index.results_of("m1/1") == ("m2/1", "m2/2")
    assert index.partners("m2/2") == ("m2/2", "m1/1", "m2/1")


def test_a_server_call_is_answered_in_its_own_turn_only() -> None:
    whole = conversation(assistant(use("s", "web_search", server=True), result("s", "hits", server=True)))
    late = conversation(
        assistant(use("s", "web_search", server=True)),
        user("Well?"),
        assistant(result("s", "hits", server=True)),
    )
    index = PairIndex(whole)
    assert (index.server_pairs, index.tool_pairs, index.results_of("m1/0")) == (1, 0, ("m1/1",))
    index = PairIndex(late)
    assert (index.server_pairs, index.open_calls, index.orphan_results) == (0, ("m1/0",), ("m3/0",))


def test_a_client_result_does_not_answer_a_server_call() -> None:
    index = PairIndex(conversation(assistant(use("s", "web_search", server=True)), user(result("s", "hits"))))
    assert (index.open_call_ids, index.orphan_result_ids, index.server_pairs) == (("s",), ("s",), 0)


@pytest.mark.parametrize("name", ["", "lookup"])
def test_a_legacy_call_without_an_id_is_answered_by_a_tool_message(name: str) -> None:
    index = PairIndex(conversation(user("Look."), assistant(use("", "lookup")), tool(result(name, "found"))))
    assert (index.legacy_pairs, index.tool_pairs) == (1, 0)
    assert index.call_of("m3/0") == "m2/0"


def test_a_legacy_call_is_not_answered_under_another_name() -> None:
    index = PairIndex(conversation(assistant(use("", "lookup")), tool(result("other", "found"))))
    assert (index.legacy_pairs, index.open_calls, index.orphan_results) == (0, ("m1/0",), ("m2/0",))


@pytest.mark.parametrize(("path", "case"), [c for c in cases() if c.values[1]["format"] != "gemini"])
def test_the_counts_of_a_case_are_those_of_its_sidecar(path: Path, case: dict[str, Any]) -> None:
    index = PairIndex(conversation(*map(_message, messages_of(path, case))))
    expected = case["expect"]["load"]
    assert index.tool_pairs == expected["tool_pairs"]
    assert index.server_pairs == expected.get("server_pairs", 0)
    assert index.legacy_pairs == expected.get("legacy_pairs", 0)
    assert list(index.open_call_ids) == expected.get("open_calls", [])
    assert list(index.orphan_result_ids) == expected.get("orphan_results", [])


@pytest.mark.parametrize("repeated", [False, True], ids=["own ids", "one id"])
def test_the_time_grows_no_faster_than_the_conversation(repeated: bool) -> None:
    messages: list[Message] = []
    for i in range(10_000):
        name = "a" if repeated else f"a{i}"
        messages += (
            assistant(use(name, "Read", key=f"c{i}"), key=f"m{i}"),
            user(result(name, "ok", key=f"r{i}"), key=f"n{i}"),
        )
    assert PairIndex(messages).open_calls == ()
    assert growth(lambda pairs: PairIndex(messages[: 2 * pairs])) < 35


def _message(raw: dict[str, Any]) -> Message:
    """The halves of pairs of a message in either provider's form; everything else is left out."""
    if raw.get("role") == "tool":
        return tool(result(raw["tool_call_id"], "ok"))
    content = raw.get("content")
    blocks = [block for part in (content if isinstance(content, list) else ()) for block in _halves(part)]
    blocks += [use(call["id"], call["function"]["name"]) for call in raw.get("tool_calls") or ()]
    return assistant(*blocks) if raw.get("role") == "assistant" else user(*blocks)


def _halves(raw: dict[str, Any]) -> Iterator[Block]:
    kind = raw["type"]
    if kind.endswith("tool_use"):
        yield use(raw["id"], raw["name"], server=kind != "tool_use")
    elif kind.endswith("tool_result"):
        yield result(raw["tool_use_id"], "ok", server=kind != "tool_result")
