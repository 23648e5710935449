"""`handcompact convert`: the original is only read, and the report says what could not come along."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from app.export.files import StagedFile, stage
from tests.cli.run import Handcompact

SAMPLES = Path(__file__).parent.parent.parent / "sample_sessions"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder = tmp_path / "mail"
    folder.mkdir()
    path = folder / "one.jsonl"
    path.write_bytes((SAMPLES / "codex-three-turns.jsonl").read_bytes())
    return path


def test_the_new_file_lies_beside_the_original_and_is_sound(handcompact: Handcompact, session: Path) -> None:
    before = session.read_bytes()
    done = handcompact("convert", session, "--to", "claude-code", "--json")
    assert done.code == 0, done.err
    target = Path(done.json["target"])
    assert target == session.parent / f"{done.json['session_id']}.jsonl"
    assert done.json["written"] is True and done.json["resume"] is None
    lost = {loss["word"]: loss["count"] for loss in done.json["losses"]}
    assert lost["sealed-thinking"] == 4 and lost["custom-input"] == 2
    assert session.read_bytes() == before
    assert sorted(path.name for path in session.parent.iterdir()) == sorted([session.name, target.name])
    assert handcompact("verify", target).code == 0


def test_a_dry_run_reports_and_writes_nothing(handcompact: Handcompact, session: Path, home: Path) -> None:
    done = handcompact("convert", session, "--to", "pi", "--install", "--dry-run")
    assert done.code == 0 and "sealed thinking" in done.out and "nothing was written" in done.out
    assert [path.name for path in session.parent.iterdir()] == [session.name]
    assert not (home / ".pi").exists()


@pytest.mark.parametrize(
    ("name", "folder", "command"),
    [
        ("claude-code", ".claude/projects/-home-dev-project", "claude --resume"),
        ("codex", ".codex/sessions/2026/11/30", "codex resume"),
        ("pi", ".pi/agent/sessions/--home-dev-project--", "pi --session"),
    ],
)
def test_install_puts_it_where_the_agent_looks(
    handcompact: Handcompact, session: Path, home: Path, name: str, folder: str, command: str
) -> None:
    done = handcompact("convert", session, "--to", name, "--install", "--json")
    assert done.code == 0, done.err
    target = Path(done.json["target"])
    assert target.parent == home / folder and done.json["session_id"] in target.name
    assert [path.name for path in target.parent.iterdir()] == [target.name]
    assert done.json["resume"] == f"{command} {done.json['session_id']}"
    assert handcompact("resume-command", target).out.strip() == done.json["resume"]


def test_no_file_is_replaced(handcompact: Handcompact, session: Path) -> None:
    taken = session.parent / "taken.json"
    taken.write_text("mine")
    done = handcompact("convert", session, "--to", "anthropic", "--out", taken, "--json")
    assert done.code == 3 and done.json["written"] is False and "already exists" in done.err
    assert taken.read_text() == "mine"


def test_a_file_that_reads_back_otherwise_gets_no_name(
    handcompact: Handcompact, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(folder: Path, pieces: Iterable[bytes]) -> StagedFile:
        return stage(folder, [b"".join(pieces)[:-40]])

    monkeypatch.setattr("app.convert.plan.stage", damaged)
    done = handcompact("convert", session, "--to", "codex")
    assert done.code == 3 and "differs from the plan" in done.err
    assert [path.name for path in session.parent.iterdir()] == [session.name]


def test_the_folder_of_an_agent_gets_no_foreign_session(handcompact: Handcompact, home: Path) -> None:
    folder = home / ".codex" / "sessions"
    folder.mkdir(parents=True)
    path = folder / "rollout.jsonl"
    path.write_bytes((SAMPLES / "codex-three-turns.jsonl").read_bytes())
    done = handcompact("convert", path, "--to", "anthropic")
    assert done.code == 2 and "--install or --out" in done.err
    assert [one.name for one in folder.iterdir()] == [path.name]


def test_a_session_without_a_folder_takes_the_one_that_is_named(
    handcompact: Handcompact, session: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new.jsonl"
    sample = SAMPLES / "openai-chat.json"
    done = handcompact(
        "convert",
        sample,
        "--to",
        "claude-code",
        "--cwd",
        "/srv/shop",
        "--title",
        "Sea",
        "--out",
        out,
        "--json",
    )
    assert done.code == 0 and done.json["cwd"] == "/srv/shop" and done.json["cwd_from_session"] is False
    assert handcompact("report", out, "--json").json["title"] == "Sea"


def test_a_conversation_goes_to_standard_output_and_the_report_does_not(
    handcompact: Handcompact, session: Path
) -> None:
    done = handcompact("convert", session, "--to", "openai-chat", "--out", "-")
    assert done.code == 0 and [*done.json] == ["messages"]
    assert "sealed thinking" in done.err
    assert [path.name for path in session.parent.iterdir()] == [session.name]


def test_an_unknown_target_is_named(handcompact: Handcompact, session: Path) -> None:
    done = handcompact("convert", session, "--to", "emacs")
    assert done.code == 2 and "claude-code, codex, pi, copilot, anthropic, openai-chat" in done.err
