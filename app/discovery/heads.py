"""One function for each agent that describes a session by both ends of its file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, TypeAlias

from app.discovery.file_ends import HEAD_BYTES, LONG_HEAD_BYTES, LONG_TAIL_BYTES, FileEnds, ends_of
from app.discovery.found_session import MAX_TITLE, FoundSession
from app.discovery.subagents import count_of
from app.formats.gemini.entries import as_text
from app.formats.gemini.names import IGNORED, SET
from app.formats.responses.authors import authors_of
from app.formats.responses.blocks import text_in
from app.model import Author

Value: TypeAlias = dict[str, Any]
Head: TypeAlias = Callable[[FoundSession], FoundSession]


def claude_code(found: FoundSession) -> FoundSession:
    """Claude Code: the session's name, else the first prompt; the newest reply's usage."""
    ends = ends_of(found.path, found.size)
    named = next(ends.last(b"custom-title", b"ai-title", b'"summary"'), {})
    title = next((t for key in ("customTitle", "aiTitle", "summary") if (t := _text(named, key))), "")
    prompt = project = ""
    for record in ends.first():
        project = project or _text(record, "cwd")
        prompt = prompt or _prompt_of(record)
        if project and (prompt or title):
            break
    tokens = _newest(found, ends, b'"usage"', _claude_context)
    messages, about = ends.count(*_types("user", "assistant"))
    return _read(found, title or prompt, project, tokens, messages, about, subagents=count_of(found))


def _claude_context(record: Value) -> int:
    if record.get("type") != "assistant" or record.get("isSidechain"):
        return 0
    went_in = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return _sum(_inner(record, "message").get("usage"), *went_in, "output_tokens")


def codex(found: FoundSession) -> FoundSession:
    """Codex: the newest thread name, else the first prompt; the newest non-empty `token_count`."""
    ends = _with_prompt(found, lambda ends: _codex_prompt(ends)[1])
    project, prompt = _codex_prompt(ends)
    named = (_inner(record, "payload") for record in ends.last(b"thread_name_updated"))
    title = next((name for payload in named if (name := _text(payload, "thread_name"))), "")
    tokens = _newest(found, ends, b"last_token_usage", _codex_context)
    messages, about = ends.count(b'"response_item"')
    return _read(found, title or prompt, project, tokens, messages, about)


def _codex_context(record: Value) -> int:
    return _sum(_inner(_inner(record, "payload"), "info").get("last_token_usage"), "total_tokens")


def _codex_prompt(ends: FileEnds) -> tuple[str, str]:
    project = prompt = ""
    for record in ends.first(b'"cwd"', b'"response_item"'):
        payload = _inner(record, "payload")
        project = project or _text(payload, "cwd")
        if record.get("type") == "response_item":
            prompt = _typed(payload)
        if project and prompt:
            break
    return project, prompt


def pi(found: FoundSession) -> FoundSession:
    """pi: the name of the session, else the first prompt; the newest usage."""
    ends = _with_prompt(found, lambda ends: _pi_prompt(ends)[1])
    project, prompt = _pi_prompt(ends)
    named = (_text(entry, "name").strip() for entry in ends.last(b"session_info"))
    title = next((name for name in named if name), "")
    tokens = _newest(found, ends, b'"usage"', _pi_context)
    messages, about = ends.count(*_types("message"))
    return _read(found, title or prompt, project, tokens, messages, about)


def _pi_context(entry: Value) -> int:
    usage = _inner(entry, "message").get("usage")
    return _sum(usage, "input", "cacheRead", "cacheWrite", "output")


def _pi_prompt(ends: FileEnds) -> tuple[str, str]:
    project = prompt = ""
    for entry in ends.first():
        if entry.get("type") == "session":
            project = _text(entry, "cwd")
        message = _inner(entry, "message")
        if message.get("role") == "user" and (prompt := _first_text(message.get("content"))):
            break
    return project, prompt


def qwen(found: FoundSession) -> FoundSession:
    """Qwen Code: the title, else the first prompt; the newest reply's usage."""
    ends = ends_of(found.path, found.size)
    named = (_inner(record, "systemPayload") for record in ends.last(b"custom_title"))
    title = next((name for payload in named if (name := _text(payload, "customTitle"))), "")
    project = prompt = ""
    for record in ends.first():
        project = project or _text(record, "cwd")
        if not prompt and record.get("type") == "user" and "subtype" not in record:
            prompt = _first_text(_inner(record, "message").get("parts"))
        if project and (prompt or title):
            break
    tokens = _newest(found, ends, b'"usageMetadata"', _qwen_context)
    messages, about = ends.count(*_types("user", "assistant", "tool_result"))
    return _read(found, title or prompt, project, tokens, messages, about)


def _qwen_context(record: Value) -> int:
    return _sum(record.get("usageMetadata"), "promptTokenCount", "candidatesTokenCount")


def copilot(found: FoundSession) -> FoundSession:
    """Copilot CLI: the first prompt, and the newest call's usage."""
    ends = _with_prompt(found, lambda ends: _copilot_prompt(ends)[1])
    project, prompt = _copilot_prompt(ends)
    tokens = _newest(found, ends, b'"session.usage_record"', _copilot_context)
    messages, about = ends.count(*_types("user.message", "assistant.message", "tool.execution_complete"))
    return _read(found, prompt, project, tokens, messages, about)


def _copilot_context(event: Value) -> int:
    return _sum(_inner(event, "data").get("usage"), "inputTokens", "outputTokens")


