"""Results that are too big: one by one, or the newest batch together."""

from __future__ import annotations

from pathlib import Path

import pytest
import regex

from app.model import ToolResult
from app.stages.protection import protected
from app.tokens import estimator
from tests.build import Messages, assistant, conversation, from_anthropic, result, tool, use, user
from tests.stages.given import results, run

CASES = Path(__file__).parents[1] / "data" / "cases"
BATCH = {
    "scope": "last-batch",
    "action": "save",
    "preview": "head",
    "preview_chars": 10,
    "max_batch_chars": 1000,
    "save_over_chars": 200,
}


def batch(*sizes: int) -> Messages:
    """One message with a result of each size, named by its letter."""
    calls = [use(chr(97 + n), "Bash") for n in range(len(sizes))]
    texts = [result(chr(97 + n), chr(97 + n) * size) for n, size in enumerate(sizes)]
    return conversation(user("Go."), assistant(*calls), user(*texts))


def test_the_biggest_of_a_batch_go_until_it_fits() -> None:
    done = run("tool_result_budget", batch(300, 900, 400), BATCH)
    assert [
        change.before.tool_use_id for change in done.changes if isinstance(change.before, ToolResult)
    ] == ["b"]
    assert done.trace == ("compact.run stage=budget savedResults=1 strategy=save",)


def test_small_ones_of_a_batch_stay_however_big_it_is() -> None:
    done = run("tool_result_budget", batch(*[200] * 8), BATCH)
    assert done.changes == ()
    assert done.note == "no result of the last batch is longer than 200 characters"


def test_a_batch_of_separate_result_messages_is_one() -> None:
    messages = conversation(
        assistant(use("a", "Bash"), use("b", "Bash")),
        tool(result("a", "x" * 900)),
        tool(result("b", "y" * 300)),
    )
    assert results(run("tool_result_budget", messages, BATCH).messages)["a"].startswith("<persisted-output>")


@pytest.mark.parametrize(
    ("messages", "note"),
    [
        (batch(500, 500), "the last batch of 1,000 characters is within 1,000"),
        (conversation(*batch(900, 900), assistant("Done.")), "the last message has no results"),
        ((), "the last message has no results"),
    ],
)
def test_a_batch_that_is_left_alone(messages: Messages, note: str) -> None:
    assert run("tool_result_budget", messages, BATCH).note == note


def test_the_users_answer_is_never_saved() -> None:
    messages = conversation(
        assistant(use("q", "AskUserQuestion")), user(result("q", "word " * 500)), assistant("Done.")
    )
    done = run("tool_result_budget", messages, {"max_result_chars": 100})
    assert (done.changes, done.protected) == ((), 1)
    assert done.note == "all that could change is protected (1 block)"


@pytest.mark.parametrize("limit", range(1, 41))
def test_no_cut_falls_inside_a_character(limit: int) -> None:
    messages = from_anthropic(CASES / "122-cut-inside-a-character.json")
    options = {"max_result_chars": limit, "only_if_smaller": False, "protect": False}
    before = results(messages)
    for name, text in results(run("tool_result_budget", messages, options).messages).items():
        start = text.removesuffix("\n…[tool_result 已截断（compact）]")
        whole = regex.findall(r"\X", before[name])
        assert any("".join(whole[:n]) == start for n in range(len(whole) + 1))


def test_it_stops_when_the_target_is_met() -> None:
    messages = conversation(
        *(m for n in "abc" for m in (assistant(use(n, "Bash")), user(result(n, n * 1000)))),
        assistant("Done."),
    )
    done = run("tool_result_budget", messages, {"max_result_chars": 100, "target_tokens": 2500})
    assert len(done.changes) == 1
    assert done.note.startswith("the target of 2,500 is met: 2,")
    again = run("tool_result_budget", done.messages, {"max_result_chars": 100, "target_tokens": 2500})
    assert again.changes == () and again.note.endswith("are within the target of 2,500")


def test_pinned_results_stay_without_protection_too() -> None:
    messages = conversation(assistant(use("a", "Bash")), user(result("a", "x" * 900)), assistant("Done."))
    pinned = protected(messages, pinned=["m2"])
    done = run("tool_result_budget", messages, {"max_result_chars": 10, "protect": False}, protection=pinned)
    assert done.changes == ()


def test_a_target_is_in_tokens_whatever_the_limits_are_in() -> None:
    messages = conversation(
        *(m for n in "abc" for m in (assistant(use(n, "Bash")), user(result(n, "word " * 400)))),
        assistant("Done."),
    )
    rough = estimator("rough")
    options = {"max_result_chars": 100, "target_tokens": rough.total(messages) - 10}
    done = run("tool_result_budget", messages, options, tokens=rough)
    assert len(done.changes) == 1 and done.note.endswith(" tokens")
