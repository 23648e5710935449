"""An unexpected error of a command is one line with the log's path, never a traceback."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from app.cli.report import Report
from app.crash_log import log_dir
from tests.cli.run import Handcompact

SECRET = "secret \x1b[2J of the session"


@pytest.mark.parametrize(
    "kind", [KeyError, RecursionError, MemoryError, AssertionError, OSError, UnicodeError]
)
def test_a_mistake_of_ours_is_one_line(
    handcompact: Handcompact, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    def fail(*_: object) -> NoReturn:
        raise kind(SECRET)

    monkeypatch.delenv("HANDCOMPACT_TRACEBACKS")
    monkeypatch.setattr(Report, "run", fail)
    done = handcompact("report", "x.jsonl")
    assert done.code == 3 and done.out == ""
    assert done.err.startswith(f"handcompact: unexpected {kind.__name__}") and done.err.count("\n") == 1
    log = next(log_dir().iterdir())
    assert str(log) in done.err and "secret" not in done.err + log.read_text()
    assert "command report" in log.read_text()


def test_a_developer_gets_it_as_it_is(handcompact: Handcompact, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> NoReturn:
        raise KeyError(SECRET)

    monkeypatch.setattr(Report, "run", fail)
    with pytest.raises(KeyError):
        handcompact("report", "x.jsonl")


def test_what_can_be_expected_is_told_as_before(
    handcompact: Handcompact, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("HANDCOMPACT_TRACEBACKS")
    done = handcompact("report", tmp_path / "gone.jsonl")
    assert done.code == 2 and "does not exist" in done.err and not log_dir().exists()
