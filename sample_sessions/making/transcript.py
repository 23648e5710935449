"""A Claude Code session, written record by record as the agent (2.1.332) writes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from .calls import Call, Outcome
from .ids import Dice, hexes, ident, seal, token
from .weigh import weight
from .workspace import FOLDER, Workspace

VERSION = "2.1.332"
MODEL = "claude-opus-4-6"
CACHE_SECONDS = 300
"""How long a provider keeps a prefix: after a longer pause all of it is written again."""
RESULT_TOKENS = (15, 45)
"""What the first result of a batch weighs beside its text, and each further one."""
CALL_TOKENS = 40
REPLY_TOKENS = 22
IMAGE_PIXELS_PER_TOKEN = 750
SLOW = 1.3
"""Seconds after which a command is told to be still running."""


def compact(value: Any) -> str:
    """JSON as the agent writes it: no blanks, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass
class Meter:
    """The size of the context as the provider would report it, in tokens."""

    fixed: int
    """System prompt and tools, which no record holds."""
    spoken: int = 0
    cached: int = 0
    totals: dict[str, int] = field(
        default_factory=lambda: {"in": 0, "out": 0, "read": 0, "written": 0, "thought": 0}
    )

    def add(self, text: str, kind: str) -> None:
        self.spoken += weight(text, kind)

    def usage(self, output: int, thought: int, cold: bool) -> dict[str, Any]:
        """The usage of a call that answers the context as it is, with `output` tokens."""
        context = self.fixed + self.spoken
        read = 0 if cold else self.cached
        written = context - read - 3
        self.cached = context
        self.spoken += output
        for name, value in (
            ("in", 3),
            ("out", output),
            ("read", read),
            ("written", written),
            ("thought", thought),
        ):
            self.totals[name] += value
        return {
            "input_tokens": 3,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
            "output_tokens": output,
            "output_tokens_details": {"thinking_tokens": thought},
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": written},
            "inference_geo": "",
            "iterations": [],
            "speed": "standard",
            "fallback_credit": None,
        }


