"""What the clients' tests share: clients that can be had, folders for a run, a line on each at the end."""

from __future__ import annotations

import functools
import os
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from app.formats import FORMATS
from tests.clients import record
from tests.clients.agents import Agent, Place
from tests.clients.npm import Package, Unavailable, install

ALL_SECONDS: Final = 15 * 60
"""After so long no further client is started: a slow machine must not hold everything up."""

_began: Final = time.monotonic()
_outcomes: Final[defaultdict[str, Counter[str]]] = defaultdict(Counter)
_seconds: Final[defaultdict[str, float]] = defaultdict(float)
_reasons: Final[dict[str, str]] = {}
_record: Final[dict[tuple[str, str], bool]] = {}


@pytest.fixture
def agent(request: pytest.FixtureRequest) -> Agent:
    """The client that a test is parametrised with; the test is skipped where it cannot be had."""
    wanted: Agent = request.param
    request.node.user_properties.append(("client", str(wanted)))
    reason = _why_not(wanted)
    if reason is not None:
        pytest.skip(reason)
    return wanted


@pytest.fixture
def edit(request: pytest.FixtureRequest) -> str:
    """The kind of edit that a test is parametrised with; what comes of it is kept for the record."""
    name: str = request.param
    request.node.user_properties.append(("edit", name))
    return name


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Folders for one run of a client."""
    return Place.make(tmp_path / "place")


def _why_not(agent: Agent) -> str | None:
    if agent.format not in {known.name for known in FORMATS}:
        return f"the format {agent.format} is not there yet"
    if time.monotonic() - _began > ALL_SECONDS:
        return f"{ALL_SECONDS // 60} minutes are over"
    return _unavailable(agent.package)


@functools.cache
def _unavailable(package: Package) -> str | None:
    try:
        install(package)
    except Unavailable as error:
        return str(error)
    return None


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count what became of each client's tests."""
    client = next((str(value) for name, value in report.user_properties if name == "client"), None)
    if client is None:
        return
    if report.when == "call" or report.outcome != "passed":
        _outcomes[client][report.outcome] += 1
        _note(dict(report.user_properties), report.outcome)
    _seconds[client] += report.duration
    if report.skipped and isinstance(report.longrepr, tuple):
        _reasons[client] = report.longrepr[2].removeprefix("Skipped: ")


def _note(properties: Mapping[str, object], outcome: str) -> None:
    """Keep what came of a kind of edit; one failure outweighs whatever else passes."""
    if "edit" in properties and outcome != "skipped":
        cell = str(properties["edit"]), str(properties["client"])
        _record[cell] = _record.get(cell, True) and outcome == "passed"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line on each client; and the record, where that is wanted."""
    for client, outcomes in _outcomes.items():
        counts = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
        reason = f" ({_reasons[client]})" if client in _reasons else ""
        terminalreporter.write_line(f"{client}: {counts}, {_seconds[client]:.0f} s{reason}")
    if os.environ.get("UPDATE_CLIENTS_RECORD") and _record:
        record.update(_record)
