"""Contents of the Gemini API as plain JSON are read and written with nothing else changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from app.model import Author, Block, Held, Role, Text, Thinking, ToolResult, ToolUse, with_text
from app.validity import check, errors
from tests.formats.plain_files import load, made, plan, requested, saying, words, write

PICTURE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: Any) -> dict[str, Any]:
    return {**user(*parts), "role": "model"}


def call(name: str, **more: Any) -> dict[str, Any]:
    return {
        "functionCall": {"name": name, "args": {"path": f"/w/{name}"}, **more},
        "thoughtSignature": "c2VhbA==",
    }


def answer(name: str, text: str, **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": text}, **more}}


CONTENTS = [
    user("Read both."),
    model({"text": "Hm.", "thought": True, "thoughtSignature": "c2VhbA=="}, "Yes.", call("a"), call("a")),
    user(answer("a", "first"), PICTURE, answer("a", "second")),
    model("Done."),
]


def test_calls_without_ids_are_paired_by_name_and_order() -> None:
    session = load(CONTENTS)
    said = [block for block in session.live[1].blocks if isinstance(block, ToolUse)]
    answers = [block for block in session.live[2].blocks if isinstance(block, ToolResult)]
    assert [block.id for block in said] == [block.tool_use_id for block in answers] == ["a", "a#2"]
    assert said[0].path == "/w/a"
    assert [[part.kind for part in block.parts] for block in answers] == [["text", "image"], ["text"]]
    assert isinstance(session.live[1].blocks[0], Thinking)
    assert session.notices == ()


def test_what_is_kept_keeps_its_spelling() -> None:
    data = (
        json.dumps({"model": "m", "contents": CONTENTS, "x": 1.0}, indent=2).replace("1.0", "1.00").encode()
    )
    session = load(data)
    assert write(session, *session.live) == data
    only = [replace(m, blocks=tuple(_cleared(b, "a") for b in m.blocks)) for m in session.live]
    gone = json.dumps(PICTURE, indent=2).replace("\n", "\n        ").encode()
    assert write(session, *only) == data.replace(b'"first"', b'"[cleared]"').replace(
        b",\n        " + gone, b""
    )


def _cleared(block: Block, ident: str) -> Block:
    same = isinstance(block, ToolResult) and block.tool_use_id == ident
    return with_text(block, "[cleared]") if same and isinstance(block, ToolResult) else block


def test_a_request_holds_the_system_instruction_beside_the_contents() -> None:
    session = load({"systemInstruction": {"parts": [{"text": "Be kind."}]}, "contents": CONTENTS})
    system = session.messages[0]
    assert (system.role, system.blocks[0].author) == (Role.SYSTEM, Author.SYSTEM)  # type: ignore[union-attr]
    edited = replace(system, blocks=(saying(system.blocks[0], "Be brief."),))
    value = json.loads(write(session, edited, *session.live[1:]))
    assert value["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert len(requested(session, *session.live)) == 4


def test_a_summary_and_a_made_answer_are_written_in_the_provider_s_form() -> None:
    session = load([*CONTENTS[:2], user("Stop.")])
    assert words(session) == {"open-call"}
    first = made("[Compacted]\n\nShort.")
    rewriting = plan(session, first, *session.live[1:])
    value = json.loads(b"".join(rewriting.pieces()))
    assert value[0] == user("[Compacted]\n\nShort.")
    assert [part.get("functionResponse", {}).get("name") for part in value[2]["parts"]] == ["a", "a", None]
    again = load(value)
    assert not errors(check("gemini", enumerate_pairs(value)))
    assert again.boundaries[0].hides
    assert [notice.word for notice in rewriting.repairs] == ["open-call"]


def enumerate_pairs(value: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [(str(number), content) for number, content in enumerate(value)]


def test_answers_that_stand_apart_are_joined() -> None:
    session = load([*CONTENTS[:2], user(answer("a", "first")), user(answer("a", "second"))])
    value = json.loads(write(session, *session.live))
    assert len(value[2]["parts"]) == 2
    assert not errors(check("gemini", enumerate_pairs(value)))


@pytest.mark.parametrize(
    "odd",
    [
        {"role": "user", "parts": None}, {"role": "user", "parts": "bare"},
        {"role": "model", "parts": {"text": "x"}},
        {"role": "user", "parts": [7, None, "bare", {}, [], {"functionCall": 7}, {"functionResponse": []}]},
        {"role": "narrator", "parts": [{"text": "x"}]}, {"parts": []}, 7,
        user(answer("a", "x", response=None), answer("a", "x", response={"a": 1, "b": 2})),
    ],
)  # fmt: skip
def test_odd_contents_raise_nothing_and_are_written_validly(odd: Any) -> None:
    session = load([user("Hi."), model("Hello."), odd, user("On."), model("So?"), user("End.")])
    value = json.loads(write(session, *session.live))
    contents = [
        content for content in value if isinstance(content, dict) and content.get("role") != "narrator"
    ]
    sent = [content for content in contents if "role" in content]
    assert not errors(check("gemini", enumerate_pairs(sent)))


def test_one_content_a_line() -> None:
    data = b"".join(json.dumps(content).encode() + b"\n" for content in CONTENTS)
    session = load(data)
    assert session.facts.messages == 4
    text = session.live[3].blocks[0]
    assert isinstance(text, Text)
    changed = replace(session.live[3], blocks=(replace(text, content=Held("Over.")),))
    assert write(session, *session.live[:3], changed) == data.replace(b"Done.", b"Over.")
