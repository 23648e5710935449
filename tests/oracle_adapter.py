"""Runs recorded compaction cases through our stages.

`run(seed, stage, params, messages)` takes and gives the recording's neutral messages. This module
alone knows how the recording's stage names map onto ours; every other difference is a plain option.
The references protect nothing, so the cases run with `protect` off.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from app.model import (
    Author,
    Block,
    Boundary,
    Content,
    Held,
    HeldValue,
    Image,
    Message,
    Opaque,
    Part,
    Role,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from app.pipeline import Pipeline, load
from app.stages.base import Context, Messages, StageResult
from app.tokens import estimator

Json = dict[str, Any]

PRESETS = {"000": "react-mini"}
STAGES = {
    ("000", "budget"): ("tool_result_budget",),
    ("000", "micro"): ("microcompact",),
    ("000", "retain"): ("retain_tail",),
    ("000", "pipeline"): ("tool_result_budget", "microcompact", "retain_tail"),
}
SHORT = {"tool_result_budget": "budget", "microcompact": "micro", "retain_tail": "retain"}


def run(seed: str, stage: str, params: Mapping[str, Any], messages: Sequence[Json]) -> Json:
    """One recorded case; raises NotImplementedError for a stage that is not there."""
    names = STAGES.get((seed, stage))
    if names is None:
        raise NotImplementedError(f"{seed} {stage}")
    pipeline = _with_params(load(PRESETS[seed]), names, params)
    measure = estimator(pipeline.estimator)
    given = to_model(messages)
    current, steps = given, []
    for step in pipeline.steps:
        if step.name not in names:
            continue
        result = step.stage(current, Context(measure))
        if result.messages is not current and result.messages != current:
            steps.append(_step_report(SHORT[step.name], current, result))
        current = result.messages
    report = {"steps": steps, "size_before": measure.total(given), "size_after": measure.total(current)}
    return {"messages": from_model(current), "report": report, "files": []}


def _step_report(name: str, before: Messages, result: StageResult) -> Json:
    report: Json = {"stage": name, "messages_before": len(before), "messages_after": len(result.messages)}
    if name == "retain":
        report["messages_dropped"] = len(before) - len(result.messages)
    else:
        report["blocks_changed"] = len(result.changes)
    if name != "budget":
        report["size_before"] = result.size_before
    return report


def _with_params(pipeline: Pipeline, names: Sequence[str], params: Mapping[str, Any]) -> Pipeline:
    changes: dict[str, dict[str, Any]] = {}
    for step in pipeline.steps:
        known = {option.name for option in step.stage.options()}
        own = {name: value for name, value in params.items() if name in known}
        changes[step.name] = {**own, "protect": False}
    if "micro_enabled" in params:
        changes["microcompact"]["enabled"] = params["micro_enabled"]
    if "enabled" in params:
        for own in changes.values():
            own["enabled"] = params["enabled"]
    ready = pipeline.with_options(changes)
    kept = tuple(step for step in ready.steps if step.stage.enabled and step.name in names)
    return Pipeline(ready.name, ready.title, ready.about, ready.estimator, kept, ready.origin)


# Neutral messages and ours


def to_model(messages: Sequence[Json]) -> Messages:
    """The recording's messages as ours."""
    return tuple(_message(i, message) for i, message in enumerate(messages))


def _message(i: int, message: Json) -> Message:
    meta = message.get("meta") or {}
    role = Role(message["role"])
    boundary = Boundary(key=f"b{i}", trigger="auto") if meta.get("boundary") else None
    content = message.get("content") or []
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    author = Author.INJECTED if meta.get("synthetic") else _AUTHORS[role]
    blocks = tuple(_block(f"{i}:{j}", block, author) for j, block in enumerate(content))
    return Message(str(i), role, blocks, boundary=boundary)


_AUTHORS = {
    Role.USER: Author.USER,
    Role.ASSISTANT: Author.ASSISTANT,
    Role.SYSTEM: Author.SYSTEM,
    Role.TOOL: Author.INJECTED,
}


def _block(key: str, block: Json, author: Author) -> Block:
    match block["type"]:
        case "text":
            return Text(key, Held(block["text"]), author)
        case "thinking":
            return Thinking(key, Held(block["thinking"]))
        case "tool_use":
            return ToolUse(key, block["id"], block["name"], HeldValue(block["input"]))
        case "tool_result":
            parts = block.get("content")
            if isinstance(parts, str):
                parts = [{"type": "text", "text": parts}] if parts else []
            made = tuple(_part(f"{key}/{k}", part) for k, part in enumerate(parts or []))
            return ToolResult(key, block["tool_use_id"], made, bool(block.get("is_error")))
        case _:
            return _part(key, block)


def _part(key: str, part: Json) -> Part:
    if part["type"] == "text":
        return Text(key, Held(part["text"]), Author.INJECTED)
    if part["type"] == "image":
        return Image(key, HeldValue(part["source"]))
    return Opaque(key, part["type"], HeldValue(part))


def from_model(messages: Messages) -> list[Json]:
    """Our messages as the recording's."""
    return [
        {"role": str(message.role), "content": [_neutral(block) for block in message.blocks]}
        for message in messages
    ]


def _neutral(block: Block) -> Json:
    match block:
        case Text():
            return {"type": "text", "text": block.content.read()}
        case Thinking():
            return {"type": "thinking", "thinking": block.content.read()}
        case ToolUse():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": _value(block.input)}
        case ToolResult():
            neutral: Json = {
                "type": "tool_result",
                "tool_use_id": block.tool_use_id,
                "content": [_neutral(part) for part in block.parts],
            }
            return {**neutral, "is_error": True} if block.is_error else neutral
        case Image():
            return {"type": "image", "source": block.data.value()}
        case _:
            return dict(json.loads(block.content.read()))


def _value(content: Content) -> Any:
    return content.value()
