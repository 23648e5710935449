"""The mock model refuses what a provider refuses: a client's test could not fail without it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.clients.mock import ANSWER, MockModel

pytestmark = pytest.mark.clients

ASKED = {"role": "user", "content": "Read it."}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x = 1"}]}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2VhbA=="}
WORDS = {"type": "text", "text": "One."}


def post(model: MockModel, path: str, body: Any) -> tuple[int, str]:
    """Status and text of the answer."""
    request = urllib.request.Request(model.url + path, json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def messages(model: MockModel, *conversation: Any, **fields: Any) -> tuple[int, str]:
    return post(model, "/v1/messages?beta=true", {"model": "m", "messages": conversation, **fields})


def items(model: MockModel, *conversation: Any) -> tuple[int, str]:
    return post(model, "/v1/responses", {"model": "m", "input": conversation, "stream": True})


def test_a_sound_conversation_is_answered_and_recorded() -> None:
    with MockModel() as model:
        status, text = messages(model, ASKED, CALL, RESULT)
    assert status == 200
    assert json.loads(text)["content"] == [{"type": "text", "text": ANSWER}]
    (request,) = model.requests
    assert request.conversation == (ASKED, CALL, RESULT) and request.refused is None


def test_an_answer_is_streamed_when_asked_for() -> None:
    with MockModel() as model:
        _, text = messages(model, ASKED, stream=True)
    names = [line.removeprefix("event: ") for line in text.splitlines() if line.startswith("event: ")]
    assert (names[0], names[-1]) == ("message_start", "message_stop")
    assert ANSWER in text


@pytest.mark.parametrize(
    ("conversation", "words"),
    [
        ((CALL, RESULT), 'messages: first message must use the "user" role'),
        ((ASKED, RESULT), "unexpected `tool_use_id` found in `tool_result` blocks: t1"),
        (
            (ASKED, CALL, ASKED),
            "`tool_use` ids were found without `tool_result` blocks immediately after: t1",
        ),
        ((ASKED, {"role": "user", "content": [{"type": "text", "text": ""}]}), "text content blocks must be"),
        ((ASKED, CALL, RESULT, CALL, RESULT), "`tool_use` ids must be unique"),
    ],
    ids=["first-role", "orphan-result", "open-call", "empty-text", "equal-ids"],
)
def test_a_broken_rule_is_refused_in_the_providers_words(conversation: tuple[Any, ...], words: str) -> None:
    with MockModel() as model:
        status, text = messages(model, *conversation)
    assert status == 400
    assert words in json.loads(text)["error"]["message"]
    assert model.requests[0].refused == json.loads(text)["error"]["message"]


def test_seals_are_checked_or_taken_on_trust() -> None:
    said = {"role": "assistant", "content": [THOUGHT, WORDS]}
    altered = {"role": "assistant", "content": [{**THOUGHT, "thinking": "Ha."}, WORDS]}
    with MockModel(sealed=[("1", ASKED), ("2", said)]) as model:
        assert messages(model, ASKED, said, ASKED)[0] == 200
        status, text = messages(model, ASKED, altered, ASKED)
    assert status == 400
    assert "messages.1.content.0: Invalid `signature` in `thinking` block" in text
    with MockModel() as model:
        assert messages(model, ASKED, altered, ASKED)[0] == 200


def test_a_window_that_is_too_small() -> None:
    with MockModel(window=50) as model:
        assert messages(model, ASKED)[0] == 200
        status, text = messages(model, {"role": "user", "content": "x" * 400})
    assert status == 400
    assert f"prompt is too long: {model.requests[1].tokens} tokens > 50 maximum" in text


def test_a_picture_is_not_counted_by_its_bytes() -> None:
    picture = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" * 10_000}
    with MockModel() as model:
        body = {"messages": [{"role": "user", "content": [{"type": "image", "source": picture}]}]}
        _, text = post(model, "/v1/messages/count_tokens", body)
    assert json.loads(text)["input_tokens"] < 2_000


def test_items_of_the_other_provider() -> None:
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Read it."}]}
    call = {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "x = 1"}
    with MockModel() as model:
        status, text = items(model, asked, call, output)
        orphan, words = items(model, asked, output)
    assert status == 200
    assert "event: response.completed" in text and ANSWER in text
    assert orphan == 400
    assert "No tool call found for function call output with call_id c1" in words


CHAT_CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}],
}
CHAT_RESULT = {"role": "tool", "tool_call_id": "c1", "content": "x = 1"}


def test_chat_completions() -> None:
    path = "/v1/chat/completions"
    with MockModel() as model:
        status, text = post(model, path, {"model": "m", "messages": [ASKED, CHAT_CALL, CHAT_RESULT]})
        streamed = post(model, path, {"model": "m", "messages": [ASKED], "stream": True})[1]
        orphan, words = post(model, path, {"model": "m", "messages": [ASKED, CHAT_RESULT]})
        still_open, told = post(model, path, {"model": "m", "messages": [ASKED, CHAT_CALL, ASKED]})
    assert status == 200 and json.loads(text)["choices"][0]["message"]["content"] == ANSWER
    assert streamed.startswith("data: ") and ANSWER in streamed and "event:" not in streamed
    assert orphan == 400 and "must be a response to a preceeding message" in words
    assert still_open == 400 and "did not have response messages: c1" in told


GEMINI_CALL = {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]}
GEMINI_PART = {"functionResponse": {"name": "read", "response": {"output": "x"}}}
GEMINI_RESULT = {"role": "user", "parts": [GEMINI_PART]}
GEMINI_ASKED = {"role": "user", "parts": [{"text": "Read it."}]}


def test_contents() -> None:
    path = "/v1beta/models/m:generateContent"
    twice = {"role": "user", "parts": [GEMINI_PART, GEMINI_PART]}
    with MockModel() as model:
        status, text = post(model, path, {"contents": [GEMINI_ASKED, GEMINI_CALL, GEMINI_RESULT]})
        streamed = post(model, "/v1beta/models/m:streamGenerateContent", {"contents": [GEMINI_ASKED]})[1]
        wanted = {"contents": [GEMINI_ASKED], "generationConfig": {"responseMimeType": "application/json"}}
        as_json = json.loads(post(model, path, wanted)[1])["candidates"][0]["content"]["parts"][0]["text"]
        doubled, words = post(model, path, {"contents": [GEMINI_ASKED, GEMINI_CALL, twice]})
        counted = json.loads(post(model, "/v1beta/models/m:countTokens", {"contents": [GEMINI_ASKED]})[1])
    assert status == 200
    assert json.loads(text)["candidates"][0]["content"]["parts"] == [{"text": ANSWER}]
    assert streamed.startswith("data: ") and ANSWER in streamed
    assert json.loads(as_json) == {"text": ANSWER}
    assert doubled == 400 and "equal to the number of function call parts" in words
    assert counted == {"totalTokens": 3}


def test_other_calls_are_not_found() -> None:
    with MockModel() as model:
        status, _ = post(model, "/v1/telemetry", {})
    assert status == 404 and not model.requests
