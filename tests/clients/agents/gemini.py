"""Gemini CLI: sessions lie in a folder by project, which a list of the client's own names."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.clients.agents.base import Place, first_told
from tests.clients.mock import PROMPT
from tests.clients.npm import Package

SETTINGS: Final[Mapping[str, Any]] = {
    "general": {"disableAutoUpdate": True, "disableUpdateNag": True, "enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}
"""Qwen Code, which began as a copy of this client, takes them too."""
_PROJECT: Final = "project"


@dataclass(frozen=True, slots=True)
class GeminiCli:
    """Gemini CLI."""

    version: str

    def __str__(self) -> str:
        return f"Gemini CLI {self.version}"

    @property
    def package(self) -> Package:
        return Package("@google/gemini-cli", self.version, "gemini", node=(20, 0))

    @property
    def format(self) -> str:
        return "gemini-cli"

    def put(self, session: Path, place: Place) -> Path:
        folder = self.folder(place)
        folder.mkdir(parents=True, exist_ok=True)
        minute = str(first_told(session, "startTime"))[:16].replace(":", "-")
        copy = folder / f"session-{minute}-{str(first_told(session, 'sessionId'))[:8]}.jsonl"
        shutil.copyfile(session, copy)
        return copy

    @staticmethod
    def folder(place: Place) -> Path:
        """Where the sessions of the working folder lie."""
        return place.home / ".gemini" / "tmp" / _PROJECT / "chats"

    def settle(self, place: Place, url: str, compact_at: int | None) -> Mapping[str, str]:
        home = place.home / ".gemini"
        self.folder(place).mkdir(parents=True, exist_ok=True)
        security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
        (home / "settings.json").write_text(json.dumps({**SETTINGS, "security": security}), "utf-8")
        (home / "projects.json").write_text(json.dumps({"projects": {str(place.work): _PROJECT}}), "utf-8")
        (home / "tmp" / _PROJECT / ".project_root").write_text(str(place.work), "utf-8")
        return {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_SANDBOX": "false",
            "GEMINI_TELEMETRY_ENABLED": "false",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def command(self, program: Path, session_id: str, place: Place) -> Sequence[str]:
        return (str(program), "-m", "gemini-2.5-pro", "--resume", session_id, "-p", PROMPT)
