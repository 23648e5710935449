"""What is noted of an unexpected error finds it, and tells nothing of a session."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from app import crash_log
from app.crash_log import log_dir, note
from app.model import Held

SECRET = "the secret of the session"


def failed(*, nested: bool = False) -> Exception:
    secret = SECRET
    try:
        try:
            Held(secret).value()
        except ValueError as error:
            raise KeyError(secret) from error if nested else None
    except KeyError as error:
        return error
    raise AssertionError


def test_it_names_the_error_its_cause_and_the_places_and_no_word_of_text() -> None:
    found = note(failed(nested=True), {"records": 12})
    assert found.log is not None
    text = found.log.read_text()
    assert SECRET not in text and str(Path.home()) not in text
    for part in (
        "builtins.KeyError",
        "json.decoder.JSONDecodeError",
        "app/content.py:",
        " value\n",
        "records 12",
    ):
        assert part in text
    for part in ("handcompact 0", "python 3.", "textual 8.", "platform "):
        assert part in text
    assert found.kind == "KeyError" and found.place.startswith("app/content.py:")
    assert str(found.log) in found.words and SECRET not in found.words


def test_it_is_private_and_old_ones_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crash_log, "MOST_LOGS", 3)
    logs = [note(failed()).log for _ in range(5)]
    assert logs[-1] is not None
    assert stat.S_IMODE(logs[-1].stat().st_mode) == 0o600
    assert stat.S_IMODE(log_dir().stat().st_mode) == 0o700
    assert len(list(log_dir().iterdir())) == 3


def test_where_no_log_can_be_written_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HANDCOMPACT_STATE_DIR", str(tmp_path / "file"))
    found = note(failed())
    assert found.log is None and "no log could be written" in found.words


def test_an_endless_recursion_and_circular_causes_are_bounded() -> None:
    def down(depth: int) -> None:
        down(depth + 1)

    try:
        down(0)
    except RecursionError as error:
        error.__cause__ = error
        found = note(error)
    assert found.log is not None and found.log.read_text().count("\n") < 260
