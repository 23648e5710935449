"""What the checker of Responses items does beside its table: options, order, size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.validity import Options, check_openai_responses
from tests.validity.made import growth, paired

SAYS = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}


def call(ident: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": ident, "name": "exec_command", "arguments": "{}"}


def output(ident: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": ident, "output": "ok"}


def reasoning(**fields: Any) -> dict[str, Any]:
    return {"type": "reasoning", "summary": [], **fields}


def rules(*items: Any, options: Options | None = None) -> list[str]:
    return [v.rule for v in check_openai_responses(paired(items), options or Options())]


def test_a_provider_that_keeps_answers_finds_reasoning_by_its_id() -> None:
    items = (SAYS, reasoning(id="rs_1"), call("a"), output("a"))
    assert rules(*items) == ["responses.reasoning-lost"]
    assert rules(*items, options=Options(store=True)) == []


def test_sealed_content_may_go_but_not_change() -> None:
    before = [SAYS, reasoning(id="rs_1", encrypted_content="one"), call("a"), output("a")]

    def found(*items: Any) -> list[str]:
        return rules(*items, options=Options(before=paired(before)))

    assert found(*before) == []
    assert found(SAYS, call("a"), output("a")) == []
    shortened = reasoning(id="rs_1", encrypted_content="on")
    assert found(SAYS, shortened, call("a"), output("a")) == ["responses.reasoning-altered"]


def test_what_breaks_is_told_in_the_order_of_the_items() -> None:
    items = (
        output("lost"),
        reasoning(id="rs_1", encrypted_content="e"),
        SAYS,
        call("open"),
        {"type": "message", "role": "nobody", "content": "x"},
    )
    assert rules(*items) == [
        "responses.orphan-output",
        "responses.reasoning-alone",
        "responses.open-call",
        "responses.role",
    ]


def test_the_time_grows_no_faster_than_the_conversation() -> None:
    def items(count: int) -> Iterator[tuple[str, Any]]:
        for number in range(0, count, 4):
            ident = f"c{number}"
            turn = (SAYS, reasoning(id=ident, encrypted_content=ident), call(ident), output(ident))
            yield from paired(turn)

    assert check_openai_responses(items(100)) == []
    assert growth(lambda count: check_openai_responses(items(count))) < 35
