"""opencode: sessions lie in a database; an export is taken in by the client's own import."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.clients.agents.base import WINDOW, Place
from tests.clients.mock import PROMPT
from tests.clients.npm import Package

_MODEL: Final = "mocka/mock-a"
_IMPORT_AND_RUN: Final = '"$0" import "$1" >&2 && exec "$0" run -m "$2" -s "$3" "$4"'


@dataclass(frozen=True, slots=True)
class Opencode:
    """opencode."""

    version: str

    def __str__(self) -> str:
        return f"opencode {self.version}"

    @property
    def package(self) -> Package:
        return Package("opencode-ai", self.version, "opencode")

    @property
    def format(self) -> str:
        return "opencode"

    def put(self, session: Path, place: Place) -> Path:
        copy = self.file(place, json.loads(session.read_bytes())["info"]["id"])
        shutil.copyfile(session, copy)
        return copy

    @staticmethod
    def file(place: Place, session_id: str) -> Path:
        """The file that is imported for a session."""
        return place.work / f"{session_id}.json"

    def settle(self, place: Place, url: str, compact_at: int | None) -> Mapping[str, str]:
        home = place.home / ".config" / "opencode"
        home.mkdir(parents=True, exist_ok=True)
        (home / "opencode.json").write_text(json.dumps(_settings(url, compact_at or WINDOW)), "utf-8")
        off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
        return {f"OPENCODE_DISABLE_{name}": "1" for name in off}

    def command(self, program: Path, session_id: str, place: Place) -> Sequence[str]:
        file = self.file(place, session_id)
        return ("sh", "-c", _IMPORT_AND_RUN, str(program), str(file), _MODEL, session_id, PROMPT)


def _settings(url: str, window: int) -> Mapping[str, object]:
    provider, _, model = _MODEL.partition("/")
    known = {
        "name": "Mock",
        "limit": {"context": window, "output": 8_192},
        "tool_call": True,
        "reasoning": True,
        "attachment": True,
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "model": _MODEL,
        "small_model": _MODEL,
        "provider": {
            provider: {
                "npm": "@ai-sdk/anthropic",
                "name": "Mock",
                "models": {model: known},
                "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
            }
        },
    }
