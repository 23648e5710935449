"""Sessions whose every field tries to act on the terminal, and what may come out of a program instead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from app.display import safe_text
from tests.hostile_agents import copilot, gemini_cli, opencode, pi, qwen

HOSTILE: Final = (
    "evil\x1b]52;c;aGFja2Vk\x07\x1b]0;owned\x07\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\\x1b[2J\x1b[6n"
    "\x1bc\x1bP1$r\x1b\\\x1b_G\x1b\\\x1b^x\x1b\\\x1b[?1049l\x9b2J\x9d52;c;aGk=\x9c\x90q\x9c\u202etxt\u2066\u200f"
    "\x00\x07\x08\x7f\r\x85\u2028[/x] [b [/] [@click=app.quit]q[/]\ud83d\x1b]52;c;never ended"
)
"""One of each kind: OSC, CSI, DCS, APC, PM, reset, in 7 and 8 bits, bidi, controls, markup, a half pair."""
SEEN: Final = "aGFja2Vk"
"""A part of it that shows that it came through at all."""
FILE_NAME: Final = "evil\x1b]0;owned\x07\x9b2J\u202e[b [bold]\r.jsonl"


def every_sign() -> str:
    """Every code point of the basic plane, halves of pairs too, in lines that fit a screen."""
    signs = "".join(map(chr, range(0x10000)))
    return SEEN + "\n".join(f"{start:04x} {signs[start : start + 64]}" for start in range(0, 0x10000, 64))


# What Textual itself writes: styles, the cursor's place, modes and questions about them, the keyboard's
# protocol, pages; and two operating system commands, the mouse pointer's shape and the clipboard.
_OURS: Final = re.compile(
    r"\x1b\[[0-9;:]*[mH]|\x1b\[\?[0-9;]+(?:[hl]|\$p)|\x1b\[[<>=?][0-9;]*u|\x1b\[16t"
    r"|\x1b\]22;[a-z-]+\x07|\x1b\]52;c;(?P<copied>[A-Za-z0-9+/=]*)\x07"
)


def told(written: str) -> tuple[str, list[str]]:
    """What a program wrote beside the sequences that screens need, and what it copied (base64)."""
    copied = [found["copied"] for found in _OURS.finditer(written) if found["copied"] is not None]
    return _OURS.sub("", written), copied


def acting(text: str) -> list[str]:
    """The places where something in a text of lines could act on a terminal, a few signs around each."""
    found = []
    for line in re.split(r"\r?\n", text):
        safe = safe_text(line)
        if safe != line:
            place = next((i for i, (a, b) in enumerate(zip(line, safe, strict=False)) if a != b), len(line))
            found.append(repr(line[max(0, place - 20) : place + 20]))
    return found


def claude_code(evil: str = HOSTILE, words: str = HOSTILE) -> bytes:
    """A session of Claude Code with a fork, a compaction, broken lines and six results; texts say `words`."""
    records: list[Any] = [{"type": "summary", "summary": evil, "leafUuid": evil}]
    records += [{"type": "custom-title", "customTitle": evil, "sessionId": evil}]
    rows = _Chain(evil)
    rows.user(words)
    rows.add("system", {"subtype": evil, "content": evil, "level": evil})
    rows.add("system", {"subtype": "compact_boundary", "compactMetadata": {"trigger": evil}, "content": evil})
    rows.user(words, isCompactSummary=True)
    for number in range(6):
        ident = f"{evil}{number}"
        name = "Read" if number % 2 else evil
        call = {"type": "tool_use", "id": ident, "name": name, "input": {"file_path": evil, evil: [words]}}
        thought = {"type": "thinking", "thinking": words, "signature": evil}
        rows.say([thought, {"type": "text", "text": words}, call])
        body = [{"type": "text", "text": f"{words}\n" * 20}, {"type": evil, "x": evil}]
        result = {"type": "tool_result", "tool_use_id": ident, "content": body, "is_error": number == 3}
        rows.user([result], toolUseResult={"stdout": words, evil: evil})
    rows.user([{"type": "image", "source": {"type": "base64", "media_type": evil, "data": evil}}])
    rows.say([{"type": "text", "text": words}])
    other = {**rows.records[-1]["message"], "id": f"{evil}-other"}
    fork = {**rows.records[-1], "uuid": f"{evil}-fork", "message": other}
    fork["parentUuid"] = rows.records[-3]["uuid"]
    lines = [json.dumps(value, ensure_ascii=True) for value in (*records, *rows.records, fork)]
    # A broken record, another that is none, and one with the signs raw as far as JSON lets them be.
    lines += ['{"type": "user", "uuid": "' + evil.replace("\n", ""), '"evil"', '{"type": "\x9b2J\u202e"}']
    return "\n".join([*lines[2:], *lines[:2], ""]).encode("utf-8", "surrogatepass")


class _Chain:
    """Records of a session, each the child of the one before."""

    def __init__(self, evil: str) -> None:
        self.records: list[dict[str, Any]] = []
        self._evil = evil

    def add(self, kind: str, fields: dict[str, Any]) -> None:
        evil, number = self._evil, len(self.records)
        self.records.append(
            {
                "type": kind,
                "uuid": f"{evil}{number}",
                "parentUuid": self.records[-1]["uuid"] if self.records else None,
                "sessionId": evil,
                "cwd": evil,
                "gitBranch": evil,
                "version": evil,
                "isSidechain": False,
                "timestamp": evil if number == 4 else f"2026-01-02T03:04:{number:02}.000Z",
                evil: evil,
                **fields,
            }
        )

    def user(self, content: Any, **fields: Any) -> None:
        self.add("user", {"message": {"role": "user", "content": content}, **fields})

    def say(self, content: list[dict[str, Any]]) -> None:
        message = {"id": f"{self._evil}{len(self.records)}", "role": "assistant", "model": self._evil}
        usage = {"input_tokens": 9, "output_tokens": 1, "service_tier": self._evil}
        self.add("assistant", {"message": {**message, "content": content, "usage": usage}})


def anthropic(evil: str = HOSTILE) -> bytes:
    """A request to the Messages API."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": evil}]
    for number in range(6):
        call = {"type": "tool_use", "id": f"{evil}{number}", "name": evil, "input": {evil: evil}}
        result = {"type": "tool_result", "tool_use_id": f"{evil}{number}", "content": f"{evil}\n" * 20}
        messages.append({"role": "assistant", "content": [{"type": "text", "text": evil}, call]})
        messages.append({"role": "user", "content": [result, {"type": evil, evil: evil}]})
    messages.append({"role": "assistant", "content": evil, evil: evil})
    tools = [{"name": evil, "description": evil, "input_schema": {}}]
    return _document({"model": evil, "system": evil, "tools": tools, "messages": messages})


