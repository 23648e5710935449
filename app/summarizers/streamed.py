"""The request and response forms of the two known services, streamed or whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from msgspec import Struct

from app.errors import SummaryFailed
from app.summarizers.base import SummaryRequest

ANSWER_TOKENS: Final = 8000
"""Of the longest answer, where the settings say nothing else and the service wants to be told."""

Piece: TypeAlias = tuple[str, str | None]
"""Some more text, and why the answer ends, where it does."""


class ServiceDialect(Struct, frozen=True):
    """One way to ask and to answer."""

    client: str
    """The name of the library's class."""
    create: Callable[[Any], Callable[..., Any]]
    """The call that gives the service's response as it comes in."""
    asked: Callable[[SummaryRequest, str, int | None], dict[str, Any]]
    """The arguments of that call; the prompt in them is what the person was shown, and nothing else."""
    piece: Callable[[Any], Piece]
    """What one event, or a whole answer, holds."""
    whole_ends: frozenset[str]
    """Reasons to end that leave a whole answer."""
    cut_ends: frozenset[str]
    """Reasons to end in the middle of it."""
    needed_tokens: int | None
    """Of the longest answer, where the service must be told."""

    def whole(self, text: str, end: str | None, host: str) -> str:
        """The answer, if it is a whole one; raises SummaryFailed saying why it is none."""
        if end in self.whole_ends:
            return text
        chars = f"after {len(text):,} characters"
        if end is None:
            raise SummaryFailed(
                f"the answer of {host} broke off {chars}" if text else f"{host} sent no answer"
            )
        if end in self.cut_ends:
            raise SummaryFailed(
                f"the answer was cut off {chars}, at the limit of output tokens ({end}):"
                " raise max_tokens in the settings"
            )
        raise SummaryFailed(f"{host} ended its answer {chars} for another reason: {end[:60]}")


def _asked_of_messages(request: SummaryRequest, model: str, max_tokens: int | None) -> dict[str, Any]:
    message = {"role": "user", "content": request.text}
    return {
        "model": model,
        "max_tokens": max_tokens,
        "system": request.instructions,
        "messages": [message],
    }


def _piece_of_messages(event: Any) -> Piece:
    match event:
        case {"type": "content_block_start", "content_block": {"type": "text", "text": str(text)}}:
            return text, None
        case {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str(text)}}:
            return text, None
        case {"type": "message_delta", "delta": {"stop_reason": str(end)}}:
            return "", end
        case {"type": "message", "content": list(blocks), "stop_reason": str(end)}:
            texts = [block["text"] for block in blocks if block.get("type") == "text"]
            return "".join(texts), end
    return "", None


def _asked_of_chat(request: SummaryRequest, model: str, max_tokens: int | None) -> dict[str, Any]:
    messages = [
        {"role": "system", "content": request.instructions},
        {"role": "user", "content": request.text},
    ]
    limit = {} if max_tokens is None else {"max_tokens": max_tokens}
    return {"model": model, "messages": messages, **limit}


def _piece_of_chat(event: Any) -> Piece:
    match event:
        case {"choices": [{**choice}, *_]}:
            said: Any = choice.get("delta") or choice.get("message") or {}
            text, end = said.get("content"), choice.get("finish_reason")
            return text if isinstance(text, str) else "", end if isinstance(end, str) else None
    return "", None


FORMS: Final[Mapping[str, ServiceDialect]] = {
    "anthropic": ServiceDialect(
        client="AsyncAnthropic",
        create=lambda client: client.messages.with_streaming_response.create,
        asked=_asked_of_messages,
        piece=_piece_of_messages,
        whole_ends=frozenset({"end_turn", "stop_sequence"}),
        cut_ends=frozenset({"max_tokens", "model_context_window_exceeded"}),
        needed_tokens=ANSWER_TOKENS,
    ),
    "openai": ServiceDialect(
        client="AsyncOpenAI",
        create=lambda client: client.chat.completions.with_streaming_response.create,
        asked=_asked_of_chat,
        piece=_piece_of_chat,
        whole_ends=frozenset({"stop"}),
        cut_ends=frozenset({"length"}),
        needed_tokens=None,
    ),
}
"""By the name of the library that speaks it."""
