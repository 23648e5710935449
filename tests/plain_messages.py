"""Sessions of plain Anthropic messages that lie in memory, opened as a file would be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from app.formats import detect
from app.formats.source import BytesSource
from app.opening import Opened
from app.pipeline import load
from app.work.workspace import Workspace


def call_turn(n: int, tool: str, arguments: dict[str, Any], output: str) -> list[dict[str, Any]]:
    """A question, one call with its result, an answer."""
    return [
        {"role": "user", "content": f"Question {n}?"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": f"r{n}", "name": tool, "input": arguments}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"r{n}", "content": output}]},
        {"role": "assistant", "content": f"Answer {n}."},
    ]


def reading_turns(count: int) -> list[dict[str, Any]]:
    """Each turn reads a file of 6,000 characters."""
    text = "line of a file\n" * 400
    return [m for n in range(count) for m in call_turn(n, "Read", {"file_path": f"src/f{n}.py"}, text)]


def open_messages(messages: Sequence[dict[str, Any]], pipeline: str = "react-mini") -> Opened:
    """A workspace over these messages, with rough figures."""
    data = json.dumps({"model": "claude-sonnet-4-5", "messages": messages}).encode()
    source = BytesSource(data, "test.json")
    return Opened(Workspace(detect(source).read(source), load(pipeline), exact=False), source)
