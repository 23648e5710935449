"""The 8K gate, replayed over a saved session."""

from __future__ import annotations

from typing import Any

import pytest

from app.model import Message, ToolResult, Usage, blocks_of
from app.stages.base import Messages, StageResult
from app.stages.replay import ReplayOutcome
from tests.build import assistant, conversation, result, use, user
from tests.stages.given import results, run

LONG = "0123456789" * 900
CUT = LONG[:4096] + "\n\n[... tool result middle pruned ...]\n\n" + LONG[-1024:]


def call(
    name: str, tokens: int | None, tool: str = "read", text: str = LONG, *, error: bool = False
) -> tuple[Message, Message]:
    """A call, whose prompt had this many tokens as reported, and its result."""
    usage = None if tokens is None else Usage(tokens)
    return assistant(use(name, tool), usage=usage), user(result(name, text, error=error))


def replies(*tokens: int | None) -> list[Message]:
    return [assistant("Hm.", usage=None if n is None else Usage(n)) for n in tokens]


def gate(messages: Messages, **options: Any) -> StageResult:
    return run("result_gate", messages, options)


def cut(messages: Messages, **options: Any) -> list[str]:
    after = results(gate(messages, **options).messages)
    return [name for name, text in after.items() if "pruned ...]" in text]


def fates(messages: Messages) -> dict[str, tuple[ReplayOutcome, str]]:
    done = gate(messages)
    assert done.replay is not None
    names = {b.key: b.tool_use_id for _, b in blocks_of(messages) if isinstance(b, ToolResult)}
    return {names[watched.key]: (watched.fate, watched.words) for watched in done.replay.results}


def test_below_the_line_nothing_is_touched() -> None:
    messages = conversation(user("Go."), *call("a", 1000), *replies(5000, 50_000, 99_000, 60_000))
    done = gate(messages)
    assert done.messages is messages
    assert done.note == "the latch opens at 100,000 tokens; largest prompt: 99,000 tokens (as recorded)"
    assert done.replay is not None and done.replay.results == () and done.replay.opened_at is None


def test_what_was_there_when_the_latch_opened_is_frozen() -> None:
    messages = conversation(
        user("Go."),
        *call("old", 90_000),
        *call("new", 100_000),
        *replies(101_000, 102_000, 103_000),
    )
    assert cut(messages) == ["new"]
    done = gate(messages)
    assert results(done.messages)["new"] == CUT and results(done.messages)["old"] == LONG
    assert done.trace == ("gate.open call=2 tokens=100000 recorded=true frozen=1", "gate.cut results=1")
    assert done.note == "the latch opened at call 2 of 6 with 100,000 tokens (as recorded); frozen: 1 result"
    assert done.replay is not None
    assert done.replay.frozen == {"m3/0"}
    assert [(c.number, c.message, c.is_open, c.cut) for c in done.replay.calls] == [
        (1, "m2", False, ()),
        (2, "m4", True, ()),
        (3, "m6", True, ()),
        (4, "m7", True, ()),
        (5, "m8", True, ()),
        (6, None, True, ("m5/0",)),
    ]
    assert fates(messages) == {
        "old": (ReplayOutcome.FROZEN, "before the latch opened at call 2"),
        "new": (ReplayOutcome.CUT, "cut before call 6"),
    }


def test_three_prompts_may_hold_it_whole() -> None:
    opening = [user("Go."), *replies(100_000)]
    two = conversation(*opening, *call("a", 100_000), *replies(100_000, 100_000))
    assert cut(two) == []
    assert fates(two) == {"a": (ReplayOutcome.WAITING, "seen in 2 of 3 prompts")}
    assert cut(conversation(*two, *replies(100_000))) == ["a"]
    assert cut(two, views=2) == ["a"]


def test_the_latch_stays_open_when_the_size_falls() -> None:
    assert cut(conversation(user("Go."), *replies(100_000), *call("a", 10), *replies(10, 10, 10))) == ["a"]


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (call("x", 100_000, "skill"), "its tool is not in the list"),
        (call("x", 100_000, "Read"), "its tool is not in the list"),
        (call("x", 100_000, error=True), "failed"),
        (call("x", 100_000, text=CUT), None),
        (call("x", 100_000, text=LONG[:8192]), None),
        (call("x", 100_000, text="<persisted-output>\nFull output: /a\nPreview:\n" + LONG), "already cut"),
    ],
    ids=["other tool", "other case", "failed", "cut", "short", "saved"],
)
def test_what_is_no_candidate(pair: tuple[Message, Message], words: str | None) -> None:
    messages = conversation(
        user("Go."), *replies(100_000), *call("y", 100_000), *pair, *replies(*[100_000] * 3)
    )
    after = results(gate(messages).messages)
    assert after["x"] == results(messages)["x"] and after["y"] == CUT
    assert fates(messages).get("x") == (None if words is None else (ReplayOutcome.SPARED, words))


def test_other_agents_names_pass_in_their_sessions() -> None:
    messages = conversation(
        user("Go."), *replies(100_000), *call("a", 100_000, "Read"), *replies(*[100_000] * 3)
    )
    assert cut(messages) == ["a"]
    assert cut(messages, aliases="off") == []


def test_without_reports_the_size_is_estimated() -> None:
    messages = conversation(
        user("x" * 60_000),
        *call("old", None, text="y" * 50_000),
        *call("new", None),
        *replies(None, None, None),
    )
    done = gate(messages)
    assert done.note.startswith("the latch opened at call 2 of 6 with 110,")
    assert done.note.endswith("tokens (estimated); frozen: 1 result")
    assert cut(messages) == ["new"]


def test_what_came_since_the_newest_report_is_estimated() -> None:
    grown = conversation(
        user("Go."), *call("a", 95_000, text="y" * 6000), assistant(use("b", "read")), user(result("b", LONG))
    )
    assert gate(grown).note.startswith("the latch opened at call 2 of 3 with 101,")


def test_a_protected_result_is_spared_and_counted() -> None:
    messages = conversation(
        user("Go."),
        *replies(100_000),
        assistant(use("a", "read", {"path": "AGENTS.md"})),
        user(result("a", LONG)),
        *replies(*[100_000] * 3),
    )
    done = gate(messages)
    assert (done.changes, done.protected) == ((), 1)
    assert fates(messages)["a"] == (ReplayOutcome.SPARED, "instruction file")
