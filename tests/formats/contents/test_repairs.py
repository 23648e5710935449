"""Contents are mended so that the Gemini API takes them, and as little as possible is changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.contents.repairs import mend_contents
from app.formats.markers import EARLIER_TEXT, ORPHAN_TEXT, UNANSWERED_TEXT

Content = dict[str, Any]


def user(*parts: Any) -> Content:
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: Any) -> Content:
    return {**user(*parts), "role": "model"}


def call(name: str, ident: str | None = None) -> Content:
    return {"functionCall": {**({"id": ident} if ident else {}), "name": name, "args": {}}}


def answer(name: str, text: str, ident: str | None = None) -> Content:
    own = {"id": ident} if ident else {}
    return {"functionResponse": {**own, "name": name, "response": {"output": text}}}


def mended(*contents: Content, join: bool = False) -> tuple[list[Content], list[str]]:
    """The contents as they would be written, and the words of the repairs."""
    pairs = [(str(number), content) for number, content in enumerate(contents)]
    mending = mend_contents(lambda: pairs, join=join)
    written = [each.message for each in mending.run() if each.message is not None]
    return written, [repair.word for repair in mending.repairs]


def is_valid(contents: list[Content]) -> bool:
    """Whether the numbers of calls and answers agree, after contents of one role were joined."""
    waiting, role = 0, "model"
    answers = 0
    for content in [*contents, model()]:
        if content["role"] != role and content["role"] == "model":
            if answers != waiting:
                return False
            waiting = answers = 0
        role = content["role"]
        waiting += sum("functionCall" in part for part in content["parts"])
        answers += sum("functionResponse" in part for part in content["parts"])
    return waiting == 0 or answers == waiting


def test_what_is_sound_stays_the_same_object() -> None:
    contents = [
        user("Read."),
        model("Yes.", call("read", "a")),
        user(answer("read", "ok", "a")),
        model("Done."),
    ]
    written, words = mended(*contents)
    assert words == []
    assert all(one is other for one, other in zip(written, contents, strict=True))


def test_a_call_without_an_answer_gets_one_beside_the_others() -> None:
    written, words = mended(user("Go."), model(call("a"), call("b")), user(answer("a", "ok")), model("Hm."))
    assert words == ["open-call"]
    assert written[2]["parts"] == [
        answer("a", "ok"),
        {"functionResponse": {"name": "b", "response": {"error": UNANSWERED_TEXT}}},
    ]


def test_a_last_call_gets_an_answer_of_its_own() -> None:
    written, words = mended(user("Go."), model(call("a", "1")))
    assert words == ["open-call"]
    assert written[-1]["role"] == "user"
    assert written[-1]["parts"][0]["functionResponse"]["id"] == "1"


def test_an_answer_without_its_call_is_told_as_words() -> None:
    written, words = mended(user(answer("a", "forty-two")), model("Good."))
    assert words == ["orphan-result"]
    assert written[0]["parts"] == [{"text": f"{ORPHAN_TEXT}\nforty-two"}]


def test_the_second_copy_of_an_answer_goes_with_its_picture() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    first, copy = answer("a", "ok", "1"), answer("a", "ok", "1")
    written, words = mended(
        user("Go."), model(call("a", "1")), user(first, picture), user(copy, picture, "And?")
    )
    assert words == ["orphan-result"]
    assert written[2:] == [user(first, picture), user("And?")]


def test_a_conversation_begins_with_the_user() -> None:
    written, words = mended(model("Hello."))
    assert words == ["first-role"]
    assert written[0] == user(EARLIER_TEXT)


def test_empty_parts_and_contents_go() -> None:
    written, words = mended(user("Go.", "", {}), model(""), user("On."))
    assert set(words) == {"empty-text"}
    assert written == [user("Go."), user("On.")]


def test_an_empty_text_that_carries_a_seal_stays() -> None:
    sealed = {"text": "", "thoughtSignature": "c2VhbA=="}
    written, words = mended(user("Go."), model("Done.", sealed))
    assert words == []
    assert written[1]["parts"][1] is sealed


@pytest.mark.parametrize("value", ["half \ud800 pair", float("nan")])
def test_what_no_request_can_hold_is_replaced(value: Any) -> None:
    odd = {"functionCall": {"id": "1", "name": "a", "args": {"x": value}}}
    written, _ = mended(user("Go."), model(odd), user(answer("a", "ok", "1")))
    json.dumps(written, allow_nan=False).encode()
    assert "\ud800" not in json.dumps(written, ensure_ascii=False)


def test_calls_that_stand_apart_are_joined_where_nobody_else_does() -> None:
    contents = [user("Go."), model("Yes."), model(call("a")), user(answer("a", "ok"))]
    assert mended(*contents) == (contents, [])
    written, words = mended(*contents, join=True)
    assert words == ["block-order"]
    assert written == [user("Go."), model("Yes.", call("a")), user(answer("a", "ok"))]


_parts = st.one_of(
    st.sampled_from(["words", "", " "]),
    st.builds(call, st.sampled_from("ab"), st.sampled_from([None, "1", "2"])),
    st.builds(answer, st.sampled_from("ab"), st.just("ok"), st.sampled_from([None, "1", "2"])),
    st.sampled_from(
        [{}, None, 7, {"functionCall": 7}, {"inlineData": {"mimeType": "image/png", "data": ""}}]
    ),
)
_contents = st.builds(
    lambda role, parts: {**user(*parts), "role": role},
    st.sampled_from(["user", "model"]),
    st.lists(_parts, max_size=3),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(_contents, max_size=8), st.booleans())
def test_whatever_comes_the_numbers_agree_and_a_second_run_finds_nothing(
    contents: list[Content], join: bool
) -> None:
    written, _ = mended(*contents, join=join)
    assert is_valid(written)
    assert not written or written[0]["role"] == "user"
    assert all(part and part.get("text") != "" for content in written for part in content["parts"])
    assert mended(*written, join=join) == (written, [])
