"""What must hold for every export that a client resumes."""

from __future__ import annotations

from pathlib import Path

from tests.clients.agents import Agent, Place, Resumed, resume
from tests.clients.comparison import compacted_first, differences, main_request, unsaid_reminders
from tests.clients.exports import Exported
from tests.clients.mock import ANSWER, Request
from tests.clients.pinned import Sample


def put(agent: Agent, place: Place, sample: Sample | str) -> Path:
    """Lay a sample where the client looks."""
    known = Sample(sample) if isinstance(sample, str) else sample
    return agent.put(known.file(place.output), place)


def accepted(resumed: Resumed, exported: Exported) -> Request:
    """The request that ends in the prompt: it came first, and was taken and answered."""
    main = main_request(resumed)
    assert main is not None, resumed
    assert main.refused is None, resumed
    assert not compacted_first(resumed, exported.messages), resumed
    assert resumed.ended.exit_code == 0, resumed
    assert ANSWER in resumed.ended.stdout, resumed
    return main


def check(agent: Agent, place: Place, exported: Exported) -> None:
    """A client that knows all records of an export sends just what was planned."""
    main = accepted(resume(agent, place, exported.session_id, sealed=exported.original), exported)
    assert differences(exported.messages, main) == []
    assert unsaid_reminders(exported.messages, main) == []