class Transcript:
    """The session while it grows; `rows` are the lines of its file."""

    def __init__(
        self, name: str, start: datetime, work: Workspace, *, fixed: int = 8_400, branch: str = "main"
    ) -> None:
        self.name = name
        self.work = work
        self.now = start
        self.started = start
        self.meter = Meter(fixed)
        self.dice = Dice(name)
        self.session_id = ident(name, "session")
        self.rows: list[str] = []
        self.head: str | None = None
        self.slug: str | None = None
        self.agent_id: str | None = None
        self.branch = branch
        self.turns = 0
        self.prompt = ""
        self.prompt_id = ""
        self.tools: list[str] = []
        self._asked = start
        self._last_call = start - timedelta(days=1)
        self._made = 0
        self._snapshots: dict[str, int] = {}

    # ---- rows

    def wait(self, seconds: float) -> None:
        self.now += timedelta(milliseconds=round(seconds * 1000))

    def stamp(self) -> str:
        return f"{self.now:%Y-%m-%dT%H:%M:%S}.{self.now.microsecond // 1000:03d}Z"

    def loose(self, kind: str, **fields: Any) -> None:
        """A row that is no part of the chain."""
        self.rows.append(compact({"type": kind, **fields, "sessionId": self.session_id}))

    def link(
        self, before: dict[str, Any], after: dict[str, Any] | None = None, *, parent: str | None = ""
    ) -> str:
        """A row of the chain; its parent is the head unless another is given. Gives its uuid."""
        self._made += 1
        uuid = ident(self.name, self._made)
        record: dict[str, Any] = {"parentUuid": self.head if parent == "" else parent}
        record |= {key: before[key] for key in ("logicalParentUuid",) if key in before}
        record["isSidechain"] = self.agent_id is not None
        record |= {key: before[key] for key in ("promptId",) if key in before}
        if self.agent_id is not None:
            record["agentId"] = self.agent_id
        record |= before
        own = {"uuid": uuid, "timestamp": self.stamp()}
        record |= dict(reversed(own.items())) if before.get("type") == "system" else own
        record |= after or {}
        record |= {"userType": "external", "entrypoint": "cli", "cwd": FOLDER, "sessionId": self.session_id}
        record |= {"version": VERSION, "gitBranch": self.branch}
        if self.slug:
            record["slug"] = self.slug
        self.rows.append(compact(record))
        self.head = uuid
        return uuid

    def attach(self, attachment: dict[str, Any], texts: Sequence[str] = (), role: str = "system") -> str:
        """Something that the agent sends beside the conversation."""
        for text in texts:
            self.meter.add(text, "prose")
        after: dict[str, Any] = {}
        if texts:
            after = {"rendered": [{"content": text} for text in texts], "renderedRole": role}
        return self.link({"attachment": attachment, "type": "attachment"}, after)

    def progress(self, data: dict[str, Any], call_id: str, parent: str | None) -> None:
        """A row that says how a tool gets on: it stands in the chain and is never sent."""
        self.link(
            {"type": "progress", "data": data},
            {"toolUseID": call_id, "parentToolUseID": call_id},
            parent=parent,
        )

    # ---- the person

    def user(self, text: str, *, pause: float = 60, picture: tuple[str, int, int, int] | None = None) -> str:
        """A prompt, with a picture pasted before it if there is one."""
        self.wait(pause)
        self.turns += 1
        self._asked = self.now
        self.prompt = text
        self.prompt_id = ident(self.name, "prompt", self.turns)
        self.meter.add(text, "prose")
        content: Any = text
        if picture is not None:
            data, width, height, _ = picture
            self.meter.spoken += width * height // IMAGE_PIXELS_PER_TOKEN
            source = {"type": "base64", "media_type": "image/png", "data": data}
            content = [{"type": "text", "text": text}, {"type": "image", "source": source}]
        before = {"promptId": self.prompt_id, "type": "user", "message": {"role": "user", "content": content}}
        after = {
            "permissionMode": "acceptEdits",
            "promptSource": "typed",
            "sentAtMs": round(self.now.timestamp() * 1000) - 41,
            "rowSource": "local",
            "turnPosition": {"promptIndex": 0, "turnIndex": self.turns},
        }
        uuid = self.link(before, after)
        self._snapshot(uuid)
        return uuid

    def queue(self, text: str) -> None:
        """A prompt that the person types while the agent works."""
        self.loose("queue-operation", operation="enqueue", timestamp=self.stamp(), content=text)

    def unqueue(self, text: str) -> None:
        """The queued prompt reaches the model, beside the results."""
        self.loose("queue-operation", operation="remove", timestamp=self.stamp())
        told = f"The user sent a new message while you were working:\n{text}"
        sent = f"<system-reminder>\n{told}\n</system-reminder>"
        self.attach({"type": "queued_command", "prompt": text, "commandMode": "prompt"}, [sent], "user")

    def _snapshot(self, message_id: str) -> None:
        """What the agent notes so that a rewind can bring files back."""
        backups = {
            path: {
                "backupFileName": f"{hexes(16, path)}@v{version}",
                "version": version,
                "backupTime": self.stamp(),
            }
            for path, version in self._snapshots.items()
        }
        snapshot = {"messageId": message_id, "trackedFileBackups": backups, "timestamp": self.stamp()}
        row = {
            "type": "file-history-snapshot",
            "messageId": message_id,
            "snapshot": snapshot,
            "isSnapshotUpdate": False,
        }
        self.rows.append(compact(row))

    # ---- the agent

    def step(self, text: str = "", *calls: Call, think: int = 0, swap: bool = False) -> None:
        """One reply of the model with its calls, and their results; `swap` has them come back in reverse."""
        blocks: list[dict[str, Any]] = []
        if think:
            signature = seal(round((think + 47) / 0.198), self.name, "seal", self._made)
            blocks.append({"type": "thinking", "thinking": "", "signature": signature})
        if text:
            blocks.append({"type": "text", "text": text})
        ids = [token("toolu_01", self.name, "call", self._made, n) for n in range(len(calls))]
        for call, call_id in zip(calls, ids, strict=True):
            blocks.append({"type": "tool_use", "id": call_id, "name": call.name, "input": call.input})
        output = think + REPLY_TOKENS + weight(text, "reply")
        output += sum(CALL_TOKENS + weight(compact(call.input), "input") for call in calls)
        self.wait(2 + output / 55)
        cold = (self.now - self._last_call).total_seconds() > CACHE_SECONDS
        usage = self.meter.usage(output, think, cold)
        self._last_call = self.now
        parents = self._reply(blocks, usage, "tool_use" if calls else "end_turn")
        self._tools_used(calls)
        batch = list(zip(calls, ids, parents[len(blocks) - len(calls) :], strict=True))
        for place, (call, call_id, parent) in enumerate(reversed(batch) if swap else batch):
            self._result(call, call_id, parent, RESULT_TOKENS[place > 0])
        for call, call_id, _ in batch:
            if call.follow:
                self._follow(call.follow, call_id)

    def _reply(self, blocks: list[dict[str, Any]], usage: dict[str, Any], reason: str) -> list[str]:
        """One record a block; all of them carry the message's id and usage."""
        message_id = token("msg_01", self.name, self._made)
        request = ident(self.name, "request", self._made)
        uuids = []
        for place, block in enumerate(blocks):
            message: dict[str, Any] = {
                "id": message_id,
                "type": "message",
                "role": "assistant",
                "model": MODEL,
                "content": [block],
            }
            message |= {"stop_reason": reason, "stop_sequence": None, "usage": usage, "stop_details": None}
            timing: dict[str, Any] = {}
            if block["type"] == "thinking":
                timing = {"thinkingDurationMs": self.dice.number(900, 9000), "thinkingDisplay": "omitted"}
            elif block["type"] == "tool_use":
                timing = {"toolInputStreamMs": self.dice.number(3, 900)}
            before = {"message": message, **timing, "apiBlockIndex": place, "requestRef": request}
            before |= {"requestedModel": MODEL, "promptCacheRequested": "5m", "type": "assistant"}
            uuids.append(
                self.link(before, {"effort": "medium", "perTurnEffort": "medium", "madeBy": "model"})
            )
            self.wait(self.dice.number(8, 400) / 1000)
        return uuids

    def _tools_used(self, calls: Sequence[Call]) -> None:
        new = [name for name in dict.fromkeys(call.name for call in calls) if name not in self.tools]
        if new:
            self.tools += new
            self.loose("tools-used", tools=list(self.tools))

    def _result(self, call: Call, call_id: str, parent: str, extra: int) -> None:
        outcome = call.run(self.work)
        if outcome.shell and call.seconds > SLOW:
            told = {"type": "bash_progress", "output": "", "elapsedTimeSeconds": 1, "totalLines": 0}
            self.progress(told, call_id, parent)
        self.wait(call.seconds + self.dice.number(20, 300) / 1000)
        self._weigh_result(outcome, extra)
        block: dict[str, Any] = {"tool_use_id": call_id, "type": "tool_result", "content": outcome.content}
        if outcome.error:
            block = {
                "type": "tool_result",
                "content": outcome.content,
                "is_error": True,
                "tool_use_id": call_id,
            }
        elif outcome.shell:
            block["is_error"] = False
        before = {"promptId": self.prompt_id, "type": "user", "message": {"role": "user", "content": [block]}}
        after: dict[str, Any] = {"toolUseResult": outcome.twin}
        if outcome.shell:
            after["sandboxed"] = False
        after["sourceToolAssistantUUID"] = parent
        if call.name != "AskUserQuestion":
            after["permissionDecision"] = {"decision": "accept", "source": "config", "reasonType": "mode"}
        self.link(before, after, parent=parent)
        if call.name in ("Write", "Edit") and not outcome.error:
            path = str(call.input["file_path"]).removeprefix(f"{FOLDER}/")
            self._snapshots[path] = self._snapshots.get(path, 0) + 1
            told = {
                "type": "hook_progress",
                "hookEvent": "PostToolUse",
                "hookName": f"PostToolUse:{call.name}",
            }
            self.progress(told | {"command": "ruff check --quiet"}, call_id, self.head)

    def _weigh_result(self, outcome: Outcome, extra: int) -> None:
        self.meter.spoken += extra
        parts = (
            [{"type": "text", "text": outcome.content}]
            if isinstance(outcome.content, str)
            else outcome.content
        )
        for part in parts:
            if part["type"] == "text":
                self.meter.add(part["text"], outcome.kind)
            else:
                sides = outcome.twin["file"]["dimensions"]
                self.meter.spoken += sides["displayWidth"] * sides["displayHeight"] // IMAGE_PIXELS_PER_TOKEN

    def _follow(self, text: str, call_id: str) -> None:
        self.meter.add(text, "prose")
        content = [{"type": "text", "text": text}]
        before = {"promptId": self.prompt_id, "type": "user", "message": {"role": "user", "content": content}}
        self.link(before | {"isMeta": True, "sourceToolUseID": call_id, "rowSource": "harness"})

    def close_turn(self) -> None:
        """The rows that the agent writes when it waits for the person again."""
        took = round((self.now - self._asked).total_seconds() * 1000)
        notice = {
            "type": "system",
            "subtype": "turn_duration",
            "durationMs": took,
            "messageCount": self._made,
        }
        self.link(notice, {"isMeta": False})
        self.state_rows()
        self.loose("cost-state", **self._cost())

    def state_rows(self) -> None:
        self.loose("last-prompt", lastPrompt=self.prompt, leafUuid=self.head)
        self.loose("mode", mode="normal")
        self.loose("atis-latch", atis="")

    def _cost(self) -> dict[str, Any]:
        totals = self.meter.totals
        dollars = round(
            (totals["in"] * 5 + totals["out"] * 25 + totals["read"] * 0.5 + totals["written"] * 6.25)
            / 1_000_000,
            7,
        )
        used = {
            "inputTokens": totals["in"],
            "outputTokens": totals["out"],
            "thinkingTokens": totals["thought"],
            "cacheReadInputTokens": totals["read"],
            "cacheCreationInputTokens": totals["written"],
            "webSearchRequests": 0,
            "costUSD": dollars,
        }
        elapsed = round((self.now - self.started).total_seconds() * 1000)
        return {
            "totalCostUSD": dollars,
            "totalDuration": elapsed,
            "modelUsage": {MODEL: used},
            "hasUnknownModelCost": False,
        }
