"""Responses items as plain JSON: read, changed, written in their place, mended."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app.formats import detect, format_named
from app.formats.base import Rewrite, Rewriting
from app.formats.source import BytesSource
from app.model import Author, Held, Message, Role, Session, Text, ToolResult, blocks_of, with_text
from app.validity import check, errors

KIND = format_named("openai-responses")
SAYS = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Café \U0001f600?"}]}
TALK: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be brief."},
    SAYS,
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA=="},
    {
        "type": "function_call",
        "call_id": "a",
        "name": "read",
        "arguments": '{"path": "a.py"}',
        "status": "completed",
    },
    {"type": "function_call", "call_id": "b", "name": "read", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "a", "output": "x = 1.10\n"},
    {"type": "function_call_output", "call_id": "b", "output": "none"},
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Done.", "annotations": []}],
    },
]
FORMS = {
    "list": json.dumps(TALK),
    "list, indented": json.dumps(TALK, indent=2, ensure_ascii=False) + "\n",
    "request": json.dumps(
        {"model": "gpt-5.5", "n": 1.0, "input": TALK, "store": False, "instructions": "Help."}, indent=1
    ),
    "in a request": json.dumps({"request": {"body": {"model": "gpt-5.5", "input": TALK}}}),
    "lines": "".join(json.dumps(item, separators=(",", ":")) + "\n" for item in TALK),
}


def load(text: str | bytes) -> Session:
    source = BytesSource(text.encode() if isinstance(text, str) else text)
    kind = detect(source)
    assert kind.name == "openai-responses"
    return kind.read(source)


def rewrite(session: Session, *messages: Message) -> Rewriting:
    return KIND.rewrite(session, Rewrite(messages or session.live))


def write(session: Session, *messages: Message) -> bytes:
    return b"".join(rewrite(session, *messages).pieces())


def request(session: Session) -> list[dict[str, Any]]:
    return [item for _, item in KIND.request(session, session.live)]


def cleared(session: Session) -> list[Message]:
    return [
        replace(
            m, blocks=tuple(with_text(b, "[cleared]") if isinstance(b, ToolResult) else b for b in m.blocks)
        )
        for m in session.live
    ]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_and_written_back_byte_for_byte(form: str) -> None:
    session = load(FORMS[form])
    assert request(session) == TALK
    assert session.facts.messages == 8 and session.notices[0].word == "sealed-content"
    assert write(session) == FORMS[form].encode()
    roles = [m.role for m in session.live if m.blocks[0].key != "instructions"]
    assert [role for role in roles if role is not Role.SYSTEM] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize("form", FORMS)
def test_a_change_touches_its_item_only(form: str) -> None:
    session = load(FORMS[form])
    rewriting = rewrite(session, *cleared(session))
    assert (rewriting.kept, rewriting.changed, rewriting.added, rewriting.dropped) == (6, 2, 0, 0)
    out = b"".join(rewriting.pieces()).decode()
    old = json.dumps("x = 1.10\n")
    assert out == FORMS[form].replace(old, '"[cleared]"').replace('"none"', '"[cleared]"')


def test_what_stands_beside_the_items_is_read_and_can_change() -> None:
    session = load(FORMS["request"])
    assert session.model == "gpt-5.5"
    prompt = session.live[0]
    assert prompt.role is Role.SYSTEM and isinstance(prompt.blocks[0], Text)
    new = replace(prompt, blocks=(replace(prompt.blocks[0], content=Held("Short.")),))
    out = write(session, new, *session.live[1:]).decode()
    assert out == FORMS["request"].replace('"Help."', '"Short."')


def test_dropped_and_made_messages() -> None:
    session = load(FORMS["list, indented"])
    made = Message("m", Role.USER, (Text("m/0", Held("[snipped 2 messages]"), Author.MARKER),))
    out = write(session, *session.live[:2], made, session.live[-1])
    again = load(out)
    parts = [{"type": "input_text", "text": "[snipped 2 messages]"}]
    assert json.loads(out)[2] == {"type": "message", "role": "developer", "content": parts}
    assert [b.removed for b in again.boundaries] == [2]
    assert out.decode().startswith('[\n  {\n    "role": "developer"')


def test_a_summary_by_its_words_is_a_boundary() -> None:
    session = load(json.dumps([{"role": "user", "content": "[Compacted]\n\nAll."}, SAYS, *TALK[2:]]))
    assert session.live[0].boundary is session.boundaries[0]
    assert [b.author for _, b in blocks_of(session.live[:2]) if isinstance(b, Text)] == [
        Author.SUMMARY,
        Author.USER,
    ]


def test_what_a_provider_refuses_is_mended() -> None:
    broken = [
        SAYS,
        TALK[2],
        SAYS,
        TALK[3],
        {"type": "function_call_output", "call_id": "z", "output": "lost"},
        7,
    ]
    session = load(json.dumps(broken))
    assert {"reasoning-alone", "open-call", "orphan-result", "not-a-record"} <= {
        n.word for n in session.notices
    }
    rewriting = rewrite(session)
    again = load(b"".join(rewriting.pieces()))
    assert errors(check(KIND.validity, KIND.request(again, again.live))) == []
    assert {n.word for n in rewriting.repairs} == {
        "reasoning-alone",
        "open-call",
        "orphan-result",
        "not-a-record",
    }
    assert rewrite(again).repairs == ()


def test_damage_costs_no_more_than_itself() -> None:
    torn = FORMS["list, indented"][: FORMS["list, indented"].index('"function_call_output"')]
    session = load(torn)
    assert len(request(session)) == 5
    out = json.loads(write(session))
    assert out[:5] == TALK[:5]
    lines = FORMS["lines"].replace('"role":"assistant"', '"role":"assistant\x00"')
    session = load(lines)
    assert len(request(session)) >= 7


def test_no_program_resumes_it() -> None:
    assert KIND.resume_command("x") is None
    assert KIND.side_folder(PurePath("a.json")) is None
    assert KIND.new_name(PurePath("a.json"), None) == "a.compacted.json"


@pytest.mark.parametrize(
    "value",
    [
        {"model": "text-embedding-3", "input": ["a", "b"]},
        {"input": []},
        [{"id": "msg_1", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "a"}]}],
        [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
        {"messages": [{"role": "user", "content": "a"}], "metadata": {"input": [1]}},
    ],
)
def test_what_is_not_of_it_is_not_taken_for_it(value: Any) -> None:
    assert not KIND.sniff(BytesSource(json.dumps(value).encode()))


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=4), st.sampled_from(["user", "a"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["type", "role", "content", "text", "call_id", "output", "arguments", "name", "summary", "id",
                 "encrypted_content", "image_url", "action", "tools", "execution"]
            ),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=12,
)  # fmt: skip
KINDS = st.sampled_from(
    [item.get("type", "message") for item in TALK] + ["compaction", "web_search_call", "hologram"]
)


@given(items=st.lists(st.tuples(KINDS, VALUES), max_size=5), clear=st.booleans())
@settings(max_examples=50, deadline=None)
def test_whatever_an_item_holds_the_export_is_sound(items: list[tuple[str, Any]], clear: bool) -> None:
    values = [
        {**(value if isinstance(value, dict) else {"content": value}), "type": kind} for kind, value in items
    ]
    session = load(json.dumps([*TALK, *values]))
    messages = cleared(session) if clear else list(session.live)
    again = load(write(session, *messages))
    assert errors(check(KIND.validity, KIND.request(again, again.live))) == []
    assert rewrite(again).repairs == ()
