"""Results that something later made worthless: which, in which order, and what stands for them."""

from __future__ import annotations

from typing import Any

import pytest

from app.model import Message, ToolResult, blocks_of
from app.stages.base import Messages
from app.stages.drop_superseded import KINDS
from tests.build import assistant, conversation, image, result, tool, use, user
from tests.stages.given import results, run

TEXT = "x = 1\n" * 100
EVERYTHING = {"kinds": list(KINDS), "keep_recent": 0}


def call(
    name: str, kind: str, arguments: dict[str, object], text: str = TEXT, *, error: bool = False
) -> tuple[Message, Message]:
    return assistant(use(name, kind, arguments)), user(result(name, text, error=error))


def read(name: str, path: str = "a.py", text: str = TEXT) -> tuple[Message, Message]:
    return call(name, "Read", {"file_path": path}, text)


def edit(
    name: str, path: str = "a.py", text: str = "Edited. " * 40, *, error: bool = False
) -> tuple[Message, Message]:
    return call(name, "Edit", {"file_path": path, "old_string": "1", "new_string": "2"}, text, error=error)


def talk(*pairs: tuple[Message, Message]) -> Messages:
    return conversation(user("Go."), *(message for pair in pairs for message in pair), assistant("Done."))


def changed(messages: Messages, options: dict[str, Any] | None = None, **more: Any) -> dict[str, str]:
    """What is left of the results that were changed, by id, in the order they went."""
    done = run("drop_superseded", messages, {**EVERYTHING, **(options or {})}, **more)
    after = results(done.messages)
    return {
        c.before.tool_use_id: after[c.before.tool_use_id]
        for c in done.changes
        if isinstance(c.before, ToolResult)
    }


@pytest.mark.parametrize(
    ("messages", "left"),
    [
        (talk(read("a"), read("b")), {"a": "[Superseded read cleared] a.py was read again later"}),
        (talk(read("a"), edit("e", text="ok")), {"a": "[Superseded read cleared] a.py was changed later"}),
        (
            talk(*(call(n, "Bash", {"command": "make"}) for n in "ab")),
            {"a": "[Superseded result cleared] the same call gave the same later"},
        ),
        (
            talk(edit("a", text="No such text. " * 20, error=True), edit("b", text="ok")),
            {"a": "[Failed call cleared] a later try worked"},
        ),
        (talk(edit("a")), {"a": "[Write result cleared] its call says what was written"}),
        (
            talk(call("a", "Grep", {"pattern": "x"})),
            {"a": "[Old listing cleared] the same search can be run again"},
        ),
        (talk(call("a", "Bash", {"command": "make"})), {}),
        (talk(call("a", "WebFetch", {"url": "x"})), {}),
        (talk(read("a")), {}),
        (talk(call("a", "Bash", {"command": "false"}, "Exit code 1\n" + TEXT)), {}),
    ],
)
def test_each_kind_has_its_placeholder(messages: Messages, left: dict[str, str]) -> None:
    assert changed(messages) == left


def test_only_the_kinds_that_are_listed_go() -> None:
    messages = talk(read("a"), read("b"), call("c", "Grep", {"pattern": "x"}))
    assert changed(messages, {"kinds": "superseded-read"}).keys() == {"a"}
    assert changed(messages, {"kinds": "long-listing"}).keys() == {"c"}
    assert (
        run("drop_superseded", messages, {"kinds": "old-image"}).note
        == "no result is of these kinds: old-image"
    )


def test_kinds_go_in_the_order_listed_until_the_target_is_met() -> None:
    messages = talk(
        call("c", "Grep", {"pattern": "x"}), edit("w", "b.py"), read("s", "b.py"), read("a"), read("b")
    )
    reads_first = changed(messages, {"kinds": "superseded-read, write-echo, long-listing"})
    assert list(reads_first) == ["a", "w", "c"]
    assert list(changed(messages, {"kinds": "long-listing, superseded-read"})) == ["c", "a"]
    assert list(changed(messages, {"kinds": "long-listing, superseded-read", "target_tokens": 2500})) == ["c"]


def test_the_newest_results_and_short_ones_stay() -> None:
    messages = talk(read("a"), read("b"), read("c"), read("d"))
    assert changed(messages, {"keep_recent": 0}).keys() == {"a", "b", "c"}
    assert changed(messages, {"keep_recent": 3}).keys() == {"a"}
    assert changed(messages, {"keep_recent": 9}) == {}
    assert changed(messages, {"min_chars": len(TEXT)}) == {}


def test_a_file_counts_as_unchanged_only_where_somebody_looked() -> None:
    messages = talk(read("a"), read("b", "b.py"))
    kinds = {"kinds": "unchanged-file"}
    assert changed(messages, kinds) == {}
    assert run("drop_superseded", messages, {**kinds, "keep_recent": 0}).note == (
        "the files on disk have not been compared"
    )
    assert changed(messages, kinds, unchanged=frozenset({"m3/0"})) == {
        "a": "[Unchanged file cleared] a.py can be read again"
    }


def test_a_picture_goes_and_the_words_beside_it_stay() -> None:
    messages = conversation(
        user("Look.", image("pasted" * 100)),
        assistant(use("a", "Read", {"file_path": "a.png"})),
        user(result("a", "Width 10. ", image("x" * 500), image("y" * 500), " Done.")),
        assistant("Seen."),
    )
    done = run("drop_superseded", messages, EVERYTHING)
    (kept,) = done.messages[2].blocks
    assert isinstance(kept, ToolResult) and [part.kind for part in kept.parts] == ["text"] * 3
    assert results(done.messages)["a"] == "Width 10. [Old image cleared] it can be had again Done."
    assert done.messages[0] is messages[0]


@pytest.mark.parametrize("path", ["app/[id].tsx", "a\nb", "x" * 4000])
def test_any_path_makes_a_line_that_is_known_again(path: str) -> None:
    long = TEXT * 10
    messages = talk(read("a", path, long), read("b", path, long))
    done = run("drop_superseded", messages, EVERYTHING)
    assert len(done.changes) == 1
    assert "\n" not in results(done.messages)["a"]
    assert run("drop_superseded", done.messages, EVERYTHING).changes == ()


def test_a_failure_that_only_its_text_tells_stays_one_when_it_is_cleared() -> None:
    failed = (assistant(use("e", "edit_file", {"path": "a.py"})), tool(result("e", "Error: " + "no " * 100)))
    again = (assistant(use("f", "edit_file", {"path": "b.py"})), tool(result("f", "ok")))
    retried = (assistant(use("g", "edit_file", {"path": "a.py"})), tool(result("g", "ok")))
    messages = talk(read("r", "b.py"), failed, again, retried)
    done = run("drop_superseded", messages, EVERYTHING)
    assert results(done.messages)["e"] == "[Failed call cleared] a later try worked"
    assert run("drop_superseded", done.messages, EVERYTHING).changes == ()


def test_rules_and_answers_stay() -> None:
    messages = talk(read("a", "AGENTS.md"), read("b", "AGENTS.md"), edit("e", "AGENTS.md", "ok"))
    done = run("drop_superseded", messages, EVERYTHING)
    assert (done.changes, done.protected) == ((), 2)
    assert sum(isinstance(b, ToolResult) for _, b in blocks_of(done.messages)) == 3
