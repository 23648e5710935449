"""What a block and a message cost for a model."""

from __future__ import annotations

import base64
import json
import random

import pytest
from msgspec.structs import replace

from app.model import Author, Held, Message, Opaque, Text
from app.tokens import TokenEstimator, estimator, token_estimator
from app.tokens.encode import encoder
from app.tokens.model_tokens import Correction
from tests.build import assistant, conversation, image, opaque, result, thinking, use, user
from tests.tokens.test_images import png

GPT = "gpt-5"
OLD = "claude-sonnet-4-5"
NEW = "claude-opus-4-7"


def _exact(text: str) -> int:
    count = encoder().count(text)
    assert count is not None
    return count


def _typed(text: str) -> Text:
    return Text("k", Held(text), Author.USER)


def test_gpt_5_counts_the_visible_text_exactly() -> None:
    measure = token_estimator(GPT)
    text = "Please fix the login; the cookie is lost after a redirect."
    call = use("c", "Read", {"file_path": "a.py"})
    assert measure.block(_typed(text)) == _exact(text)
    assert measure.block(call) == _exact("Read") + _exact('{"file_path":"a.py"}')
    assert measure.block(result("c", text)) == _exact(text) + 9


@pytest.mark.parametrize(
    ("model", "text", "factor"),
    [
        (OLD, "".join(f"{n:>6}→x = {n}\n" for n in range(1, 400)), 1.09),
        (NEW, "".join(f"{n:>6}→x = {n}\n" for n in range(1, 400)), 1.57),
        (OLD, '{"name": "x", "list": [1, 2, 3]}' * 40, 1.21),
        (NEW, '{"name": "x", "list": [1, 2, 3]}' * 40, 1.53),
        (OLD, "登录页面会丢失。" * 100, 1.36),
        (NEW, "登录页面会丢失。" * 100, 1.36),
        ("gemini-3-pro", "Some words of a person." * 40, 1.10),
        ("kimi-k2", "Some words of a person." * 40, 1.0),
    ],
)
def test_a_text_is_counted_by_its_class(model: str, text: str, factor: float) -> None:
    assert token_estimator(model).block(_typed(text)) == round(_exact(text) * factor)


def test_a_reply_and_an_input_have_factors_of_their_own() -> None:
    words = "I read the file and found the cause. " * 30
    reply = Text("k", Held(words), Author.ASSISTANT)
    call = use("c", "Write", {"path": "a.txt", "text": words})
    measure = token_estimator(NEW)
    assert measure.block(reply) == round(_exact(words) * 1.58)
    assert measure.block(call) == round(_exact(call.input.read()) * 1.48 + 68)


@pytest.mark.parametrize(
    ("model", "first", "further", "reply"), [(OLD, 15, 45, 22), (NEW, 4, 38, 0), (GPT, 9, 9, 2)]
)
def test_fixed_costs_of_results_and_replies(model: str, first: int, further: int, reply: int) -> None:
    measure = token_estimator(model)
    one, three = conversation(user(result("a")), user(result("a"), result("b"), result("c")))
    assert measure.message(one) == first
    assert measure.message(three) == first + 2 * further
    assert measure.message(assistant()) == reply
    assert measure.total((one, three)) == 2 * first + 2 * further


@pytest.mark.parametrize(
    ("model", "shown", "tokens"),
    [
        (NEW, "", 452),
        (NEW, "only a summary of it", 452),
        ("claude-opus-4-6", "", 349),
        ("claude-sonnet-4-6", "", 380),
        (OLD, "", 346),
        ("claude-of-tomorrow", "", 452),
        (None, "", 452),
        (GPT, "", 0),
    ],
)
def test_thinking_is_counted_by_its_seal(model: str | None, shown: str, tokens: int) -> None:
    assert token_estimator(model).block(thinking(shown, signature_chars=2_000)) == tokens


def test_thinking_that_is_shown_whole_is_counted_by_its_words() -> None:
    words = "The cookie is set for another path. " * 20
    assert token_estimator(OLD).block(thinking(words, signature_chars=9_999)) == round(_exact(words) * 1.25)
    assert token_estimator(NEW).block(thinking(words, signature_chars=0)) == round(_exact(words) * 1.58)


