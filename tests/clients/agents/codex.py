"""Codex: sessions lie in folders by date, under a name that holds their id."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.clients.agents.base import Place, first_told
from tests.clients.mock import PROMPT
from tests.clients.npm import Package


@dataclass(frozen=True, slots=True)
class Codex:
    """Codex: sessions lie in folders by date, under a name that holds their id."""

    version: str

    def __str__(self) -> str:
        return f"Codex {self.version}"

    @property
    def package(self) -> Package:
        return Package("@openai/codex", self.version, "codex")

    @property
    def format(self) -> str:
        return "codex-rollout"

    def put(self, session: Path, place: Place) -> Path:
        day, clock = str(first_told(session, "timestamp"))[:19].split("T")
        folder = place.home / ".codex" / "sessions" / Path(*day.split("-"))
        folder.mkdir(parents=True, exist_ok=True)
        copy = folder / f"rollout-{day}T{clock.replace(':', '-')}-{first_told(session, 'id')}.jsonl"
        shutil.copyfile(session, copy)
        return copy

    def settle(self, place: Place, url: str, compact_at: int | None) -> Mapping[str, str]:
        home = place.home / ".codex"
        home.mkdir(exist_ok=True)
        limit = "" if compact_at is None else f"model_auto_compact_token_limit = {compact_at}\n"
        places = {"url": json.dumps(f"{url}/v1"), "work": json.dumps(str(place.work))}
        (home / "config.toml").write_text(limit + _CODEX_SETTINGS.format(**places), "utf-8")
        return {"CODEX_HOME": str(home), "MOCK_KEY": "none"}

    def command(self, program: Path, session_id: str, place: Place) -> Sequence[str]:
        return (str(program), "exec", "--skip-git-repo-check", "resume", session_id, PROMPT)


_CODEX_SETTINGS: Final = """\
model = "gpt-5.5"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false
tool_output_token_limit = 1_000_000
[model_providers.mock]
name = "Mock"
base_url = {url}
env_key = "MOCK_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[features]
remote_models = false
[projects.{work}]
trust_level = "trusted"
"""
"""A thread stays with the provider that its file names: `mock` in the samples. Each version cuts results
that are longer than its own limit when it loads them; and 0.98 waits five seconds for a list of models."""
