"""Qwen Code: sessions lie in a folder that is named after the working folder, which their rows must name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.settings import claude_slug
from tests.clients.agents.base import Place, copy_as_made_in, first_told
from tests.clients.agents.gemini import SETTINGS
from tests.clients.mock import PROMPT
from tests.clients.npm import Package


@dataclass(frozen=True, slots=True)
class QwenCode:
    """Qwen Code."""

    version: str

    def __str__(self) -> str:
        return f"Qwen Code {self.version}"

    @property
    def package(self) -> Package:
        return Package("@qwen-code/qwen-code", self.version, "qwen", node=(22, 0))

    @property
    def format(self) -> str:
        return "qwen-code"

    def put(self, session: Path, place: Place) -> Path:
        folder = place.home / ".qwen" / "projects" / claude_slug(str(place.work)) / "chats"
        folder.mkdir(parents=True, exist_ok=True)
        copy = folder / f"{first_told(session, 'sessionId')}.jsonl"
        copy_as_made_in(session, copy, place.work)
        return copy

    def settle(self, place: Place, url: str, compact_at: int | None) -> Mapping[str, str]:
        home = place.home / ".qwen"
        home.mkdir(exist_ok=True)
        security = {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}}
        settings = {**SETTINGS, "security": security}
        if compact_at is not None:
            settings["model"] = {"generationConfig": {"contextWindowSize": compact_at}}
        (home / "settings.json").write_text(json.dumps(settings), "utf-8")
        return {
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_MODEL": "qwen3-coder-plus",
            "QWEN_SANDBOX": "false",
        }

    def command(self, program: Path, session_id: str, place: Place) -> Sequence[str]:
        return (str(program), "--resume", session_id, "-p", PROMPT)
