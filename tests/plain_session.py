"""A Claude Code file counted by hand, so that a mistake of our own readers cannot hide one of a sample."""

from __future__ import annotations

import json
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parent.parent / "sample_sessions"


class Session:
    """What the agent itself would send: a strict walk back from the last message."""

    def __init__(self, path: Path) -> None:
        self.records: list[dict[str, Any]] = [
            json.loads(line) for line in path.read_bytes().split(b"\n") if line
        ]
        self.by_uuid = {record["uuid"]: record for record in self.records if "uuid" in record}
        self.talk = [record for record in self.records if record["type"] in ("user", "assistant")]

    @cached_property
    def live(self) -> list[dict[str, Any]]:
        """Records behind the last boundary, in file order, with the siblings of parallel calls."""
        path, at = set(), self.talk[-1]["uuid"]
        while at:
            path.add(at)
            at = self.by_uuid[at]["parentUuid"]
        messages = {r["message"]["id"] for r in self.talk if r["uuid"] in path and r["type"] == "assistant"}
        calls = {block["id"] for r in self.talk if r["message"].get("id") in messages for block in uses(r)}
        return [
            record
            for record in self.by_uuid.values()
            if record["uuid"] in path
            or (record["type"] == "assistant" and record["message"]["id"] in messages)
            or any(block["tool_use_id"] in calls for block in results(record))
        ]

    @cached_property
    def names(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Name and input of each live call, by its id."""
        return {
            block["id"]: (block["name"], block["input"]) for record in self.live for block in uses(record)
        }

    @cached_property
    def messages(self) -> list[list[dict[str, Any]]]:
        """Live records joined to API messages: one message id, or one run of user records."""
        joined: list[list[dict[str, Any]]] = []
        for record in self.live:
            if record["type"] not in ("user", "assistant"):
                continue
            if joined and joined[-1][0]["message"].get("id") == record["message"].get("id"):
                joined[-1].append(record)
            else:
                joined.append([record])
        return joined

    @cached_property
    def contexts(self) -> list[tuple[str, int, int]]:
        """Time, reported input and output of each live call of the model."""
        out = []
        for message in self.messages:
            if message[0]["type"] == "assistant":
                usage = message[-1]["message"]["usage"]
                inputs = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
                out.append(
                    (message[0]["timestamp"], sum(usage[key] for key in inputs), usage["output_tokens"])
                )
        return out

    def prompts(self, records: list[dict[str, Any]]) -> list[str]:
        """What the person typed, queued prompts included."""
        said = [record for record in records if record.get("promptSource") == "typed"]
        texts = [next(iter(texts_of(record))) for record in said]
        return texts + [
            record["attachment"]["prompt"]
            for record in records
            if record["type"] == "attachment" and record["attachment"].get("commandMode") == "prompt"
        ]


def blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    content = record.get("message", {}).get("content", [])
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def uses(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for block in blocks(record) if block["type"] == "tool_use"]


def results(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for block in blocks(record) if block["type"] == "tool_result"]


def text_of(block: dict[str, Any]) -> str:
    """The words of a block; of a result, of all its parts."""
    if block["type"] == "tool_use":
        return json.dumps(block["input"], ensure_ascii=False, separators=(",", ":"))
    content = block.get("content", block.get("text", ""))
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def texts_of(record: dict[str, Any]) -> list[str]:
    """Everything that is sent of a record."""
    if record["type"] == "attachment":
        return [part["content"] for part in record.get("rendered", [])]
    return [text_of(block) for block in blocks(record)]


def at(stamp: str) -> datetime:
    return datetime.fromisoformat(stamp.replace("Z", "+00:00"))
