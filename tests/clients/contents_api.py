"""The Gemini API as its clients see it: what it takes, what it answers, how it refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from app.validity import RULES, check, errors

JsonObject = dict[str, Any]

_WORDING: Final[Mapping[str, str]] = {
    "gemini.empty-conversation": "* GenerateContentRequest.contents: contents is not specified\n",
    "gemini.role": "Please use a valid role: user, model.",
    "gemini.empty-parts": "* GenerateContentRequest.{where}.parts: contents.parts must not be empty.\n",
    "gemini.part-count": "Please ensure that the number of function response parts is equal to the number of"
    " function call parts of the function call turn.",
    "gemini.orphan-response": "Please ensure that function response turn comes immediately after a function"
    " call turn.",
}
"""The provider's own words; any other rule is refused in this project's words."""


class ContentsApi:
    """`generateContent`, in one piece or streamed."""

    name = "contents"

    def serves(self, path: str) -> bool:
        """Whether a POST to this path is a call of the model."""
        return path.endswith((":generateContent", ":streamGenerateContent"))

    def counts(self, path: str) -> bool:
        """Whether a POST to this path only asks how many tokens there are."""
        return path.endswith(":countTokens")

    def counted(self, tokens: int) -> JsonObject:
        """The answer to that question."""
        return {"totalTokens": tokens}

    def streams(self, path: str, body: JsonObject) -> bool:
        """Whether the answer shall be a stream of events: the path says so."""
        return path.endswith(":streamGenerateContent")

    def conversation(self, body: JsonObject) -> list[Any]:
        """The contents, as they stand in the request."""
        contents = body.get("contents")
        return contents if isinstance(contents, list) else []

    def why_refused(self, body: JsonObject, sealed: Sequence[tuple[str, Any]] | None) -> str | None:
        """The words for the first rule that is broken; None for a request that keeps them all."""
        pairs = [(str(i), content) for i, content in enumerate(self.conversation(body))]
        found = errors(check("gemini", pairs))
        if not found:
            return None
        where = found[0].where.replace("messages", "contents", 1)
        form = _WORDING.get(found[0].rule, "Invalid '{where}': {rule}.")
        return form.format(where=where, rule=RULES[found[0].rule].text)

    def too_long(self, tokens: int, window: int) -> str:
        """The words for a request that is over the window."""
        return f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window})."

    def error(self, words: str) -> JsonObject:
        """The body of a 400."""
        return {"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}}

    def reply(self, text: str, body: JsonObject, number: int, tokens: int) -> JsonObject:
        """A whole response that says `text`, as JSON where JSON is wanted; `tokens` is the request's size."""
        config = body.get("generationConfig") or {}
        if config.get("responseMimeType") == "application/json":
            text = json.dumps({"text": text})
        said = len(text) // 4 + 1
        content = {"role": "model", "parts": [{"text": text}]}
        usage = {
            "promptTokenCount": tokens,
            "candidatesTokenCount": said,
            "totalTokenCount": tokens + said,
        }
        return {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": usage,
            "modelVersion": "mock",
            "responseId": f"{number:022}",
        }

    def events(self, reply: JsonObject) -> Iterator[JsonObject]:
        """The reply in one piece."""
        yield reply
