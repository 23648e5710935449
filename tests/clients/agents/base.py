"""What the agents have in common: folders for one run, and a resume with nobody at the keyboard."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from tests.clients.enclosure import Ended, network
from tests.clients.mock import MockModel, Request
from tests.clients.npm import Package, install, search_path

SECONDS: Final = 60.0
"""How long a client may take for a resume."""
WINDOW: Final = 200_000
"""Tokens of the model's window as the clients' settings tell it."""

_BARE: Final = {"TERM": "dumb", "LANG": "C.UTF-8", "NO_COLOR": "1", "DO_NOT_TRACK": "1", "USER": "dev"}
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

    def command(self, program: Path, session_id: str, place: Place) -> Sequence[str]:
        """What resumes a session with the prompt and then ends."""


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
    env["PATH"] = search_path(agent.package, env["PATH"])
    running = net.start(agent.command(program, session_id, place), env, place.work, place.output)
    with MockModel(running.listener, window=window, sealed=sealed) as model:
        ended = running.wait(SECONDS)
    return Resumed(ended, model.requests)


def first_told(session: Path, name: str) -> str | None:
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


def copy_as_made_in(session: Path, copy: Path, folder: Path) -> None:
    """Copy a session of lines as if it had been made in another folder; nothing else in it changes."""
    told = b'"cwd":' + json.dumps(str(folder)).encode()
    lines = session.read_bytes().splitlines(keepends=True)
    lines = [re.sub(rb'"cwd":"[^"]*"', lambda _: told, line, count=1) for line in lines]
    copy.write_bytes(b"".join(lines))
