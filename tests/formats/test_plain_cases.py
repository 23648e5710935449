"""Sessions in plain JSON that broke other tools, each with the right answer beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import UnknownFormat
from app.formats import detect
from app.formats.base import Rewrite
from app.formats.source import BytesSource
from app.model import Session, ToolResult, ToolUse, blocks_of
from app.validity import check
from tests.formats.plain_files import DATA, plan, words

NAMES = {"anthropic-messages": "anthropic", "openai-chat": "openai-chat", "gemini": "gemini"}
SIDECARS = sorted((DATA / "cases").glob("*.expect.json"))
EXPECTED = {path: json.loads(path.read_text()) for path in SIDECARS}
OURS = [path for path in SIDECARS if EXPECTED[path]["format"] in NAMES]


def data_of(sidecar: Path) -> bytes:
    data: bytes = (sidecar.parent / EXPECTED[sidecar]["file"]).read_bytes()
    for piece in EXPECTED[sidecar].get("expand", ()):
        data = data.replace(piece["token"].encode(), (piece["unit"] * piece["times"]).encode())
    return data


def opened(data: bytes) -> Session:
    source = BytesSource(data)
    return detect(source).read(source)


def errors(session: Session) -> list[str]:
    kind = detect(BytesSource(b"".join(plan(session, *session.live).pieces())))
    return [v.rule for v in check(kind.validity, kind.request(session, session.live)) if v.level == "error"]


def pairs(session: Session, *, server: bool) -> int:
    calls = {
        block.id
        for _, block in blocks_of(session.live)
        if isinstance(block, ToolUse) and block.server is server
    }
    results = {
        block.tool_use_id
        for _, block in blocks_of(session.live)
        if isinstance(block, ToolResult) and block.server is server
    }
    return len(calls & results)


@pytest.mark.parametrize("sidecar", OURS, ids=lambda path: path.name[:3])
def test_a_case_is_read_as_it_should_be(sidecar: Path) -> None:
    expected: dict[str, Any] = EXPECTED[sidecar]["expect"]["load"]
    session = opened(data_of(sidecar))
    assert session.format == NAMES[EXPECTED[sidecar]["format"]]
    assert session.facts.messages == expected["messages"]
    assert session.facts.conversation == expected.get("conversation", expected["messages"])
    assert pairs(session, server=False) == expected.get("tool_pairs", 0)
    assert pairs(session, server=True) == expected.get("server_pairs", 0)
    assert words(session) - {"thinking-missing"} == set(expected["warnings"])


@pytest.mark.parametrize("sidecar", OURS, ids=lambda path: path.name[:3])
def test_what_is_written_is_sound_and_keeps_what_must_stay(sidecar: Path) -> None:
    data, expected = data_of(sidecar), EXPECTED[sidecar]["expect"]
    session = opened(data)
    rewriting = plan(session, *session.live)
    out = b"".join(rewriting.pieces())
    assert out == b"".join(rewriting.pieces())
    again = opened(out)
    assert errors(again) == []
    assert not [notice for notice in again.notices if notice.word in {r.word for r in rewriting.repairs}]
    for kept in expected["export"]["keep"]:
        assert json.dumps(kept, ensure_ascii=False)[1:-1] in json.dumps(json.loads(out), ensure_ascii=False)
    if expected["resume"]["input_valid"]:
        assert out == data
        assert rewriting.repairs == ()
    if rewriting.kept:
        assert rewriting.dropped + rewriting.kept + rewriting.changed == session.facts.records


@pytest.mark.parametrize("sidecar", OURS, ids=lambda path: path.name[:3])
def test_a_message_that_breaks_no_rule_keeps_its_bytes(sidecar: Path) -> None:
    session = opened(data_of(sidecar))
    rewriting = plan(session, *session.live)
    out = b"".join(rewriting.pieces())
    kept = [session.records.raw(index) for index in range(session.facts.records)]
    assert sum(raw in out for raw in kept) >= rewriting.kept


def test_a_target_that_wants_alternation_gets_it() -> None:
    session = opened(data_of(next(path for path in OURS if path.name.startswith("034"))))
    kind = detect(BytesSource(b"".join(plan(session, *session.live).pieces())))
    out = b"".join(kind.rewrite(session, Rewrite(session.live, alternate=True)).pieces())
    assert [(m["role"], m["content"]) for m in json.loads(out)] == [
        ("user", "[summary] earlier work\n\nGo on."),
        ("assistant", "Part one.\n\nPart two."),
    ]


ON_LINES = [
    {"role": "user", "content": [{"type": "text", "text": "Look"}]},
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "t1", "name": "Say", "input": {"role": "user", "content": "x"}}
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "said"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Yes"}], "id": "m", "model": "a", "usage": {}},
]


@pytest.mark.parametrize(
    "head", ['{"mess', '{"model": gpt, "messages": [', "messages = [", "", '{"a": "b\n"messages": [']
)
@pytest.mark.parametrize("tail", ["]}", "", ","])
def test_messages_on_the_lines_of_a_document_are_found_however_broken_it_is_around_them(
    head: str, tail: str
) -> None:
    records = [json.dumps(message) for message in ON_LINES]
    text = "\n".join((head, ",\n".join(records) + ("," if tail == "," else ""), tail.strip(",")))
    session = opened(text.encode())
    assert session.format == "anthropic"
    assert len(session.live) == 4 and pairs(session, server=False) == 1
    # What is written is what each of them said, a line each, with what was around them left out and told.
    rewriting = plan(session, *session.live)
    assert b"".join(rewriting.pieces()).splitlines() == [record.encode() for record in records]
    assert {notice.word for notice in rewriting.repairs} <= {"bad-line"}
    assert not errors(session)


def test_parts_of_a_message_on_the_lines_of_what_is_broken_are_no_messages() -> None:
    printed = json.dumps({"mess": ON_LINES}, indent=1).replace('"mess": [', "mess: [", 1)
    with pytest.raises(UnknownFormat):
        opened(printed.encode())
