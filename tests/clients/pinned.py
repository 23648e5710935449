"""Which versions of the agents are asked, and with which sessions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.clients.agents import Agent, ClaudeCode, Codex, GeminiCli, Opencode, Pi, QwenCode

_ROOT: Final = Path(__file__).resolve().parents[2]
FOLDERS: Final = (_ROOT / "sample_sessions", _ROOT / "tests" / "data" / "sessions")
"""Where sessions lie that the agents themselves wrote."""

CLAUDE_CODE: Final = ClaudeCode("2.1.332")
OLDER_CLAUDE_CODE: Final = ClaudeCode("2.0.76")
CODEX: Final = Codex("0.171.0")
OLDER_CODEX: Final = Codex("0.98.0")
PI: Final = Pi("1.6.0")
QWEN_CODE: Final = QwenCode("0.24.4")
GEMINI_CLI: Final = GeminiCli("0.61.0")
OPENCODE: Final = Opencode("1.18.33")


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample session, or what of it was there before its agent compacted it."""

    name: str
    before: str = ""
    """A member that the agent's compaction holds; the session ends before the record that has it."""

    def __str__(self) -> str:
        return f"{self.name} before its compaction" if self.before else self.name

    def file(self, folder: Path) -> Path:
        """The session's file; one that ends early is made in `folder`."""
        files = (file for folder in FOLDERS for file in folder.glob(f"{self.name}.json*"))
        (whole,) = filter(Path.is_file, files)
        if not self.before:
            return whole
        early = folder / whole.name
        if whole.suffix == ".json":
            early.write_text(json.dumps(self._document(json.loads(whole.read_bytes())), indent=2), "utf-8")
        else:
            lines = whole.read_bytes().splitlines(keepends=True)
            early.write_bytes(b"".join(self._head(lines, self.before.encode())))
        return early

    def _document(self, value: dict[str, Any]) -> dict[str, Any]:
        """A document whose messages are in a list."""
        told = [json.dumps(message, separators=(",", ":")) for message in value["messages"]]
        head = self._head([text.encode() for text in told], self.before.encode())
        return {**value, "messages": value["messages"][: len(head)]}

    @staticmethod
    def _head(records: list[bytes], mark: bytes) -> list[bytes]:
        return records[: next(n for n, record in enumerate(records) if mark in record)]


@dataclass(frozen=True, slots=True)
class Pinned:
    """One version of an agent with sessions of its own."""

    agent: Agent
    sample: Sample
    """The session on which every kind of edit is tried."""
    further: tuple[Sample, ...] = ()
    """Sessions that resume unchanged, and on which every edit is tried when there is time."""
    costly: bool = False
    """Whether a resume takes so long that of the edits only those in `TELLING` are tried each time."""

    @property
    def samples(self) -> tuple[Sample, ...]:
        return self.sample, *self.further


TELLING: Final = frozenset(
    {"unchanged", "placeholders", "cut", "pictures", "dropped-pairs", "rewritten", "snipped"}
    | {"summary-and-tail", "summarised", "slim", "gentle", "minicode", "layered"}
)
"""The kinds of edit that between them write everything that a writer can."""

_AWKWARD: Final = ("broken-line", "huge-result", "cjk", "escapes", "unknown-fields")
_QWEN: Final = "qwen-code-compressed"
_OPENCODE: Final = "opencode-compacted"

PINNED: Final = (
    Pinned(
        CLAUDE_CODE,
        Sample("claude-code-tools"),
        (
            Sample("claude-code-compacted"),
            Sample("claude-code-killed"),
            Sample("claude-code-v2-0"),
            Sample("claude-code-long"),
            *(Sample(f"awkward-{name}") for name in _AWKWARD),
        ),
    ),
    Pinned(
        OLDER_CLAUDE_CODE,
        Sample("claude-code-v2-0"),
        (
            Sample("claude-code-v2-0-compacted"),
            Sample("awkward-broken-line"),
            Sample("awkward-huge-result"),
        ),
    ),
    Pinned(CODEX, Sample("codex-three-turns"), (Sample("codex-compacted"),)),
    Pinned(OLDER_CODEX, Sample("codex-three-turns"), (Sample("codex-compacted"),)),
    Pinned(PI, Sample("pi-three-turns"), (Sample("pi-compacted"),)),
    Pinned(QWEN_CODE, Sample(_QWEN, before='"subtype":"chat_compression"'), (Sample(_QWEN),)),
    Pinned(GEMINI_CLI, Sample("gemini-cli-one-turn"), (Sample("gemini-cli-compressed"),)),
    Pinned(OPENCODE, Sample(_OPENCODE, before='"type":"compaction"'), (Sample(_OPENCODE),), costly=True),
)
