"""pi: sessions lie in a folder that is named after the working folder, which must be there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.clients.agents.base import WINDOW, Place, copy_as_made_in, first_told
from tests.clients.mock import PROMPT
from tests.clients.npm import Package

_PROVIDER: Final = "mocka"
"""As the sample names it: a session stays with the provider and the model of its newest reply."""
_MODELS: Final = ("mock-a", "mock-s")


@dataclass(frozen=True, slots=True)
class Pi:
    """pi."""

    version: str

    def __str__(self) -> str:
        return f"pi {self.version}"

    @property
    def package(self) -> Package:
        return Package("@earendil-works/pi-coding-agent", self.version, "pi", node=(22, 19))

    @property
    def format(self) -> str:
        return "pi"

    def put(self, session: Path, place: Place) -> Path:
        folder = self.folder(place)
        folder.mkdir(parents=True, exist_ok=True)
        time = str(first_told(session, "timestamp")).replace(":", "-").replace(".", "-")
        copy = folder / f"{time}_{first_told(session, 'id')}.jsonl"
        copy_as_made_in(session, copy, place.work)
        return copy

    @staticmethod
    def folder(place: Place) -> Path:
        """Where the sessions of the working folder lie."""
        slug = str(place.work).strip("/").replace("/", "-")
        return place.home / ".pi" / "agent" / "sessions" / f"--{slug}--"

    def settle(self, place: Place, url: str, compact_at: int | None) -> Mapping[str, str]:
        home = place.home / ".pi" / "agent"
        home.mkdir(parents=True, exist_ok=True)
        models = [_model(name) for name in _MODELS]
        provider = {"baseUrl": url, "api": "anthropic-messages", "apiKey": "none", "models": models}
        (home / "models.json").write_text(json.dumps({"providers": {_PROVIDER: provider}}), "utf-8")
        if compact_at is not None:
            compaction = {"enabled": True, "reserveTokens": WINDOW - compact_at}
            (home / "settings.json").write_text(json.dumps({"compaction": compaction}), "utf-8")
        return {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}

    def command(self, program: Path, session_id: str, place: Place) -> Sequence[str]:
        return (str(program), "-p", "--session", session_id, PROMPT)


def _model(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "name": name,
        "reasoning": True,
        "input": ["text", "image"],
        "contextWindow": WINDOW,
        "maxTokens": 8_192,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    }
