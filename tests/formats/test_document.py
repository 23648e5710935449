"""One JSON document: its messages found where they lie, and put together again."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats import detect, format_named
from app.formats.base import Rewrite, Rewriting
from app.formats.document import MessageFinder
from app.formats.pages import Pages
from app.formats.source import BytesSource
from app.model import Author, Held, Message, Role, Session, Text
from tests.fuzz.corpus import seeds
from tests.fuzz.mutations import mutate

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "caf\u00e9 \U0001f600"},
    {"role": "assistant", "content": 'Say "}{" [twice].', "extra": {"n": 1.5, "list": [[], {}]}},
    {"role": "user", "content": "Thanks."},
]


def spans(data: bytes) -> list[bytes]:
    return [data[element.start : element.end] for element in MessageFinder(data)]


def load(data: bytes) -> Session:
    source = BytesSource(data)
    return detect(source).read(source)


def rewritten(session: Session, messages: tuple[Message, ...]) -> Rewriting:
    return format_named(session.format).rewrite(session, Rewrite(messages))


def write(session: Session, *messages: Message) -> bytes:
    return b"".join(rewritten(session, messages).pieces())


def words(session: Session) -> set[str]:
    return {notice.word for notice in session.notices}


def made(text: str) -> Message:
    return Message("made", Role.USER, (Text("made:0", Held(text), Author.SUMMARY),))


A = b'{"role": "system", "content": "a"}'
C = b'{"role": "user", "content": "c"}'
DUMPS = [
    json.dumps(TALK),
    json.dumps(TALK, indent=2),
    json.dumps(TALK, indent="\t", ensure_ascii=False) + "\n",
    json.dumps(TALK, separators=(",", ":"), ensure_ascii=False),
    json.dumps(TALK, indent=1).replace("\n", "\r\n"),
    "[\n" + ",\n".join(json.dumps(message) for message in TALK) + "\n]\n",
]


@pytest.mark.parametrize("text", DUMPS)
@pytest.mark.parametrize(
    "around", ["%s", '{"model": "m", "messages": %s, "n": 1.10}', '{"request": {"messages":%s}}\n']
)
def test_messages_are_found_and_an_unedited_file_keeps_every_byte(text: str, around: str) -> None:
    data = (around % text).encode()
    assert [json.loads(span) for span in spans(data)] == TALK
    session = load(data)
    assert session.facts.messages == len(TALK)
    plan = rewritten(session, session.live)
    assert b"".join(plan.pieces()) == data
    assert (plan.kept, plan.changed, plan.added, plan.dropped, plan.repairs) == (len(TALK), 0, 0, 0, ())


@pytest.mark.parametrize("text", DUMPS)
@pytest.mark.parametrize("gone", range(len(TALK)))
def test_a_dropped_message_takes_its_comma_and_nothing_else(text: str, gone: int) -> None:
    session = load(text.encode())
    kept = [message for index, message in enumerate(session.live) if index != gone]
    out = write(session, *kept)
    assert json.loads(out) == [message for index, message in enumerate(TALK) if index != gone]
    assert spans(out) == [span for index, span in enumerate(spans(text.encode())) if index != gone]
    lines = text.count("\n") - spans(text.encode())[gone].count(b"\n")
    assert out.count(b"\n") == lines - ("\n" in text.strip())


def test_all_messages_may_go() -> None:
    session = load(b'{"messages": [\n {"role": "user", "content": "a"}\n], "n": 1}')
    assert json.loads(write(session)) == {"messages": [], "n": 1}


def test_a_new_message_is_written_in_the_style_of_its_neighbours() -> None:
    for indent in (1, 4, "\t"):
        text = json.dumps({"messages": TALK}, indent=indent, ensure_ascii=False)
        session = load(text.encode())
        wanted = {"messages": [TALK[0], {"role": "user", "content": "new\nline"}, *TALK[1:]]}
        out = write(session, session.live[0], made("new\nline"), *session.live[1:])
        assert out.decode() == json.dumps(wanted, indent=indent, ensure_ascii=False)


def test_a_new_message_between_compact_lines_stands_on_its_own_line() -> None:
    session = load(DUMPS[-1].encode())
    lines = write(session, made("new"), *session.live).decode().splitlines()
    assert lines[1] == '{"role": "user", "content": "new"},'
    assert lines[2:] == DUMPS[-1].splitlines()[1:]


def test_commas_may_stand_in_front() -> None:
    listed = [json.dumps(message, indent=1).replace("\n", "\n  ") for message in TALK]
    session = load(("[ " + "\n, ".join(listed) + "\n]").encode())
    out = write(session, session.live[0], made("new"), *session.live[1:])
    assert [message["content"] for message in json.loads(out)] == [
        TALK[0]["content"], "new", *(message["content"] for message in TALK[1:]),
    ]  # fmt: skip
    assert b'\n, {\n   "role": "user",\n   "content": "new"\n  }\n, {' in out


def test_damage_around_the_messages_is_mended_too() -> None:
    data = (
        b'{"note": "a\nb\xff", "request": {"n": NaN, "messages": ['
        + A
        + b'], "big": 1.10, "x": "\0"}, "z": 1}\n'
    )
    session = load(data)
    assert {"invalid-utf8", "nul-bytes"} <= words(session)
    out = json.loads(write(session, *session.live), parse_constant=pytest.fail)
    assert out["note"] == "a\nb\ufffd"
    assert out["request"]["messages"] == [json.loads(A)]
    assert out["request"]["x"] == "\0"


def test_damage_without_end_is_counted() -> None:
    data = b"[" + A + b", " + b", ".join([b'{"role": "user", "content": NaN}'] * 500) + b"]"
    session = load(data)
    assert session.facts.messages == 501
    notices = [notice for notice in session.notices if notice.word == "bad-line"]
    assert (len(notices), notices[-1].detail) == (101, "400 more")


def test_messages_may_be_written_in_another_order() -> None:
    session = load(json.dumps(TALK, indent=2).encode())
    out = write(session, session.live[1], made("new"), session.live[0], session.live[3])
    assert [message["content"] for message in json.loads(out)] == [
        TALK[1]["content"], "new", TALK[0]["content"], TALK[3]["content"],
    ]  # fmt: skip


def test_a_torn_document_keeps_the_messages_before_the_tear() -> None:
    whole = json.dumps({"id": "r", "request": {"model": "m", "messages": TALK}}, indent=2).encode()
    for cut in range(whole.index(b'"Thanks'), len(whole) - 1):
        session = load(whole[:cut])
        count = session.facts.messages
        assert count >= 3
        assert "torn-tail" in words(session)
        plan = rewritten(session, session.live)
        out = json.loads(b"".join(plan.pieces()))
        assert out["request"]["messages"] == TALK[:count]
        assert "torn-tail" in {notice.word for notice in plan.repairs}


def test_members_behind_the_messages_outlive_a_tear() -> None:
    session = load(
        b'{"messages": [{"role": "user", "content": "a"}, {"role": "tool"}], "title": "T", "x": [1, '
    )
    assert session.title == "T"
    out = write(session, *session.live)
    assert json.loads(out)["title"] == "T"
    assert out.endswith(b"}\n")


@pytest.mark.parametrize(
    ("damaged", "word", "left"),
    [
        (b"\xef\xbb\xbf[" + A + b"]", "bom", ["a"]),
        (b"[" + A + b" " + C + b"]", "glued-records", ["a", "c"]),
        (b"[" + A + b",]", "bad-line", ["a"]),
        (b"[" + A + b', {"role": user}, ' + C + b"]", "bad-line", ["a", "c"]),
        (b"[" + A + b', {"role": "user, ' + C + b"]", "bad-line", ["a", "c"]),
        (b"[" + A + b', 42, "x", null, ' + C + b"]", "not-a-record", ["a", "c"]),
        (b'[{"role": "system", "content": "a\nb\xff"}]', "invalid-utf8", ["a\nb\ufffd"]),
        (b'[{"role": "system", "content": "a\0"}]\n\0\0\0', "nul-bytes", ["a\0"]),
        (b"[" + A + b"]\n!!", "bad-line", ["a"]),
        (b'[{"role": "system", "content": "half \\ud83d"}]', "lone-surrogate", ["half \ufffd"]),
        (b'[{"role": "system", "content": "a", "x": NaN}]', "bad-line", ["a"]),
    ],
)  # fmt: skip
def test_damage_is_named_and_what_is_written_is_sound(damaged: bytes, word: str, left: list[str]) -> None:
    session = load(damaged)
    assert word in words(session)
    plan = rewritten(session, session.live)
    assert word in {notice.word for notice in plan.repairs}
    again = json.loads(b"".join(plan.pieces()), parse_constant=pytest.fail)
    assert [message["content"] for message in again] == left
    assert plan.dropped == len(session.records) - plan.kept - plan.changed


PRINTED = json.dumps(
    {"model": "m", "system": "Be brief.", "messages": TALK, "tools": [{"name": "x"}], "n": 1.5}, indent=2
).encode()
"""A document that is printed for people."""


@pytest.mark.parametrize("made", [b"", b'"', b"\0", b"{", b","])
def test_a_byte_that_is_wrong_costs_no_more_than_the_message_in_which_it_stands(made: bytes) -> None:
    sound = spans(PRINTED)
    name = PRINTED.index(b'  "messages"')
    for at in range(5, len(PRINTED) - 1):
        damaged = PRINTED[:at] + made + PRINTED[at + 1 :]
        if not name - 1 <= at <= name + len(b'  "messages": [\n    {'):
            left = [span for span in spans(damaged) if span in sound]
            assert len(left) >= len(TALK) - 1, PRINTED[at - 9 : at + 9]


@pytest.mark.parametrize("made", [b"", b'"', b"\0", b"{", b","])
def test_in_a_document_of_one_line_too(made: bytes) -> None:
    whole = json.dumps({"messages": TALK}).encode()
    sound = spans(whole)
    for at in range(whole.index(b"[") + 1, len(whole) - 2):
        left = [span for span in spans(whole[:at] + made + whole[at + 1 :]) if span in sound]
        assert len(left) >= len(TALK) - 1, whole[at - 9 : at + 9]


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ('"system": "Be', '"system": Be', {"system"}),
        ('"system": "Be brief.",', '"system": "Be brief.,', {"system"}),
        ('"system": "Be brief.",', '"system": "Be brief."', set()),
        ('"model": "m"', '"model" "m"', {"model"}),
        ('"name": "x"', '"name": x', {"tools"}),
        ('\n  "n": 1.5', '\n  "n": 1.5.5', {"n"}),
        ("  ],\n", "  ]\n", set()),
    ],
)
def test_damage_beside_the_messages_costs_no_more_than_the_value_in_which_it_stands(
    old: str, new: str, lost: set[str]
) -> None:
    damaged = PRINTED.decode().replace(old, new, 1)
    session = load(damaged.encode())
    assert session.facts.messages == len(TALK)
    (notice,) = [n for n in session.notices if n.word == "bad-line"]
    assert "leaves out what cannot be read there" in notice.detail
    plan = rewritten(session, session.live[:-1])
    out = b"".join(plan.pieces())
    left = {key: value for key, value in json.loads(PRINTED).items() if key not in lost}
    assert out.decode() == json.dumps({**left, "messages": TALK[:-1]}, indent=2) + "\n"
    assert "bad-line" in {notice.word for notice in plan.repairs}


@pytest.mark.parametrize("first", [A, C, b""])
def test_of_two_lists_of_one_name_the_last_counts_as_for_any_reader(first: bytes) -> None:
    data = b'{"messages": [' + first + b'], "n": 1, "messages": [' + A + b", " + C + b"]}"
    session = load(data)
    assert [message.role for message in session.live] == [Role.SYSTEM, Role.USER]
    assert write(session, *session.live) == data
    assert json.loads(write(session, session.live[1])) == {"messages": [json.loads(C)], "n": 1}


def test_damage_of_the_last_message_leaves_what_stands_behind_the_list() -> None:
    session = load(PRINTED.replace(b'"Thanks."', b'"Thanks.'))
    told = json.loads(write(session, *session.live))
    assert told == {**json.loads(PRINTED), "messages": TALK[:-1]}


def test_numbers_and_nesting_that_bite_stay_byte_for_byte() -> None:
    deep = "[" * 3000 + "]" * 3000
    digits = "9" * 5000
    text = f'[{{"role": "user", "content": "a", "n": [{digits}, 1.10, 1E2, -0.0], "deep": {deep}}}]'
    session = load(text.encode())
    out = write(session, *session.live)
    assert out == text.encode()


def test_an_element_that_is_no_message_stays_where_it_is() -> None:
    listed = [{"note": 1}, {"role": "user", "content": "a"}, {"role": "exit", "content": "x"},
              {"role": "system", "content": "c"}]  # fmt: skip
    session = load(json.dumps(listed).encode())
    assert [message.role for message in session.live] == [Role.USER, Role.SYSTEM]
    assert "unknown-record-type" in words(session)
    out = write(session, session.live[0], made("b"))
    assert [list(message.values())[-1] for message in json.loads(out)] == [1, "a", "b", "x"]


def test_of_several_conversations_the_last_is_open_and_the_others_stay() -> None:
    lines = [json.dumps({"messages": TALK[:count]}) for count in (2, 3, 4)]
    data = ("\n".join(lines) + "\n").encode()
    marked = load(data.replace(lines[2].encode(), b"\xef\xbb\xbf" + lines[2].encode()))
    assert marked.facts.messages == 4, "a byte-order mark is no part of it"
    session = load(data)
    assert session.facts.messages == 4
    assert "several-sessions" in words(session)
    assert write(session, *session.live) == data
    out = write(session, *session.live[:2]).decode().splitlines()
    assert out[:2] == lines[:2]
    assert json.loads(out[2]) == {"messages": TALK[:2]}


def test_reading_is_linear_in_the_size_of_the_document() -> None:
    hostile = [
        b"[" + b'{"role": "user", "content": "' * 8_000,
        b'[{"role": "user", "content": "x"}, ' + b"}{" * 50_000,
        b'{"a": ' * 50_000,
        b'[{"role": "user", "content": ' + b"[" * 60_000,
        b'[{"role": "user", "content": "' + b'\\"' * 200_000,
        b'["' * 40_000,
        b"{" + b'\n "a": [' * 40_000,
        b"{" + b'\n "a": {\n  "b": {\n   "c": {' * 10_000,
        b'{\n "a": {' + b'\n  "b": {\n   "c": [' * 10_000,
        b"[" + b'\n {"role": [' * 20_000,
        b'{\n "messages": [' + b'\n  {"role": {' * 20_000,
        b'{\n "messages": [' + b'\n  {\n   "role" "user"\n  },' * 20_000,
    ]
    started = time.process_time()
    for data in hostile:
        list(MessageFinder(data))
    assert time.process_time() - started < 2


DOCUMENTS = [data for data in seeds() if data.lstrip()[:1] in (b"{", b"[")]


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), page=st.sampled_from([1, 300, 5_000, 1 << 20]))
def test_a_document_that_is_not_held_is_read_alike(seed: int, page: int) -> None:
    chance = Random(seed)
    data = mutate(chance.choice(DOCUMENTS), chance, DOCUMENTS)
    held = MessageFinder(data)
    paged = MessageFinder(Pages(BytesSource(b"#" + data), 1, page))
    assert list(held) == list(paged) and held.found == paged.found


MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "system"]), "content": st.text(max_size=12)},
        optional={
            "extra": st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=2)
        },
    ),
    min_size=1,
    max_size=5,
)
SPACES = st.lists(st.text(" \t\r\n", max_size=3), min_size=12, max_size=12)


@settings(max_examples=40, deadline=None)
@given(MESSAGES, SPACES, st.booleans(), st.data())
def test_any_spacing_round_trips_and_survives_a_drop(
    messages: list[dict[str, Any]], spaces: list[str], wrapped: bool, data: st.DataObject
) -> None:
    gap = iter(spaces)
    listed = ",".join(next(gap) + json.dumps(message) + next(gap) for message in messages)
    raw = (f'{{"n" :1.0, "messages":[{listed}]\n, "title":"T"}}' if wrapped else f" [{listed}] ").encode()
    session = load(raw)
    assert write(session, *session.live) == raw
    gone = data.draw(st.integers(0, len(messages) - 1))
    kept = [message for number, message in enumerate(session.live) if number != gone]
    out = write(session, *kept)
    json.loads(out)
    assert spans(out) == [span for number, span in enumerate(spans(raw)) if number != gone]


def test_memory_of_a_record_is_not_held(tmp_path: Path) -> None:
    session = load(json.dumps([{"role": "tool", "content": "x" * 100_000}]).encode())
    part = session.live[0].blocks[0].parts[0].content  # type: ignore[union-attr]
    assert len(part.preview) < 1000
    assert part.chars == 100_000 == len(part.read())
