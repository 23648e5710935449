"""The formats that a session can be moved to, and what each of them can hold."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from app.errors import InputError
from app.formats import format_named
from app.formats.base import Format
from app.formats.claude_code.new_session import fresh as fresh_claude_code
from app.formats.codex.new_session import fresh as fresh_codex
from app.formats.copilot.new_session import fresh as fresh_copilot
from app.formats.new_file import Fresh
from app.formats.pi.new_session import fresh as fresh_pi
from app.formats.plain.new_file import fresh_anthropic, fresh_openai_chat


class Target(Struct, frozen=True):
    """One format that a conversation can be written in anew."""

    name: str
    """What a person calls it: `codex`, where the format is `codex-rollout`."""
    format: str
    fresh: Fresh
    keeps_system: bool = False
    """Whether a system prompt is part of it; an agent has its own."""
    flags_errors: bool = True
    """Whether a result says that its call failed."""
    tells_authors: bool = False
    """Whether a record says who wrote a text; else only how the text begins tells it."""
    takes_addresses: bool = False
    """Whether a picture may be an address."""
    pictures: bool = True
    pictures_in_results: bool = True
    agent: bool = True
    """Whether an agent resumes it, which needs a folder to work in."""

    @property
    def kind(self) -> Format:
        """The format itself."""
        return format_named(self.format)


TARGETS: Final = (
    Target("claude-code", "claude-code", fresh_claude_code, tells_authors=True),
    Target("codex", "codex-rollout", fresh_codex, flags_errors=False, takes_addresses=True),
    Target("pi", "pi", fresh_pi, tells_authors=True),
    Target("copilot", "copilot", fresh_copilot, pictures=False, pictures_in_results=False),
    Target("anthropic", "anthropic", fresh_anthropic, keeps_system=True, takes_addresses=True, agent=False),
    Target(
        "openai-chat",
        "openai-chat",
        fresh_openai_chat,
        keeps_system=True,
        flags_errors=False,
        takes_addresses=True,
        pictures_in_results=False,
        agent=False,
    ),
)


def target_named(name: str) -> Target:
    """The target of that name; raises InputError naming those there are."""
    for target in TARGETS:
        if name in (target.name, target.format):
            return target
    known = ", ".join(target.name for target in TARGETS)
    raise InputError(f"cannot convert a session to {name!r}; known: {known}")