def _copilot_prompt(ends: FileEnds) -> tuple[str, str]:
    project = prompt = ""
    for event in ends.first(b'"session.start"', b'"user.message"'):
        data = _inner(event, "data")
        if event.get("type") == "session.start":
            project = project or _text(_inner(data, "context"), "cwd")
        elif event.get("type") == "user.message" and (prompt := _text(data, "content")):
            break
    return project, prompt


def gemini(found: FoundSession) -> FoundSession:
    """Gemini CLI: its summary, else the first prompt. A record replaces an earlier one with its id."""
    ends = ends_of(found.path, found.size)
    document = _gemini_document(ends) if found.path.suffix == ".json" and ends.whole else None
    if document is not None:
        values = _records_in(document.get("messages"))
        title = _text(document, "summary")
        prompt = next(filter(None, map(_gemini_prompt, values)), "")
        tokens = next(filter(None, map(_gemini_context, reversed(values))), None)
        messages: int | None = len(values)
    else:
        patches = (_inner(record, SET) for record in ends.last(b'"summary"'))
        title = next((name for patch in patches if (name := _text(patch, "summary"))), "")
        prompt = next(filter(None, map(_gemini_prompt, ends.first(b'"user"'))), "")
        tokens = _newest(found, ends, b'"tokens"', _gemini_context)
        messages = len(set(_GEMINI_IDS.findall(ends.text))) if ends.whole else None
    folder = found.path.parent.parent
    project = folder.name
    with suppress(OSError, ValueError):
        project = (folder / ".project_root").read_text("utf-8").strip() or project
    return _read(found, title or prompt, project, tokens, messages, subagents=count_of(found))


_GEMINI_IDS: Final = re.compile(rb'^\{"id": ?"([^"]*)", ?.*"type": ?"(?:user|gemini)"', re.MULTILINE)
"""For counting each id once: a record replaces those before it with the same id."""


def _gemini_context(record: Value) -> int:
    return _sum(record.get("tokens"), "input", "output")


def _gemini_prompt(record: Value) -> str:
    text = as_text(record.get("content")).strip() if record.get("type") == "user" else ""
    return "" if text.startswith(IGNORED) else text


def _gemini_document(ends: FileEnds) -> Value | None:
    """A session in the older form; None if it is not one, or not complete."""
    try:
        document = json.loads(ends.text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) and "messages" in document else None


def _records_in(values: Any) -> list[Value]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


# What they have in common


def _read(
    found: FoundSession,
    title: str,
    project: str,
    tokens: int | None,
    messages: int | None,
    about: bool = False,
    *,
    subagents: int = 0,
) -> FoundSession:
    return replace(
        found,
        title=(title or found.title)[:MAX_TITLE],
        project=project or found.project,
        tokens=tokens or None,
        messages=messages,
        about=about,
        subagents=subagents,
        is_read=True,
    )


def _with_prompt(found: FoundSession, prompt: Callable[[FileEnds], str]) -> FileEnds:
    """Both ends, with a longer head if the first one held no prompt."""
    ends = ends_of(found.path, found.size, HEAD_BYTES)
    if not ends.whole and not prompt(ends):
        ends = ends_of(found.path, found.size, LONG_HEAD_BYTES)
    return ends


def _newest(found: FoundSession, ends: FileEnds, word: bytes, context: Callable[[Value], int]) -> int | None:
    """The newest size of the context above 0; reads a longer tail if the first one has none."""
    told = next(filter(None, map(context, ends.newest(word))), None)
    if told is None and not ends.whole:
        more = ends_of(found.path, found.size, 0, LONG_TAIL_BYTES)
        told = next(filter(None, map(context, more.newest(word))), None)
    return told


def _types(*names: str) -> Iterable[bytes]:
    """The spellings of a record's type member, with and without a space."""
    return [form % name.encode() for name in names for form in (b'"type":"%b"', b'"type": "%b"')]


def _inner(value: Value, key: str) -> Value:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _text(value: Value, key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""


def _sum(usage: Any, *keys: str) -> int:
    if not isinstance(usage, dict):
        return 0
    return sum(count for key in keys if isinstance(count := usage.get(key), int) and count > 0)


def _first_text(content: Any) -> str:
    """The first text of a content that is a string or a list of parts."""
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return next((text for text in texts if isinstance(text, str)), "")
    return content if isinstance(content, str) else ""


def _typed(item: Value) -> str:
    """The text of a message item if a person typed it."""
    content = item.get("content")
    if item.get("role") != "user" or not isinstance(content, list):
        return ""
    texts = {number: text for number, part in enumerate(content) if (text := text_in(part)) is not None}
    authors = authors_of(item, texts)
    return next((text for number, text in texts.items() if authors[number] is Author.USER), "")


def _prompt_of(record: Value) -> str:
    """The text of a Claude Code record if a person typed it."""
    message = record.get("message")
    if record.get("type") != "user" or record.get("isMeta") or not isinstance(message, dict):
        return ""
    content = message.get("content")
    if isinstance(content, list):
        texts = [b.get("text") for b in content if isinstance(b, dict) and b.get("type") == "text"]
        content = next((text for text in texts if isinstance(text, str)), "")
    return content if isinstance(content, str) and not content.lstrip().startswith("<") else ""


HEADS: Final[dict[str, Head]] = {
    "Claude Code": claude_code,
    "Codex": codex,
    "pi": pi,
    "Gemini CLI": gemini,
    "Qwen Code": qwen,
    "Copilot CLI": copilot,
}
"""Agent -> its function."""
