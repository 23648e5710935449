"""The same content of the same file, read twice."""

from __future__ import annotations

import pytest

from app.model import Message
from app.stages.read_dedup import stub
from tests.build import assistant, conversation, result, use, user
from tests.stages.given import results, run

TEXT = "x = 1\n" * 100


def read(name: str, text: str = TEXT, path: str = "a.py", *, error: bool = False) -> tuple[Message, Message]:
    return assistant(use(name, "Read", {"file_path": path})), user(result(name, text, error=error))


def call(name: str, tool: str, arguments: dict[str, object]) -> tuple[Message, Message]:
    return assistant(use(name, tool, arguments)), user(result(name, "ok"))


def stubs(*pairs: tuple[Message, Message], cwd: str | None = None) -> list[str]:
    """Ids of the reads that become stubs."""
    messages = conversation(*(message for pair in pairs for message in pair), assistant("Done."))
    after = results(run("read_dedup", messages, cwd=cwd).messages)
    return [name for name, text in after.items() if text.startswith("[Read deduplicated")]


def test_the_later_read_names_the_message_of_the_first() -> None:
    messages = conversation(user("Go."), *read("a"), *read("b"), *read("c"), assistant("Done."))
    done = run("read_dedup", messages)
    assert results(done.messages) == {"a": TEXT, "b": stub("a.py", 2), "c": stub("a.py", 2)}
    assert done.changes[0].reason == "same content of the same file as read in message 2"
    assert done.trace == ("compact.run stage=dedup deduplicated=2 strategy=read_dedup",)


@pytest.mark.parametrize(
    "write",
    [
        call("w", "Edit", {"file_path": "a.py", "old_string": "1", "new_string": "2"}),
        call("w", "Write", {"file_path": "/w/a.py", "content": ""}),
        call("w", "write_file", {"path": "./a.py", "content": ""}),
        call("w", "Bash", {"command": "sed -i s/1/2/ a.py"}),
    ],
    ids=["edit", "absolute", "other spelling", "shell"],
)
def test_a_write_of_the_file_ends_the_validity(write: tuple[Message, Message]) -> None:
    assert stubs(read("a"), write, read("b"), cwd="/w") == []
    assert stubs(read("a"), write, read("b"), read("c"), cwd="/w") == ["c"]


def test_a_write_of_another_file_does_not() -> None:
    assert stubs(read("a"), call("w", "Write", {"file_path": "b.py", "content": ""}), read("b")) == ["b"]


def test_other_content_is_the_newest_known() -> None:
    other = TEXT.replace("1", "2")
    assert stubs(read("a"), read("b", other), read("c"), read("d")) == ["d"]
    assert stubs(read("a"), read("b", TEXT, "./a.py"), read("c")) == ["c"]


def test_nothing_is_named_that_does_not_hold_the_content() -> None:
    assert stubs(read("a", "no such file " * 30, error=True), read("b", "no such file " * 30)) == []
    saved = "[Tool result persisted to disk — 9000 chars]\nTool: Read\nPath: a.txt\n\n--- Preview" + TEXT
    assert stubs(read("a", saved), read("b", saved)) == []
    assert stubs(read("a", stub("a.py", 0)), read("b"), read("c")) == ["a", "c"]
    assert stubs(read("a", ""), read("b", "")) == []


def test_short_reads_are_not_made_longer() -> None:
    assert stubs(read("a", "x"), read("b", "x")) == []
