"""Clearing the second copy of a tool result, `toolUseResult`, which is never sent, with the first.

Without this a file with every result cleared is as big as before (anthropics/claude-code#21120).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from app.formats.lines import parse_record
from app.formats.repairs import replaced
from app.formats.reshape import reshape
from app.formats.result_copies import value_at, without_copies
from app.model import JsonPath

_COPIES: Final[tuple[JsonPath, ...]] = (("stdout",), ("file", "content"), ("result",))
"""Paths at which tools keep the text that was sent, or the text from which it was made."""

SHORT: Final = 200
"""Code points up to which a text is left in place: names, states, short answers."""

_PICTURE: Final[JsonPath] = ("file", "base64")


def with_twin(twin: Any, results: Sequence[tuple[Any, Any]], *, alone: bool) -> Any:
    """`toolUseResult` with its copies of changed results updated; `results` are (old, new) blocks.

    `alone`: the record holds only one result, so the copy is of that one. Keys that copy nothing stay.
    """
    for old, new in results:
        if not _is_result(old) or old == new:
            continue
        before, after = _words(old), _words(new)
        if alone and isinstance(twin, str):
            twin = after
        elif alone and isinstance(twin, list):
            twin = [{"type": "text", "text": after}]
        else:
            twin = without_copies(twin, before, after, _COPIES if alone else ())
        if alone and _pictures(old) > _pictures(new) and isinstance(value_at(twin, _PICTURE), str):
            twin = replaced(twin, _PICTURE, "")
    return twin


def slimmed(raw: bytes) -> bytes:
    """A record's bytes with the long texts of `toolUseResult` emptied and its keys kept."""
    if b'"toolUseResult"' not in raw:
        return raw
    record = parse_record(raw)
    if not isinstance(record, dict) or "toolUseResult" not in record:
        return raw
    return reshape(raw, record, {**record, "toolUseResult": _emptied(record["toolUseResult"])})


def _emptied(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= SHORT else ""
    if isinstance(value, list):
        return [_emptied(item) for item in value]
    if isinstance(value, dict):
        return {key: _emptied(item) for key, item in value.items()}
    return value


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _parts(block: Any) -> list[Any]:
    content = block.get("content") if isinstance(block, dict) else None
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _words(block: Any) -> str:
    """The text of a block: of a result's parts or of a text block."""
    own = block.get("text") if isinstance(block, dict) else None
    if isinstance(own, str):
        return own
    texts = (part.get("text") for part in _parts(block) if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))


def _pictures(block: Any) -> int:
    return sum(isinstance(part, dict) and part.get("type") == "image" for part in _parts(block))
