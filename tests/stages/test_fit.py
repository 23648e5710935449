"""Shortening the biggest results until the conversation fits."""

from __future__ import annotations

from app.model import ToolResult
from app.stages.base import Messages
from tests.build import assistant, conversation, result, use, user
from tests.stages.given import results, run


def talk(**sizes: int) -> Messages:
    return conversation(
        *(
            message
            for name, size in sizes.items()
            for message in (assistant(use(name, "Bash")), user(result(name, name * size)))
        ),
        assistant("Done."),
    )


def saved(messages: Messages, target: int) -> list[str]:
    done = run("fit", messages, {"target_chars": target, "preview_chars": 50})
    return [c.before.tool_use_id for c in done.changes if isinstance(c.before, ToolResult)]


def test_the_biggest_goes_first_and_no_more_than_needed() -> None:
    messages = talk(a=500, b=3000, c=1000)
    assert saved(messages, 5000) == []
    assert saved(messages, 2000) == ["b"]
    assert saved(messages, 900) == ["b", "c"]
    assert results(run("fit", messages, {"target_chars": 2000, "preview_chars": 3}).messages)["b"] == (
        "<persisted-output>\nFull output: /saved/.task_outputs/tool-results/b.txt\nPreview:\nbbb\n"
        "</persisted-output>"
    )


def test_it_says_what_is_still_over() -> None:
    done = run("fit", talk(a=500), {"target_chars": 100, "preview_chars": 50})
    assert done.note.startswith("still ") and done.note.endswith(" characters over 100")
    idle = run("fit", talk(a=40), {"target_chars": 10, "preview_chars": 50})
    assert idle.note.startswith("no result can be shortened; still ")
    assert run("fit", talk(a=40), {"target_chars": 500}).note.endswith(" characters are within 500")


def test_saved_results_are_not_saved_again() -> None:
    messages = conversation(
        assistant(use("a", "Bash")),
        user(result("a", "<persisted-output>\nFull output: /s/a.txt\nPreview:\n" + "x" * 900)),
        assistant("Done."),
    )
    assert saved(messages, 10) == []
