"""OpenAI's Chat Completions as its clients see it: what it takes, what it answers, how it refuses."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from app.validity import RULES, check, errors

JsonObject = dict[str, Any]

_WORDING: Final[Mapping[str, str]] = {
    "chat.empty-conversation": "Invalid 'messages': empty array. Expected an array with minimum length 1,"
    " but got an empty array instead.",
    "chat.orphan-result": "Invalid parameter: messages with role 'tool' must be a response to a preceeding"
    " message with 'tool_calls'.",
    "chat.open-call": "An assistant message with 'tool_calls' must be followed by tool messages responding"
    " to each 'tool_call_id'. The following tool_call_ids did not have response messages: {detail}",
}
"""The provider's own words; any other rule is refused in this project's words."""


class ChatApi:
    """Chat Completions."""

    name = "chat"

    def serves(self, path: str) -> bool:
        """Whether a POST to this path is a call of the model."""
        return path.endswith("/chat/completions")

    def counts(self, path: str) -> bool:
        """There is no such call."""
        return False

    def counted(self, tokens: int) -> JsonObject:
        """Nothing asks for it."""
        return {}

    def streams(self, path: str, body: JsonObject) -> bool:
        """Whether the answer shall be a stream of events."""
        return bool(body.get("stream"))

    def conversation(self, body: JsonObject) -> list[Any]:
        """The messages, as they stand in the request."""
        messages = body.get("messages")
        return messages if isinstance(messages, list) else []

    def why_refused(self, body: JsonObject, sealed: Sequence[tuple[str, Any]] | None) -> str | None:
        """The words for the first rule that is broken; None for a request that keeps them all."""
        pairs = [(str(i), message) for i, message in enumerate(self.conversation(body))]
        found = errors(check("openai-chat", pairs))
        if not found:
            return None
        form = _WORDING.get(found[0].rule, "Invalid '{where}': {rule}.")
        return form.format(where=found[0].where, detail=found[0].detail, rule=RULES[found[0].rule].text)

    def too_long(self, tokens: int, window: int) -> str:
        """The words for a request that is over the window."""
        return (
            f"This model's maximum context length is {window} tokens. However, your messages resulted in"
            f" {tokens} tokens. Please reduce the length of the messages."
        )

    def error(self, words: str) -> JsonObject:
        """The body of a 400."""
        code = "context_length_exceeded" if "maximum context length" in words else None
        fields = {"type": "invalid_request_error", "param": "messages", "code": code}
        return {"error": {"message": words, **fields}}

    def reply(self, text: str, body: JsonObject, number: int, tokens: int) -> JsonObject:
        """A whole completion that says `text`; `tokens` is the size of the request."""
        said = len(text) // 4 + 1
        message = {"role": "assistant", "content": text}
        return {
            "id": f"chatcmpl-{number:024}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body.get("model"),
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": tokens, "completion_tokens": said, "total_tokens": tokens + said},
        }

    def events(self, reply: JsonObject) -> Iterator[JsonObject]:
        """The reply in chunks."""
        base = {name: reply[name] for name in ("id", "created", "model")}
        base["object"] = "chat.completion.chunk"
        choice = reply["choices"][0]
        for delta, finish in ((choice["message"], None), ({}, choice["finish_reason"])):
            yield {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        yield {**base, "choices": [], "usage": reply["usage"]}
