"""What an export notes of itself tells later that nothing was added to it since."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.export.plan import ExportOptions, make_plan
from app.export.write import Written, write
from app.opening import Opened, open_workspace
from app.work.stage_inputs import give_memory

SETTINGS = ("summarize.when=always", "summarize.min_messages=2", "summarize.keep_messages=6")
Spell = Callable[[list[dict[str, Any]]], str]


def as_json(messages: list[dict[str, Any]]) -> str:
    return json.dumps(messages)


def as_lines(messages: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


def as_chat(messages: list[dict[str, Any]]) -> str:
    return json.dumps([{"role": "system", "content": "Be brief."}, *messages])


def forced(session: Path, source: str, *settings: str) -> tuple[Opened, str]:
    """The session with a summary forced, and what the stage said."""
    options = (*SETTINGS, f"summarize.source={source}", *settings)
    opened = open_workspace(str(session), pipeline="minicode", settings=options, exact=False)
    if source == "memory":
        give_memory(opened.workspace, "summarize", ["Words are words."])
    opened.workspace.run_all()
    [step] = [step for step in opened.workspace.steps if step.name == "summarize"]
    return opened, step.result.note


def exported(opened: Opened, out: Path, **wishes: Any) -> Written:
    return write(
        make_plan(opened.workspace, opened.source, ExportOptions(out=out, **wishes)), drop_user_words=True
    )


@pytest.mark.parametrize("source", ["structured", "memory"])
@pytest.mark.parametrize("spell", [as_json, as_lines, as_chat])
def test_a_plain_conversation_is_summarised_again_only_once_it_went_on(
    tmp_path: Path, spell: Spell, source: str
) -> None:
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": f"Word {n}, at some length. " * 30} for n in range(40)]
    session = tmp_path / ("talk.jsonl" if spell is as_lines else "talk.json")
    session.write_text(spell(messages))
    tail = ("summarize.max_tail_tokens=2000",)
    opened, _ = forced(session, source, *tail)
    written = exported(opened, tmp_path / f"new{session.suffix}")
    assert written.target is not None and len(opened.workspace.messages) < 30

    again, note = forced(written.target, source, *tail)
    assert note == "nothing was added since the latest summary"
    assert again.workspace.messages == again.workspace.session.live

    moved = tmp_path / "elsewhere" / written.target.name
    moved.parent.mkdir()
    moved.write_bytes(written.target.read_bytes())
    assert "nothing was added" not in forced(moved, source, *tail)[1], "nobody knows of that file"

    value = [json.loads(line) for line in written.target.read_text().splitlines()]
    more = value if spell is as_lines else value[0]
    more += [{"role": roles[n % 2], "content": f"More {n}, at some length. " * 30} for n in range(20)]
    written.target.write_text(as_lines(more) if spell is as_lines else as_json(more))
    went_on, note = forced(written.target, source, *tail)
    assert note.startswith(source) and len(went_on.workspace.messages) < len(went_on.workspace.session.live)
