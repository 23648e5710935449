"""Small sessions of every format to begin with: the samples with their texts cut short, and the odd cases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.hostile import MADE
from tests.plain_session import SAMPLES

CASES: Final = Path(__file__).parent.parent / "data"
FINDS: Final = Path(__file__).parent / "finds"
"""Small files with which something went wrong once, named by what is odd about them."""
MAX_RECORDS: Final = 24
MAX_TEXT: Final = 60
"""Code points that are left of a long text: its form matters here, not its length."""
MAX_LIST: Final = 12
MAX_CASE: Final = 20_000


def seeds() -> list[bytes]:
    """Every seed, smallest first."""
    finds = (path.read_bytes() for path in FINDS.iterdir())
    found = {
        *_samples(),
        *_cases(),
        *finds,
        *(make("x\x1b]0;y\x07") for make in MADE.values()),
        _trajectory(),
    }
    return sorted(found, key=len)


def _samples() -> Iterator[bytes]:
    for path in sorted([*SAMPLES.glob("*.json"), *SAMPLES.glob("*.jsonl")]):
        data = path.read_bytes()
        if path.suffix == ".json":
            yield json.dumps(_short(json.loads(data))).encode()
            continue
        lines = [_short_line(line) for line in data.split(b"\n") if line]
        # The whole shape of a session: how it begins, a part of its middle, how it ends.
        third = MAX_RECORDS // 3
        middle = len(lines) // 2
        kept = lines if len(lines) <= MAX_RECORDS else lines[:third] + lines[middle : middle + third]
        yield b"\n".join([*kept, *(lines[-third:] if kept is not lines else ()), b""])


def _cases() -> Iterator[bytes]:
    for folder in ("cases", "plain"):
        for path in sorted((CASES / folder).rglob("*.json*")):
            if ".expect" not in path.name and path.stat().st_size <= MAX_CASE:
                yield path.read_bytes()


def _short_line(line: bytes) -> bytes:
    try:
        return json.dumps(_short(json.loads(line))).encode()
    except ValueError:
        return line[:200]


def _short(value: Any) -> Any:
    match value:
        case str():
            return value[:MAX_TEXT]
        case dict():
            return {key: _short(inner) for key, inner in value.items()}
        case list():
            kept = value if len(value) <= MAX_LIST else value[: MAX_LIST // 2] + value[-MAX_LIST // 2 :]
            return [_short(inner) for inner in kept]
    return value


def _trajectory() -> bytes:
    """One of SWE-agent, whose steps repeat what its history says."""
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    text = "a line of a file\n" * 20
    history = [
        {"role": "user", "content": "Fix it.", "agent": "main", "message_type": "observation"},
        {"role": "assistant", "content": "Look.", "agent": "main", "action": "ls", "tool_calls": [call]},
        {
            "role": "tool",
            "content": [{"type": "text", "text": text}],
            "agent": "main",
            "tool_call_ids": ["c"],
        },
    ]
    step = {
        "action": "ls",
        "observation": text,
        "response": "Look.",
        "query": history[:1],
        "execution_time": 0.1,
    }
    return json.dumps({"trajectory": [step], "history": history, "info": {"exit_status": "x"}}).encode()
