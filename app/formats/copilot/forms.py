"""Converting events to the Chat Completions messages that the client makes of them, and back.

Measured with the client: it replays the log in file order and uses only the user's texts
(`transformedContent`, if there is one), the replies with their calls, and the results; a failed result is
its error's message. A successful compaction replaces all before it; with its summary the client sends the
user's earlier texts again, which are not part of the event and left out here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from app.formats.copilot.names import ASSISTANT, COMPACTED, RESULT, USER, data_of, kind_of, text_at
from app.model import compact_json

Value: TypeAlias = dict[str, Any]


def form_of(event: Any) -> Value | None:
    """The message that is sent for an event; None if it is never sent."""
    data = data_of(event)
    match kind_of(event):
        case "user.message":
            return {"role": "user", "content": _content(user_texts(data))}
        case "assistant.message":
            calls = [form for request in _requests(data) if (form := _call_form(request))]
            said: Value = {"role": "assistant", "content": text_at(data, "content") or None}
            return {**said, "tool_calls": calls} if calls else {**said, "content": said["content"] or ""}
        case "tool.execution_complete":
            content = text_at(data.get("result"), "content") or text_at(data.get("error"), "message")
            return {"role": "tool", "tool_call_id": text_at(data, "toolCallId"), "content": content}
        case "session.compaction_complete" if data.get("success") is True and text_at(data, "summaryContent"):
            return {"role": "user", "content": text_at(data, "summaryContent")}
    return None


def user_texts(data: Value) -> list[str]:
    """The texts sent for a user event: what the client put before the user's words, the words, the rest."""
    typed, sent = text_at(data, "content"), text_at(data, "transformedContent")
    if not sent or not typed or typed not in sent:
        return [sent or typed]
    before, _, after = sent.rpartition(typed)
    return [before, typed, after]


def with_form(event: Value, old: Value, new: Value) -> Value:
    """An event updated from the message `old` to `new`; another role changes its type."""
    if new.get("role") != old.get("role"):
        return {**event, **made_event(new, text_at(event, "id"))}
    data = data_of(event)
    kind = kind_of(event)
    text = _joined(new.get("content"))
    if kind == ASSISTANT:
        wanted = {call["id"]: call for call in new.get("tool_calls") or ()}
        changed = {**data, "content": text, "toolRequests": _wanted(_requests(data), wanted)}
    elif text == _joined(old.get("content")):
        changed = data
    elif kind == USER:
        changed = _with_words(data, text)
    elif kind == COMPACTED:
        changed = {**data, "summaryContent": text}
    else:
        changed = _with_result(data, text)
    if kind == RESULT and new.get("tool_call_id") != old.get("tool_call_id"):
        changed = {**changed, "toolCallId": new.get("tool_call_id")}
    return {**event, "data": changed}


def made_event(form: Value, ident: str) -> Value:
    """An event for a new message, with the minimum that the client needs."""
    text = _joined(form.get("content"))
    if form.get("role") == "tool":
        failed = form.get("failed") is True
        told = {"error": {"message": text, "code": "failure"}} if failed else {"result": {"content": text}}
        data = {"toolCallId": form.get("tool_call_id", ""), "success": not failed, **told}
        return {"type": RESULT, "data": data}
    if form.get("role") == "assistant":
        requests = [_request(call) for call in form.get("tool_calls") or ()]
        return {"type": ASSISTANT, "data": {"messageId": ident, "content": text, "toolRequests": requests}}
    if form.get("summary"):
        return {"type": COMPACTED, "data": {"success": True, "summaryContent": text}}
    return {"type": USER, "data": {"content": text}}


def _content(texts: Sequence[str]) -> str | list[Value]:
    return texts[0] if len(texts) == 1 else [{"type": "text", "text": text} for text in texts]


def _joined(content: Any) -> str:
    if isinstance(content, list):
        return "".join(text_at(part, "text") for part in content)
    return content if isinstance(content, str) else ""


def _requests(data: Value) -> list[Any]:
    requests = data.get("toolRequests")
    return requests if isinstance(requests, list) else []


def _call_form(request: Any) -> Value | None:
    ident, name = text_at(request, "toolCallId"), text_at(request, "name")
    if not isinstance(request, dict) or not (ident or name):
        return None
    given = request.get("arguments")
    arguments = given if isinstance(given, str) else compact_json({} if given is None else given)
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": arguments}}


def _request(call: Value) -> Value:
    body = call.get("function") or {}
    request = {"toolCallId": call.get("id", ""), "name": body.get("name", "")}
    return {**request, "arguments": _parsed(body.get("arguments")), "type": "function"}


def _parsed(arguments: Any) -> Any:
    try:
        return json.loads(arguments, strict=False)
    except (TypeError, ValueError, RecursionError):
        return arguments


def _wanted(requests: Sequence[Any], wanted: dict[str, Value]) -> list[Any]:
    """The kept tool requests, possibly with new arguments, then the new ones."""
    stay = []
    for request in requests:
        form = _call_form(request)
        call = wanted.pop(form["id"], None) if form else None
        if form is None or call is None:
            continue
        stay.append(request if call["function"] == form["function"] else {**request, **_request(call)})
    return [*stay, *map(_request, wanted.values())]


def _with_words(data: Value, text: str) -> Value:
    """A user event's data with another text; what the client put around the words is kept apart."""
    texts = user_texts(data)
    typed = text
    if len(texts) == 3:
        typed = typed.removeprefix(texts[0]).removesuffix(texts[2])
    sent = {"transformedContent": text} if text_at(data, "transformedContent") else {}
    return {**data, "content": typed, **sent}


def _with_result(data: Value, text: str) -> Value:
    """A result with another text; its second, full copy is removed."""
    result = data.get("result")
    if not text_at(result, "content") and text_at(data.get("error"), "message"):
        return {**data, "error": {**data["error"], "message": text}}
    rest = {k: v for k, v in result.items() if k in ("type",)} if isinstance(result, dict) else {}
    return {**data, "result": {**rest, "content": text}}