def test_thinking_is_never_less_than_nothing() -> None:
    assert token_estimator(NEW).block(thinking("", signature_chars=10)) == 0


def test_redacted_thinking_is_counted_by_its_data() -> None:
    assert token_estimator(NEW).block(thinking("x" * 2_000, signature_chars=0, redacted=True)) == 452


def test_a_message_of_calls_alone_is_not_nothing() -> None:
    message = assistant(use("c", "write_file", {"path": "/w/a.txt", "text": "word " * 800}))
    assert 700 <= token_estimator(GPT).message(message) <= 1_300


def test_a_picture_is_not_counted_as_text() -> None:
    data = base64.b64encode(png(1000, 1000, body=400_000)).decode()
    assert token_estimator(OLD).block(image(data)) == 1_296
    assert token_estimator(OLD).block(result("c", image(data))) == 1_296 + 15


def test_base64_in_a_text_is_counted_as_text() -> None:
    text = "data:image/png;base64," + base64.b64encode(random.Random(1).randbytes(30_000)).decode()
    for name in ("tokens", "rough"):
        assert estimator(name, model=NEW).block(result("c", text)) > 0.5 * len(text)


def test_blocks_that_stand_for_something_else() -> None:
    measure = token_estimator(NEW)
    data = json.dumps({"type": "document", "source": {"data": "A" * 80_000}})
    assert measure.block(opaque("fallback", "{}")) == 0
    assert measure.block(opaque("tool_reference", '{"tool_name":"x"}')) == 750
    assert 1_000 < measure.block(opaque("document", data)) < 4_000
    assert measure.block(Opaque("k", "new", Held('{"type":"new","text":"some words"}'))) > 5


def test_no_text_is_encoded_twice_and_a_change_costs_one_count() -> None:
    measure = token_estimator(OLD)
    results = [result(f"c{n}", f"the words of result {n} of this test") for n in range(20)]
    messages = conversation(*(user(block) for block in results))
    before = measure.total(messages)
    calls = encoder().calls

    changed = (*messages[:3], replace(messages[3], blocks=(result("c3", "gone"),)), *messages[4:])

    assert measure.total(changed) < before
    assert encoder().calls - calls <= 1
    assert token_estimator(OLD).total(messages) == before
    assert encoder().calls - calls <= 1


def test_a_correction_scales_everything_and_names_itself() -> None:
    message: Message = assistant("Some words of a reply. " * 40, use("c", "Read", {"file_path": "a.py"}))
    plain = token_estimator(OLD)
    corrected = plain.corrected(Correction(1.5, "~ calibrated on 63 replies"))
    assert corrected.message(message) == pytest.approx(plain.message(message) * 1.5, abs=2)
    assert corrected.describe() == "~ calibrated on 63 replies"


@pytest.mark.parametrize("name", ["tokens", "rough"])
def test_damaged_texts_are_counted(name: str) -> None:
    measure = estimator(name, model=NEW)
    for text in ("\ud800 half", "<|endoftext|>", "\x00" * 100, "", "[" * 5_000):
        assert measure.block(result("c", text)) >= 4


def test_rough_and_exact_go_by_the_same_table() -> None:
    messages = conversation(
        user("Fix the login of the admin page, the cookie is lost after the redirect."),
        assistant(thinking("", signature_chars=3_000), use("c", "Read", {"file_path": "src/login.py"})),
        user(result("c", "".join(f"{n:>6}→    value_{n} = load(name, {n})\n" for n in range(1, 300)))),
    )
    exact, rough = token_estimator(NEW), token_estimator(NEW, exact=False)
    assert rough.total(messages) == pytest.approx(exact.total(messages), rel=0.25)
    assert (rough.name, rough.describe()) == ("rough", "~ rough, from lengths")


def test_length_and_cut_are_code_points() -> None:
    measure: TokenEstimator = token_estimator(None)
    assert measure.length("a😀b") == 3
    assert (measure.cut("a😀b", 2), measure.cut("ab", -1)) == ("a😀", "")
