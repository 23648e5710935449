"""Describing a file that no format recognises, for the error message."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from app.formats.document import document_start
from app.formats.lines import UNREADABLE, LineReader, parse_record
from app.formats.plain.sniffing import look_at
from app.formats.source import BytesSource, Source
from app.formats.splice import items, scan

_HEAD_BYTES: Final = 256 << 10
_KEYS_SHOWN: Final = 6
_KEY_CHARS: Final = 24

_WIDE: Final = "UTF-16 text: save it as UTF-8"

_MAGIC: Final = (
    (b"SQLite format 3\0", "an SQLite database; opencode keeps its sessions in one: give"
     " `opencode:<session id>`, or the output of `opencode export`"),
    (b"\x1f\x8b", "gzip data: unpack it first"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "zstd data: unpack it first"),
    (b"\xfd7zXZ\0", "xz data: unpack it first"),
    (b"BZh", "bzip2 data: unpack it first"),
    (b"\x89PNG", "a PNG image"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", _WIDE),
    (b"\xfe\xff", _WIDE),
)  # fmt: skip

_RESPONSE_ITEMS: Final = frozenset(
    {"message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "web_search_call"}
)

_Test = Callable[[Mapping[str, Any]], bool]


def _word(value: Mapping[str, Any], key: str) -> str:
    word = value.get(key)
    return word if isinstance(word, str) else ""


_OBJECTS: Final[tuple[tuple[_Test, str], ...]] = (
    (lambda o: "mapping" in o and ("title" in o or "current_node" in o), "a ChatGPT export"),
    (lambda o: "payload" in o and "type" in o, "a Codex rollout"),
    (lambda o: isinstance(o.get("message"), dict) and "parts" in o["message"], "a Qwen Code session"),
    (lambda o: _word(o, "type") == "session" and "version" in o, "a pi session"),
    (lambda o: "chat_messages" in o, "a claude.ai export"),
    (lambda o: isinstance(o.get("conversations"), list), "a ShareGPT data set"),
    (lambda o: "input" in o and ("model" in o or "instructions" in o), "an OpenAI Responses request"),
    (lambda o: "role" in o and isinstance(o.get("message"), dict), "a Cursor transcript"),
    (lambda o: "source" in o and ("action" in o or "observation" in o), "OpenHands events"),
    (lambda o: isinstance(o.get("requests"), list) and "version" in o, "a chat of VS Code"),
    (lambda o: _word(o, "type") in _RESPONSE_ITEMS and "message" not in o, "OpenAI Responses items"),
    (lambda o: _word(o, "object") in ("chat.completion", "response"), "an API response without its request"),
    (lambda o: _word(o, "type") in ("session.start", "user.message"), "Copilot CLI events"),
    (lambda o: "trajectory" in o, "an SWE-agent trajectory"),
)  # fmt: skip


def what_is_seen(source: Source) -> str:
    """What `source` holds and, if it can be guessed, what it is; at most about 160 characters."""
    head = source.read(0, _HEAD_BYTES)
    for magic, words in _MAGIC:
        if head.startswith(magic):
            return words
    if _is_wide(head[0::2], head[1::2]) or _is_wide(head[1::2], head[0::2]):
        return _WIDE
    if _is_binary(head):
        return "binary data"
    start = document_start(head)
    if head[start : start + 1] in (b"{", b"["):
        return _seen_json(head, start, whole=source.size <= _HEAD_BYTES)
    reach = scan(head, start)
    lone = reach.whole and not head[reach.end :].strip(b" \t\r\n\0")
    return "a JSON value that is neither an object nor a list" if lone else "text that is not JSON"


def _seen_json(head: bytes, start: int, *, whole: bool) -> str:
    value, lines = _first_value(head, start)
    look = look_at(head, whole=whole)
    if look.shape is not None and not look.values and whole:
        return "a conversation without a complete message"
    samples = [item for item in (value, *look.values[:20]) if isinstance(item, dict)]
    samples += [item for item in value[:20] if isinstance(item, dict)] if isinstance(value, list) else []
    guess = next((words for test, words in _OBJECTS if any(test(sample) for sample in samples)), None)
    return f"{_shape_words(value, lines)}{f': looks like {guess}' if guess else ''}"


def _first_value(head: bytes, start: int) -> tuple[Any, bool]:
    """The first value (of a truncated object its whole members), and whether more follow on lines."""
    reach = scan(head, start)
    rows = (row.value for row in LineReader(BytesSource(head[start:])) if row.value is not UNREADABLE)
    if reach.whole:
        more = bool(head[reach.end :].strip(b" \t\r\n\0"))
        try:
            return parse_record(head[start : reach.end]), more
        except ValueError:
            return {}, more
    if head[start : start + 1] == b"[":
        first = look_at(head, whole=False).values[:20]
        return list(first), False
    found: dict[str, Any] = {}
    with suppress(ValueError):  # the head may be cut anywhere
        for item in items(head, start):
            found[str(item.key)] = parse_record(head[item.start : item.end])
    if found:
        return found, False
    row = next(rows, None)
    return ({}, False) if row is None else (row, True)


def _shape_words(value: Any, lines: bool) -> str:
    each = next((item for item in value if isinstance(item, dict)), None) if isinstance(value, list) else None
    if lines:
        return f"lines of JSON{_keys(value)}"
    if isinstance(value, list):
        return f"a JSON list of objects{_keys(each)}" if each else "a JSON list without messages"
    return f"a JSON object{_keys(value)}"


def _keys(value: Any) -> str:
    if not isinstance(value, dict) or not value:
        return ""
    names = [_plain(str(key)) for key in list(value)[:_KEYS_SHOWN]]
    more = " ..." if len(value) > _KEYS_SHOWN else ""
    return f" with the keys {', '.join(names)}{more}"


def _plain(key: str) -> str:
    """A key for an error message: short, with harmless characters only."""
    return re.sub(r"[^\w.$@-]", "?", key[:_KEY_CHARS])


def _is_wide(signs: bytes, zeros: bytes) -> bool:
    """Whether every other byte is text and the rest NUL, as in UTF-16 without a byte-order mark."""
    return len(zeros) > 1 and zeros.count(0) * 10 > len(zeros) * 9 and signs.count(0) * 10 < len(signs)


def _is_binary(head: bytes) -> bool:
    """Whether bytes are not text: NUL or control characters in them, or little valid UTF-8."""
    start = head[:8192]
    if not start.strip(b"\0"):
        return True
    controls = sum(start.count(bytes([sign])) for sign in range(9))
    if controls * 20 > len(start):
        return True
    text = start.decode("utf-8", "replace")
    return text.count("\ufffd") * 10 > len(text)