def openai_chat(evil: str = HOSTILE) -> bytes:
    """A request to the Chat Completions API."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": evil}, {"role": "user", "content": evil}]
    for number in range(6):
        function = {"name": evil, "arguments": json.dumps({evil: evil}) if number else evil}
        call = {"id": f"{evil}{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": evil, "tool_calls": [call], "name": evil})
        messages.append({"role": "tool", "tool_call_id": f"{evil}{number}", "content": f"{evil}\n" * 20})
    messages += [{"role": evil, "content": evil}, {"role": "assistant", "content": evil, "refusal": evil}]
    return _document({"model": evil, "messages": messages})


def responses(evil: str = HOSTILE) -> bytes:
    """A request to the Responses API."""
    return _document({"model": evil, "instructions": evil, "input": list(_items(evil))})


def codex(evil: str = HOSTILE) -> bytes:
    """A rollout of Codex."""
    meta = {"id": evil, "timestamp": evil, "cwd": evil, "originator": evil, "cli_version": evil, "git": evil}
    rows: list[dict[str, Any]] = [{"type": "session_meta", "payload": meta}]
    rows.append({"type": "turn_context", "payload": {"cwd": evil, "model": evil, evil: evil}})
    rows += [{"type": "response_item", "payload": item} for item in _items(evil)]
    rows.append({"type": "event_msg", "payload": {"type": evil, "message": evil}})
    rows.append({"type": evil, "payload": evil})
    lines = [json.dumps({"timestamp": "2026-01-02T03:00:00.000Z", **row}) for row in rows]
    return "\n".join([*lines, evil, ""]).encode("utf-8", "surrogatepass")


def _items(evil: str) -> Iterator[dict[str, Any]]:
    yield {"type": "message", "role": "user", "content": [{"type": "input_text", "text": evil}]}
    for number in range(6):
        ident = f"{evil}{number}"
        yield {"type": "reasoning", "id": ident, "summary": [{"type": "summary_text", "text": evil}]}
        yield {"type": "function_call", "call_id": ident, "name": evil, "arguments": json.dumps({evil: evil})}
        yield {"type": "function_call_output", "call_id": ident, "output": f"{evil}\n" * 20}
    yield {"type": evil, "id": evil}
    yield {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": evil}]}


def _document(value: dict[str, Any]) -> bytes:
    return json.dumps(value, indent=1).encode()


MADE: Final[dict[str, Callable[[str], bytes]]] = {
    "claude-code": claude_code,
    "codex": codex,
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "responses": responses,
    "pi": pi,
    "qwen-code": qwen,
    "gemini-cli": gemini_cli,
    "copilot": copilot,
    "opencode": opencode,
}


def put(folder: Path, kind: str, words: str | None = None) -> Path:
    """A hostile session under a hostile name; texts of one of Claude Code's may say other `words`."""
    path = folder / FILE_NAME
    path.write_bytes(MADE[kind](HOSTILE) if words is None else claude_code(words=words))
    return path
