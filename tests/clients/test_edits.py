"""Every kind of edit in every agent: the export resumes, and what was planned is what is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.errors import RefusedError
from tests.clients.agents import Agent, Place
from tests.clients.checks import check, put
from tests.clients.edits import EDITS
from tests.clients.pinned import PINNED, TELLING, Pinned, Sample

pytestmark = pytest.mark.clients


def tried(samples: Callable[[Pinned], tuple[Sample, ...]], *edits: str) -> list[Any]:
    """Each agent with sessions of its own and every edit that these can show, or only those named."""
    return [
        pytest.param(one.agent, sample, edit, id=f"{one.agent}-{sample}-{edit}", marks=_marks(one, edit))
        for one in PINNED
        for sample in samples(one)
        for edit in edits or EDITS
        if EDITS[edit].is_for(one.agent)
    ]


def _marks(one: Pinned, edit: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if one.costly and edit not in TELLING else []


def resumes(agent: Agent, place: Place, sample: Sample, edit: str) -> None:
    exported = EDITS[edit].make(put(agent, place, sample))
    assert exported.changes or edit == "unchanged"
    check(agent, place, exported)


@pytest.mark.parametrize(
    ("agent", "sample", "edit"), tried(lambda one: (one.sample,)), indirect=["agent", "edit"]
)
def test_every_edit(agent: Agent, place: Place, sample: Sample, edit: str) -> None:
    resumes(agent, place, sample, edit)


@pytest.mark.parametrize(
    ("agent", "sample", "edit"), tried(lambda one: one.further, "unchanged"), indirect=["agent", "edit"]
)
def test_unchanged_under_a_new_id(agent: Agent, place: Place, sample: Sample, edit: str) -> None:
    resumes(agent, place, sample, edit)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "sample", "edit"), tried(lambda one: one.further), indirect=["agent", "edit"]
)
def test_every_edit_of_further_sessions(agent: Agent, place: Place, sample: Sample, edit: str) -> None:
    """Not every session has something of every kind, or something that may be changed."""
    try:
        exported = EDITS[edit].make(put(agent, place, sample))
    except RefusedError as error:
        pytest.skip(str(error))
    check(agent, place, exported)


@pytest.mark.slow
@pytest.mark.parametrize("then", ["summarised", "snipped", "cut"])
@pytest.mark.parametrize("first", ["summary-and-tail", "snipped"])
@pytest.mark.parametrize(
    ("agent", "sample"), [(one.agent, one.sample) for one in PINNED], indirect=["agent"], ids=str
)
def test_an_export_of_an_export(agent: Agent, place: Place, sample: Sample, first: str, then: str) -> None:
    once = EDITS[first].make(put(agent, place, sample))
    check(agent, place, EDITS[then].make(once.file))
