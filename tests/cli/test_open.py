"""Opening the screens: what cannot be used is told in one line before anything is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.tui.app import HandcompactApp
from tests.cli.run import Handcompact


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> list[HandcompactApp]:
    """A terminal as it seems; the apps that were run."""
    ran: list[HandcompactApp] = []
    monkeypatch.setattr("app.cli.open.has_terminal", lambda: True)
    monkeypatch.setattr(HandcompactApp, "run", lambda app: ran.append(app))
    return ran


def test_without_a_terminal_it_names_the_commands_that_need_none(handcompact: Handcompact) -> None:
    done = handcompact()
    assert done.code == 2 and "report FILE" in done.err and done.out == ""


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["/no/such.jsonl"], "does not exist"),
        (["--theme", "gone"], "textual-dark"),
        (["--pipeline", "gone"], "react-mini"),
        (["--set", "nonsense"], "STAGE.OPTION=VALUE"),
    ],
)
def test_what_cannot_be_used_is_told_first(
    handcompact: Handcompact, terminal: list[HandcompactApp], arguments: list[str], word: str
) -> None:
    done = handcompact(*arguments)
    assert done.code == 2 and word in done.err and len(done.err.splitlines()) == 1
    assert terminal == []


@pytest.mark.parametrize(
    ("word", "verb"), [("reprot", "report"), ("resume-comand", "resume-command"), ("Compact", "compact")]
)
def test_a_misspelt_verb_is_told_as_one(
    handcompact: Handcompact, terminal: list[HandcompactApp], tmp_path: Path, word: str, verb: str
) -> None:
    for more in ((), (tmp_path / "s.jsonl", "--json")):
        done = handcompact(word, *more)
        assert done.code == 2 and f"did you mean {verb}?" in done.err and len(done.err.splitlines()) == 1
    assert terminal == []


def test_what_was_asked_for_reaches_the_screens(
    handcompact: Handcompact, terminal: list[HandcompactApp], tmp_path: Path
) -> None:
    file = tmp_path / "s.json"
    file.write_text('{"messages": [{"role": "user", "content": "hello"}]}')
    done = handcompact(file, "--ascii", "--theme", "textual-light", "--set", "microcompact.keep_recent=5",
                       "--pipeline", "react-mini")  # fmt: skip
    assert done.code == 0
    opening = terminal[0].opening
    assert (opening.file, opening.pipeline) == (str(file), "react-mini")
    assert opening.settings == ("microcompact.keep_recent=5",)
    assert terminal[0].theme == "textual-light" and terminal[0].glyphs.name == "ascii"
