"""What is wrong with a session, in the order in which a person goes through it."""

from __future__ import annotations

import json
from pathlib import Path

from app.formats import open_session
from app.views.problems import problems, problems_with


def written(folder: Path, messages: list[dict[str, object]]) -> str:
    file = folder / "session.json"
    file.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": messages}))
    return str(file)


def test_a_sound_session_has_none(tmp_path: Path) -> None:
    session, _ = open_session(written(tmp_path, [{"role": "user", "content": "hello"}]))
    assert problems(session) == ()


def test_a_broken_rule_names_its_message(tmp_path: Path) -> None:
    orphan = {"type": "tool_result", "tool_use_id": "gone", "content": "x"}
    file = written(tmp_path, [{"role": "user", "content": [orphan]}, {"role": "assistant", "content": "ok"}])
    session, _ = open_session(file)
    found = problems(session)
    assert [problem.key for problem in found] == [session.messages[0].key]
    assert "messages[0]" in found[0].text


def test_rules_that_steps_break_are_found_in_the_messages_as_they_are_now(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "r1", "name": "Read", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "r1", "content": "x"}
    messages: list[dict[str, object]] = [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [answer]},
    ]
    session, _ = open_session(written(tmp_path, messages))
    assert problems(session) == ()
    found = problems_with(session, (session.live[0], session.live[2]))
    assert {problem.key for problem in found} == {session.live[2].key}
