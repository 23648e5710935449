"""The real agents: where each looks for a session, and how it resumes one with nobody at the keyboard."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from app.settings import claude_slug
from tests.clients.enclosure import Ended, network
from tests.clients.mock import PROMPT, MockModel, Request
from tests.clients.npm import Package, install

SECONDS: Final = 60.0
"""How long a client may take for a resume."""

_BARE: Final = {"TERM": "dumb", "LANG": "C.UTF-8", "NO_COLOR": "1", "DO_NOT_TRACK": "1", "USER": "dev"}
_WINDOW: Final = 200_000
_KEPT_FOR_SUMMARY: Final = 20_000
_XDG: Final = ("CACHE", "CONFIG", "DATA", "STATE")


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one run: a home that is nobody's, and a folder to work in."""

    home: Path
    work: Path
    output: Path
    """Where what the client prints is kept."""

    @classmethod
    def make(cls, root: Path) -> Place:
        """The folders, made below `root`."""
        place = cls(*(root.resolve() / name for name in ("home", "work", "output")))
        for folder in (place.home, place.work, place.output):
            folder.mkdir(parents=True)
        return place

    def env(self) -> dict[str, str]:
        """What every program needs, and nothing of the person's own settings."""
        found = {"HOME": str(self.home), "PATH": os.environ.get("PATH", os.defpath)}
        return _BARE | found | {f"XDG_{kind}_HOME": str(self.home / f".{kind.lower()}") for kind in _XDG}


class Agent(Protocol):
    """One version of one client."""

    @property
    def package(self) -> Package: ...

    @property
    def format(self) -> str:
        """The name of its sessions' format."""

    def put(self, session: Path, place: Place) -> Path:
        """Copy a session, with what lies beside it, to where the client looks; gives the copy."""

    def settle(self, place: Place, url: str, compact_at: int | None) -> Mapping[str, str]:
        """Write the settings that the client needs; gives the environment that it needs.

        `compact_at` is the context, in tokens, at which it shall compact by itself (None: its own).
        """

    def arguments(self, session_id: str) -> Sequence[str]:
        """What resumes a session with the prompt and then ends."""


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
        copy = folder / f"{_first(session, 'sessionId') or session.stem}.jsonl"
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
        percent = 100 * compact_at / (_WINDOW - _KEPT_FOR_SUMMARY)
        env["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = str(_WINDOW)
        env["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"] = str(percent)
        return env

    def arguments(self, session_id: str) -> Sequence[str]:
        return ("-p", PROMPT, "--resume", session_id, "--output-format", "json")


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
        day, clock = str(_first(session, "timestamp"))[:19].split("T")
        folder = place.home / ".codex" / "sessions" / Path(*day.split("-"))
        folder.mkdir(parents=True, exist_ok=True)
        copy = folder / f"rollout-{day}T{clock.replace(':', '-')}-{_first(session, 'id')}.jsonl"
        shutil.copyfile(session, copy)
        return copy

    def settle(self, place: Place, url: str, compact_at: int | None) -> Mapping[str, str]:
        home = place.home / ".codex"
        home.mkdir(exist_ok=True)
        limit = "" if compact_at is None else f"model_auto_compact_token_limit = {compact_at}\n"
        places = {"url": json.dumps(f"{url}/v1"), "work": json.dumps(str(place.work))}
        (home / "config.toml").write_text(limit + _CODEX_SETTINGS.format(**places), "utf-8")
        return {"CODEX_HOME": str(home), "MOCK_KEY": "none"}

    def arguments(self, session_id: str) -> Sequence[str]:
        return ("exec", "--skip-git-repo-check", "resume", session_id, PROMPT)


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


def _first(session: Path, name: str) -> str | None:
    """The first text of this name in a session's lines, at the top or inside its payload."""
    for line in session.read_text("utf-8", "replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if not isinstance(record, dict):
            continue
        payload = record.get("payload")
        found = record.get(name) or (payload.get(name) if isinstance(payload, dict) else None)
        if isinstance(found, str):
            return found
    return None


@dataclass(frozen=True, slots=True)
class Resumed:
    """What a client did with a session."""

    ended: Ended
    requests: tuple[Request, ...]

    def __str__(self) -> str:
        """What a person must see where a resume went wrong."""
        calls = [f"{len(r.conversation)} messages: {r.refused or 'answered'}" for r in self.requests]
        said = (self.ended.stdout + self.ended.stderr)[-1_500:]
        return f"exit code {self.ended.exit_code}; requests: {calls}; it said: {said}"


def resume(
    agent: Agent,
    place: Place,
    session_id: str,
    *,
    window: int = 1_000_000,
    sealed: Sequence[tuple[str, Any]] | None = None,
    compact_at: int | None = None,
) -> Resumed:
    """Let an agent resume a session that lies where it looks; raises Unavailable where it cannot be had.

    `window` and `sealed` are the model's (see `MockModel`), `compact_at` is the agent's (see `settle`).
    """
    program = install(agent.package)
    net = network()
    env = place.env() | dict(agent.settle(place, net.url, compact_at))
    command = [str(program), *agent.arguments(session_id)]
    running = net.start(command, env, place.work, place.output)
    with MockModel(running.listener, window=window, sealed=sealed) as model:
        ended = running.wait(SECONDS)
    return Resumed(ended, model.requests)
