"""Session files for tests of the screens, written into a test's own folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

LONG = "line of a file, long enough to be worth clearing\n" * 120


def anthropic_file(folder: Path, turns: int = 12, name: str = "shop.json") -> Path:
    """Each turn: a question, a read of some 6,000 characters, an answer."""
    messages: list[dict[str, Any]] = []
    for n in range(turns):
        read = {"type": "tool_use", "id": f"r{n}", "name": "Read", "input": {"file_path": f"src/f{n}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"r{n}", "content": f"file {n}\n" + LONG}
        messages += [
            {"role": "user", "content": f"Question {n}: 登录 [/x] where is it?"},
            {"role": "assistant", "content": [{"type": "text", "text": f"Looking at f{n}."}, read]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": f"Answer {n}, at length."},
        ]
    return written(folder, messages, name)


def written(folder: Path, messages: Sequence[Mapping[str, Any]], name: str = "shop.json") -> Path:
    """An Anthropic request with these messages."""
    file = folder / name
    file.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": messages}, ensure_ascii=False))
    return file


def claude_project(config: Path, titles: dict[str, float]) -> None:
    """Claude Code sessions by title, each last written at that time (seconds since 1970)."""
    folder = config / "projects" / "-home-ada-shop"
    folder.mkdir(parents=True)
    for number, (title, modified) in enumerate(titles.items()):
        record = {
            "type": "user",
            "uuid": f"00000000-0000-4000-8000-{number:012}",
            "parentUuid": None,
            "sessionId": f"10000000-0000-4000-8000-{number:012}",
            "cwd": "/home/ada/shop",
            "message": {"role": "user", "content": title},
        }
        file = folder / f"10000000-0000-4000-8000-{number:012}.jsonl"
        file.write_text(json.dumps(record) + "\n")
        os.utime(file, (modified, modified))
