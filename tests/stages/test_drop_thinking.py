"""Thinking of older turns: all of a turn, or none."""

from __future__ import annotations

import pytest

from app.model import Message, Thinking, blocks_of
from app.stages.base import Messages
from app.stages.protection import protected
from tests.build import assistant, conversation, injected, result, thinking, use, user
from tests.stages.given import CHARS, run


def turn(name: str) -> tuple[Message, ...]:
    """A request, a call that was thought about, its result, and an answer that was thought about."""
    return (
        user(f"Do {name}."),
        assistant(thinking("First.", key=f"{name}1"), use(name, "Bash")),
        user(result(name, "ok")),
        assistant(thinking("Then.", key=f"{name}2"), "Done."),
    )


def left(messages: Messages, **options: object) -> list[str]:
    done = run("drop_thinking", messages, dict(options))
    return [block.key for _, block in blocks_of(done.messages) if isinstance(block, Thinking)]


THREE = conversation(*turn("a"), *turn("b"), *turn("c"))


@pytest.mark.parametrize(
    ("keep", "keys"),
    [(0, ["c1", "c2"]), (1, ["c1", "c2"]), (2, ["b1", "b2", "c1", "c2"])],
)
def test_the_newest_turns_keep_theirs(keep: int, keys: list[str]) -> None:
    assert left(THREE, keep_turns=keep) == keys


def test_a_new_request_does_not_expose_the_newest_reply() -> None:
    asked = conversation(*turn("a"), *turn("b"), user("And now?"))
    assert left(asked, keep_turns=0) == ["b1", "b2"]
    assert left(asked, keep_turns=1) == ["b1", "b2"]


def test_words_typed_while_a_tool_ran_do_not_end_the_turn() -> None:
    messages = conversation(
        *turn("a"),
        user("Go on."),
        assistant(thinking("x", key="x1"), use("x", "Bash")),
        user(result("x", "ok"), "Be quick."),
        assistant(thinking("y", key="x2"), "Done."),
    )
    assert left(messages) == ["x1", "x2"]


def test_a_turn_goes_whole_or_not_at_all() -> None:
    pinned = protected(THREE, pinned=["a2"])
    done = run("drop_thinking", THREE, protection=pinned)
    assert [change.key for change in done.changes] == ["b1", "b2"]
    assert done.protected == 2


def test_a_reply_of_thinking_alone_goes_with_it() -> None:
    messages = conversation(user("Go."), assistant(thinking("Hm.")), user("Well?"), assistant("Yes."))
    done = run("drop_thinking", messages)
    assert [message.key for message in done.messages] == ["m1", "m3", "m4"]
    assert len(done.changes) == 1


def test_it_stops_when_the_target_is_met() -> None:
    assert left(THREE, target_tokens=CHARS.total(THREE) - 1) == ["b1", "b2", "c1", "c2"]


def test_nothing_to_drop() -> None:
    done = run("drop_thinking", conversation(injected("<note>"), user("Go."), assistant("Yes.")))
    assert (done.changes, done.note) == ((), "no other turn has thinking to drop")
    assert run("drop_thinking", ()).messages == ()
