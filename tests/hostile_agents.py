"""Sessions of more agents whose every field tries to act on the terminal; `hostile` has the others."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

TURNS = 4
Value = dict[str, Any]


def pi(evil: str) -> bytes:
    """A session of pi."""
    said: list[Value] = [{"role": "user", "content": evil}]
    for number in range(TURNS):
        ident = f"{evil}{number}"
        call = {"type": "toolCall", "id": ident, "name": evil, "arguments": {evil: evil}}
        body = [{"type": "text", "text": f"{evil}\n" * 20}]
        said.append({"role": "assistant", "content": [_text(evil), call], "model": evil})
        said.append({"role": "toolResult", "toolCallId": ident, "toolName": evil, "content": body})
    said.append({"role": "assistant", "content": [_text(evil)]})
    entries: list[Value] = [{"type": "message", "message": message} for message in said]
    entries.append({"type": "compaction", "summary": evil, "firstKeptEntryId": "00000003"})
    entries.append({"type": evil, evil: evil})
    entries.append({"type": "message", "message": {"role": "user", "content": evil}})
    entries.append({"type": "session_info", "name": evil})
    for number, entry in enumerate(entries):
        parent = f"{number - 1:08}" if number else None
        entry |= {"id": f"{number:08}", "parentId": parent, "timestamp": evil}
    return _lines([{"type": "session", "version": 3, "id": evil, "cwd": evil}, *entries])


def qwen(evil: str) -> bytes:
    """A session of Qwen Code."""
    said: list[tuple[str, str, list[Value]]] = [("user", "user", [{"text": evil}])]
    for number in range(TURNS):
        call = {"functionCall": {"id": f"{evil}{number}", "name": evil, "args": {evil: evil}}}
        said.append(("assistant", "model", [{"text": evil}, call]))
        said.append(("tool_result", "user", [_answer(evil, number)]))
    said.append(("assistant", "model", [{"text": evil}]))
    records: list[Value] = [
        {"type": kind, "message": {"role": role, "parts": parts}, "model": evil} for kind, role, parts in said
    ]
    title = {"type": "system", "subtype": "custom_title", "systemPayload": {"customTitle": evil}}
    for number, record in enumerate([*records, title]):
        parent = f"{evil}{number - 1}" if number else None
        record |= {"uuid": f"{evil}{number}", "parentUuid": parent, "sessionId": evil, "cwd": evil}
    return _lines([*records, title])


def gemini_cli(evil: str) -> bytes:
    """A session of Gemini CLI."""
    records: list[Value] = [{"sessionId": evil, "projectHash": evil, "kind": evil, "startTime": evil}]
    records.append({"id": "u", "type": "user", "content": [{"text": evil}]})
    for number in range(TURNS):
        call = {"id": f"{evil}{number}", "name": evil, "args": {evil: evil}, "status": evil}
        calls = [{**call, "result": [_answer(evil, number)]}]
        reply = {"id": f"g{number}", "type": "gemini", "content": evil, "model": evil}
        records.append({**reply, "toolCalls": calls})
    records += [{"id": "i", "type": "info", "content": evil}, {"$set": {"summary": evil}}]
    return _lines(records)


def copilot(evil: str) -> bytes:
    """A log of Copilot CLI."""
    events: list[tuple[str, Value]] = [("session.start", {"sessionId": evil, "context": {"cwd": evil}})]
    events.append(("user.message", {"content": evil, "transformedContent": f"{evil}\n{evil}"}))
    for number in range(TURNS):
        ident = f"{evil}{number}"
        request = {"toolCallId": ident, "name": evil, "arguments": {evil: evil}}
        told = {"toolCallId": ident, "success": True, "result": {"content": f"{evil}\n" * 20}}
        reply = {"content": evil, "toolRequests": [request], "model": evil}
        events += [("assistant.message", reply), ("tool.execution_complete", told)]
    events.append(("session.compaction_complete", {"success": False, "error": evil}))
    events += [(evil, {evil: evil}), ("assistant.message", {"content": evil, "toolRequests": []})]
    return _lines(
        {"type": kind, "data": data, "id": f"{evil}{number}", "timestamp": evil}
        for number, (kind, data) in enumerate(events)
    )


def opencode(evil: str) -> bytes:
    """What opencode exports."""
    messages: list[Value] = []
    for number in range(TURNS):
        text = {"id": f"prt_{number}t", "type": "text", "text": evil, "sessionID": "ses_1"}
        state = {"status": "completed", "input": {evil: evil}, "output": f"{evil}\n" * 20, "title": evil}
        tool = {"id": f"prt_{number}c", "type": "tool", "tool": evil, "callID": f"{evil}{number}"}
        user = {"id": f"msg_{number}u", "role": "user", "time": {"created": number * 2 + 1}}
        reply: Value = {"id": f"msg_{number}v", "role": "assistant", "modelID": evil, "mode": evil}
        reply |= {"time": {"created": number * 2 + 2}}
        messages.append({"info": {**user, "sessionID": "ses_1"}, "parts": [text]})
        parts = [{**tool, "state": {**state, "metadata": {}}}, {**text, "id": f"prt_{number}u"}]
        messages.append({"info": {**reply, "sessionID": "ses_1"}, "parts": parts})
    info = {"id": "ses_1", "title": evil, "directory": evil, "version": evil}
    document = {"info": {**info, "time": {"created": 1, "updated": 9}}, "messages": messages}
    return json.dumps(document, indent=1).encode()


def _text(evil: str) -> Value:
    return {"type": "text", "text": evil}


def _answer(evil: str, number: int) -> Value:
    response = {"output": f"{evil}\n" * 20}
    return {"functionResponse": {"id": f"{evil}{number}", "name": evil, "response": response}}


def _lines(values: Iterable[Value]) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()
