"""Claude Code: sessions lie in a folder that is named after the working folder."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.settings import claude_slug
from tests.clients.agents.base import WINDOW, Place, first_told
from tests.clients.mock import PROMPT
from tests.clients.npm import Package

_KEPT_FOR_SUMMARY: Final = 20_000


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """Claude Code: sessions lie in a folder that is named after the working folder."""

    version: str

    def __str__(self) -> str:
        return f"Claude Code {self.version}"

    @property
    def package(self) -> Package:
        return Package("@anthropic-ai/claude-code", self.version, "claude")

    @property
    def format(self) -> str:
        return "claude-code"

    def put(self, session: Path, place: Place) -> Path:
        folder = place.home / ".claude" / "projects" / claude_slug(str(place.work))
        folder.mkdir(parents=True, exist_ok=True)
        copy = folder / f"{first_told(session, 'sessionId') or session.stem}.jsonl"
        shutil.copyfile(session, copy)
        beside = session.with_suffix("")
        if beside.is_dir():
            shutil.copytree(beside, copy.with_suffix(""))
        return copy

    def settle(self, place: Place, url: str, compact_at: int | None) -> Mapping[str, str]:
        env = {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CONFIG_DIR": str(place.home / ".claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
        }
        if compact_at is None:
            return env
        # Both versions take a percentage of the window, less what they keep of it for a summary.
        percent = 100 * compact_at / (WINDOW - _KEPT_FOR_SUMMARY)
        env["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = str(WINDOW)
        env["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"] = str(percent)
        return env

    def command(self, program: Path, session_id: str, place: Place) -> Sequence[str]:
        return (str(program), "-p", PROMPT, "--resume", session_id, "--output-format", "json")
