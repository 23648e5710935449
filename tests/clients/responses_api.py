"""OpenAI's Responses API as its clients see it: what it takes, what it answers, how it refuses."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from app.validity import RULES, Options, check, errors

JsonObject = dict[str, Any]

_WORDING: Final[Mapping[str, str]] = {
    "responses.orphan-output": "No tool call found for function call output with call_id {detail}.",
    "responses.open-call": "No tool output found for function call {detail}.",
    "responses.reasoning-altered": "The encrypted content could not be verified. Reason: Encrypted content"
    " could not be decrypted or parsed.",
}
"""The provider's own words; any other rule is refused in this project's words."""


class ResponsesApi:
    """The Responses API, streamed."""

    name = "responses"

    def serves(self, path: str) -> bool:
        """Whether a POST to this path is a call of the model."""
        return path.endswith("/responses")

    def counts(self, path: str) -> bool:
        """There is no such call that a client makes."""
        return False

    def counted(self, tokens: int) -> JsonObject:
        """The answer to that question."""
        return {"input_tokens": tokens}

    def streams(self, path: str, body: JsonObject) -> bool:
        """Whether the answer shall be a stream of events."""
        return bool(body.get("stream"))

    def conversation(self, body: JsonObject) -> list[Any]:
        """The input items, as they stand in the request."""
        items = body.get("input")
        return items if isinstance(items, list) else []

    def why_refused(self, body: JsonObject, sealed: Sequence[tuple[str, Any]] | None) -> str | None:
        """The words for the first rule that is broken; None for a request that keeps them all."""
        pairs = [(str(i), item) for i, item in enumerate(self.conversation(body))]
        found = errors(check("openai-responses", pairs, Options(before=sealed)))
        if not found:
            return None
        rule, where = found[0].rule, found[0].where.replace("messages", "input", 1)
        form = _WORDING.get(rule, "Invalid '{where}': {rule}.")
        return form.format(where=where, detail=found[0].detail, rule=RULES[rule].text)

    def too_long(self, tokens: int, window: int) -> str:
        """The words for a request that is over the window."""
        return "Your input exceeds the context window of this model. Please adjust your input and try again."

    def error(self, words: str) -> JsonObject:
        """The body of a 400."""
        kind = "context_length_exceeded" if "context window" in words else "invalid_value"
        return {"error": {"message": words, "type": "invalid_request_error", "param": "input", "code": kind}}

    def reply(self, text: str, body: JsonObject, number: int, tokens: int) -> JsonObject:
        """A whole response that says `text`; `tokens` is the size of the request."""
        said = len(text) // 4 + 1
        message = {
            "id": f"msg_{number:032x}",
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }
        return {
            "id": f"resp_{number:032x}",
            "object": "response",
            "created_at": int(time.time()),
            "status": "completed",
            "model": body.get("model"),
            "output": [message],
            "parallel_tool_calls": True,
            "usage": {
                "input_tokens": tokens,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": said,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": tokens + said,
            },
        }

    def events(self, reply: JsonObject) -> Iterator[JsonObject]:
        """The reply as a stream of events."""
        opened = {**reply, "status": "in_progress", "output": [], "usage": None}
        yield {"type": "response.created", "response": opened}
        for index, item in enumerate(reply["output"]):
            place = {"output_index": index}
            yield {"type": "response.output_item.added", **place, "item": {**item, "status": "in_progress"}}
            inner = {**place, "item_id": item["id"], "content_index": 0}
            text = item["content"][0]["text"]
            yield {"type": "response.output_text.delta", **inner, "delta": text}
            yield {"type": "response.output_text.done", **inner, "text": text}
            yield {"type": "response.output_item.done", **place, "item": item}
        yield {"type": "response.completed", "response": reply}
