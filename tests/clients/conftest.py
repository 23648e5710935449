"""What the clients' tests share: clients that can be had, folders for a run, a line on each at the end."""

from __future__ import annotations

import functools
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Final

import pytest

from app.formats import FORMATS
from tests.clients.agents import Agent, Place
from tests.clients.npm import Package, Unavailable, install

ALL_SECONDS: Final = 15 * 60
"""After so long no further client is started: a slow machine must not hold everything up."""

_began: Final = time.monotonic()
_outcomes: Final[defaultdict[str, Counter[str]]] = defaultdict(Counter)
_seconds: Final[defaultdict[str, float]] = defaultdict(float)
_reasons: Final[dict[str, str]] = {}


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
    _seconds[client] += report.duration
    if report.skipped and isinstance(report.longrepr, tuple):
        _reasons[client] = report.longrepr[2].removeprefix("Skipped: ")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line on each client."""
    for client, outcomes in _outcomes.items():
        counts = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
        reason = f" ({_reasons[client]})" if client in _reasons else ""
        terminalreporter.write_line(f"{client}: {counts}, {_seconds[client]:.0f} s{reason}")
