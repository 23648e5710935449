"""Building the entries that an export adds, in pi's own form; ids and times are set on writing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.formats.pi.names import COMPACTION, CUSTOM_MESSAGE, MESSAGE, MODEL_CHANGE, NAME, OWN
from app.formats.pi.nodes import Node
from app.model import Boundary

Value = dict[str, Any]

_NO_USAGE = {
    "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0,
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
}  # fmt: skip


def compaction_entry(
    boundary: Boundary, summary: str, prompt: Value | None, first: Mapping[str, Any], time: float | None
) -> Value:
    """A compaction; `first` is the first entry it keeps. Facts without a member in pi are in ours."""
    own: Value = {"trigger": boundary.trigger, "strategy": boundary.strategy}
    if boundary.tokens_after is not None:
        own["tokensAfter"] = boundary.tokens_after
    if boundary.removed is not None:
        own["removed"] = boundary.removed
    if boundary.preserved is not None:
        own["preserved"] = list(boundary.preserved)
    entry: Value = {
        "type": COMPACTION,
        "summary": summary,
        **first,
        "tokensBefore": boundary.tokens_before or 0,
        "details": {OWN: own},
        "fromHook": True,
    }
    if prompt is not None:
        entry["systemMessage"] = {**prompt, "timestamp": _stamp(time)}
    return entry


def injected_entry(content: Any) -> Value:
    """A sent message that the person did not type: a marker, a note, the result of a repair."""
    return {"type": CUSTOM_MESSAGE, "customType": OWN, "content": content, "display": True}


def injected_message(content: Any, timestamp: Any) -> Value:
    """The same as the message of an entry that keeps its id."""
    return {
        "role": "custom",
        "customType": OWN,
        "content": content,
        "display": True,
        "timestamp": timestamp,
    }


def user_entry(content: Sequence[Value], time: float | None) -> Value:
    """A message of the person."""
    return _message({"role": "user", "content": list(content)}, time)


def assistant_entry(content: Sequence[Value], like: Node | None, time: float | None) -> Value:
    """A reply, attributed to the model of the reply `like`."""
    provider, model = like.model if like is not None and like.model is not None else ("", "")
    api = like.api if like is not None else ""
    message = {
        "role": "assistant",
        "content": list(content),
        "api": api,
        "provider": provider,
        "model": model,
        "usage": _NO_USAGE,
        "stopReason": "stop",
    }
    return _message(message, time)


def result_entry(
    ident: str, tool: str, content: Sequence[Value], is_error: bool, time: float | None
) -> Value:
    """A tool result."""
    message = {
        "role": "toolResult",
        "toolCallId": ident,
        "toolName": tool,
        "content": list(content),
        "isError": is_error,
    }
    return _message(message, time)


def name_entry(title: str) -> Value:
    """The entry that names a session in the agent's picker."""
    return {"type": NAME, "name": " ".join(title.split())}


def model_entry(model: tuple[str, str]) -> Value:
    """The entry that chooses a model."""
    provider, ident = model
    return {"type": MODEL_CHANGE, "provider": provider, "modelId": ident}


def replayed(messages: Sequence[Mapping[str, Any]]) -> Value | None:
    """The combined system prompt of these messages, as pi itself would write it into a compaction."""
    texts: list[str] = []
    sections: Value = {}
    tools: Value = {}
    for message in messages:
        texts += _texts(message.get("content"))
        for name, text in _object(message.get("sections")).items():
            if text is None:
                sections.pop(name, None)
            else:
                sections[name] = text
        for tool in _list(message.get("toolsRemoved")):
            tools.pop(str(tool.get("name")), None)
        for tool in _list(message.get("toolsAdded")):
            tools[str(tool.get("name"))] = tool
    if not (texts or sections or tools):
        return None
    prompt: Value = {"role": "system", "content": "\n\n".join(texts)}
    if sections:
        prompt["sections"] = sections
    if tools:
        prompt["toolsAdded"] = list(tools.values())
    return prompt


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content] if content else []
    return [text for item in _list(content) if isinstance(text := item.get("text"), str) and text]


def _object(value: Any) -> Value:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Value]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _message(message: Value, time: float | None) -> Value:
    return {"type": MESSAGE, "message": {**message, "timestamp": _stamp(time)}}


def _stamp(time: float | None) -> int:
    """A message's time in milliseconds since 1970."""
    return int((time or 0.0) * 1000)
