"""Anthropic's Messages API as its clients see it: what it takes, what it answers, how it refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from app.validity import RULES, Options, Violation, check, errors

JsonObject = dict[str, Any]

_WORDING: Final[Mapping[str, str]] = {
    "anthropic.first-role": 'messages: first message must use the "user" role',
    "anthropic.empty-content": "{where}: all messages must have non-empty content except for the optional"
    " final assistant message",
    "anthropic.empty-text": "messages: text content blocks must be non-empty",
    "anthropic.blank-text": "messages: text content blocks must contain non-whitespace text",
    "anthropic.open-call": "{where}: `tool_use` ids were found without `tool_result` blocks immediately"
    " after: {detail}. Each `tool_use` block must have a corresponding `tool_result` block in the next"
    " message.",
    "anthropic.orphan-result": "{where}: unexpected `tool_use_id` found in `tool_result` blocks: {detail}."
    " Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    "anthropic.duplicate-call-id": "messages: `tool_use` ids must be unique",
    "anthropic.thinking-altered": "{where}: Invalid `signature` in `thinking` block",
}
"""The provider's own words, which clients act on; any other rule is refused in this project's words."""


class MessagesApi:
    """The Messages API."""

    name = "messages"

    def serves(self, path: str) -> bool:
        """Whether a POST to this path is a call of the model."""
        return path.endswith("/v1/messages")

    def counts(self, path: str) -> bool:
        """Whether a POST to this path only asks how many tokens there are."""
        return path.endswith("/v1/messages/count_tokens")

    def counted(self, tokens: int) -> JsonObject:
        """The answer to that question."""
        return {"input_tokens": tokens}

    def streams(self, path: str, body: JsonObject) -> bool:
        """Whether the answer shall be a stream of events."""
        return bool(body.get("stream"))

    def conversation(self, body: JsonObject) -> list[Any]:
        """The messages, as they stand in the request."""
        messages = body.get("messages")
        return messages if isinstance(messages, list) else []

    def why_refused(self, body: JsonObject, sealed: Sequence[tuple[str, Any]] | None) -> str | None:
        """The words for the first rule that is broken; None for a request that keeps them all.

        `sealed` is the conversation whose thinking was sealed here; None takes every seal on trust.
        """
        pairs = [(str(i), message) for i, message in enumerate(self.conversation(body))]
        found = errors(check("anthropic", pairs, Options(before=sealed)))
        return _told(found[0]) if found else None

    def too_long(self, tokens: int, window: int) -> str:
        """The words for a request that is over the window."""
        return f"prompt is too long: {tokens} tokens > {window} maximum"

    def error(self, words: str) -> JsonObject:
        """The body of a 400."""
        return {"type": "error", "error": {"type": "invalid_request_error", "message": words}}

    def reply(self, text: str, body: JsonObject, number: int, tokens: int) -> JsonObject:
        """A whole message that says `text`; `tokens` is the size of the request."""
        return {
            "id": f"msg_{number:024}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": tokens,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": len(text) // 4 + 1,
            },
        }

    def events(self, reply: JsonObject) -> Iterator[JsonObject]:
        """The reply as a stream of events."""
        usage = {**reply["usage"], "output_tokens": 1}
        opened = {**reply, "content": [], "stop_reason": None, "usage": usage}
        yield {"type": "message_start", "message": opened}
        for index, block in enumerate(reply["content"]):
            place = {"index": index}
            yield {"type": "content_block_start", **place, "content_block": {**block, "text": ""}}
            delta = {"type": "text_delta", "text": block["text"]}
            yield {"type": "content_block_delta", **place, "delta": delta}
            yield {"type": "content_block_stop", **place}
        end = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": end, "usage": reply["usage"]}
        yield {"type": "message_stop"}


def _told(violation: Violation) -> str:
    form = _WORDING.get(violation.rule, "{where}: {rule}")
    where = re.sub(r"\[(\d+)\]", r".\1", violation.where)
    return form.format(where=where, detail=violation.detail, rule=RULES[violation.rule].text)
