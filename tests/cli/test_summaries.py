"""A summary of rows by `edit`, and what is told of every summary that somebody wrote."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.run import Handcompact
from tests.cli.test_compact import tree
from tests.cli.test_stage_inputs import named_in_settings
from tests.summarizers.served import messages_events, serving, status, stream
from tests.tui.files import LONG, written

ROUGH = ("--count", "rough", "--drop-user-words")
ROWS = "summarise_range 0 7"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    messages: list[dict[str, object]] = []
    for n in range(4):
        read = {"type": "tool_use", "id": f"r{n}", "name": "Read", "input": {"file_path": f"src/f{n}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"r{n}", "content": LONG}
        messages += [
            {"role": "user", "content": f"Question {n}. Never rename module_{n}."},
            {"role": "assistant", "content": [read]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": f"Answer {n}."},
        ]
    return written(folder, messages)


def test_ones_own_summary_of_rows_is_proved_and_made_whole(handcompact: Handcompact, session: Path) -> None:
    mine = session.parent / "summary.md"
    mine.write_text("He read src/f0.py and src/f9.py.")
    asked = ("edit", session, "--do", ROWS, "--summary-file", mine, *ROUGH)
    done = handcompact(*asked, "--dry-run", "--json")
    assert done.code == 0, done.err
    assert done.json["summaries"] == [
        {
            "for": "these rows",
            "made_up": [{"thing": "path", "text": "src/f9.py"}],
            "missing_rules": ["Never rename module_0.", "Never rename module_1."],
            "added_rules": 0,
        }
    ]
    assert "1 thing not found in the session" in done.err and "path src/f9.py" in done.err
    assert "2 of your rules are missing (--add-rules adds them)" in done.err
    out = session.parent / "out.json"
    done = handcompact(*asked, "--add-rules", "--out", out)
    assert done.code == 0 and "2 of your rules were added, word for word" in done.err
    assert "src/f9.py.\\n\\nUser constraints, word for word:\\n- Never rename module_0." in out.read_text()


def test_rows_are_sent_to_a_model_only_after_a_yes(
    handcompact: Handcompact,
    session: Path,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OUR_KEY", "sk-test-0123456789")
    asked = ("edit", session, "--do", ROWS, "--ask-model", *ROUGH)
    with serving(stream(*messages_events("Both were ", "read."))) as served:
        named_in_settings(home, served)
        before = tree(tmp_path)
        first = handcompact(*asked)
        assert first.code == 3 and "For summarise_range, this would be sent to m-1 at" in first.out
        assert "Question 1" in first.out and "Question 3" not in first.out
        assert tree(tmp_path) == before and not served.bodies
        out = session.parent / "out.json"
        done = handcompact(*asked, "--yes-send", "--out", out)
        assert done.code == 0, done.err
        assert "Both were read." in out.read_text() and len(served.bodies) == 1
    with serving(status(500)) as served:
        named_in_settings(home, served)
        failed = handcompact(*asked, "--yes-send", "--out", session.parent / "two.json")
        assert failed.code == 3 and "failed on its side" in failed.err
        assert not (session.parent / "two.json").exists()


def test_what_could_not_be_put_in_is_not_even_sent(handcompact: Handcompact, session: Path) -> None:
    sent = session.parent / "sent.txt"
    model = shlex.join([sys.executable, "-c", f"open({str(sent)!r}, 'w')"])
    asked = ("edit", session, "--count", "rough", "--model-command", model, "--yes-send")
    done = handcompact(*asked, "--do", ROWS)
    assert done.code == 3 and "of yours would be removed" in done.err and "nothing was sent" in done.err
    assert not sent.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--do", "drop 1", "--summary-file", "{session}"), "no summarise_range"),
        (("--do", "drop 1", "--yes-send"), "needs --ask-model or"),
        (("--do", ROWS, "--summary-file", "missing.md"), "missing.md is not a file"),
        (("--do", f"{ROWS} text=Mine source=hand", "--ask-model"), "needs a [model] in"),
    ],
)
def test_what_fits_nothing_is_one_line(
    handcompact: Handcompact, session: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = handcompact("edit", session, *(a.format(session=session) for a in arguments), *ROUGH)
    assert done.code == 2 and words in done.err and done.err.count("\n") == 1


def test_a_summary_for_a_stage_is_proved_too(handcompact: Handcompact, session: Path) -> None:
    mine = session.parent / "summary.md"
    mine.write_text("All 4711 questions are answered.")
    asked = ("compact", session, "--pipeline", "layered", "--summary-file", mine, *ROUGH, "--dry-run")
    done = handcompact(*asked, "--json", "--set", "summarize.max_total_chars=3000")
    assert done.code == 0, done.err
    [told] = done.json["summaries"]
    assert told["for"] == "summarize" and told["made_up"] == [{"thing": "number", "text": "4711"}]
    assert "Never rename module_0." in told["missing_rules"]
