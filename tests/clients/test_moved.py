"""A session that was moved to another agent's format resumes in that agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from app.convert.plan import Destination as Where
from app.convert.plan import plan_conversion, write_conversion
from app.convert.targets import target_named
from app.formats import format_named, open_session
from tests.clients.agents import Agent, Place
from tests.clients.checks import check
from tests.clients.exports import Exported
from tests.clients.pinned import CLAUDE_CODE, CODEX, OLDER_CLAUDE_CODE, OLDER_CODEX, PI, Sample

pytestmark = pytest.mark.clients

SOURCES: Final = (
    "claude-code-tools",
    "codex-three-turns",
    "pi-three-turns",
    "gemini-cli-one-turn",
    "qwen-code-compressed",
    "opencode-compacted",
)


def moves() -> list[Any]:
    """Every session into every other agent's format; the older versions get one each."""
    found = []
    for agent in (CLAUDE_CODE, CODEX, PI):
        own = agent.format.partition("-")[0]
        found += [(agent, source) for source in SOURCES if not source.startswith(own)]
    return [*found, (OLDER_CLAUDE_CODE, "codex-three-turns"), (OLDER_CODEX, "claude-code-tools")]


@pytest.mark.parametrize(("agent", "source"), moves(), indirect=["agent"], ids=str)
def test_a_moved_session_resumes(agent: Agent, place: Place, source: str) -> None:
    check(agent, place, moved(agent, place, Sample(source).file(place.output)))


def moved(agent: Agent, place: Place, original: Path) -> Exported:
    """The session in the agent's format, where the agent looks."""
    session, data = open_session(original)
    out = place.output / "moved.jsonl"
    where = Where(out=out, cwd=str(place.work))
    write_conversion(plan_conversion(session, data, target_named(agent.format), where))
    file = agent.put(out, place)
    again, _ = open_session(file)
    assert again.session_id is not None
    planned = list(format_named(again.format).request(again, again.live))
    return Exported(file, again.session_id, planned, planned, len(planned), 0, 0)
