"""A session from elsewhere is put where its agent looks, and the command that resumes it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import Handcompact

SAMPLES = Path(__file__).parent.parent.parent / "sample_sessions"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A session that lies in a folder of the person's own."""
    folder = tmp_path / "mail"
    folder.mkdir()
    path = folder / "from a friend.jsonl"
    path.write_bytes((SAMPLES / "claude-code-v2-0.jsonl").read_bytes())
    return path


def test_install_puts_it_where_the_agent_looks_and_nowhere_else(
    handcompact: Handcompact, elsewhere: Path, home: Path
) -> None:
    done = handcompact("compact", elsewhere, "--install", "--json")
    assert done.code == 0, done.err
    target = Path(done.json["target"])
    assert target.parent == home / ".claude" / "projects" / "-home-dev-project"
    assert target.name == f"{done.json['session_id']}.jsonl"
    assert [path.name for path in target.parent.iterdir()] == [target.name]
    shown = handcompact("resume-command", target)
    assert shown.out.strip() == f"claude --resume {done.json['session_id']}"
    assert "--install" not in shown.err


def test_it_is_said_that_a_session_lies_elsewhere(handcompact: Handcompact, elsewhere: Path) -> None:
    done = handcompact("resume-command", elsewhere, "--json")
    assert done.code == 0 and done.json["is_there"] is False
    assert done.json["command"].startswith("claude --resume ")
    assert done.json["folder"] == "/home/dev/project"


def test_a_dry_run_of_it_makes_no_folder(handcompact: Handcompact, elsewhere: Path, home: Path) -> None:
    assert handcompact("compact", elsewhere, "--install", "--dry-run").code == 0
    assert not (home / ".claude").exists()


@pytest.mark.parametrize("sample", ["openai-chat.json", "anthropic-messages.json"])
def test_what_no_agent_resumes_is_refused_in_one_line(handcompact: Handcompact, sample: str) -> None:
    for arguments in (("resume-command",), ("compact", "--install", "--dry-run")):
        done = handcompact(arguments[0], SAMPLES / sample, *arguments[1:])
        assert done.code == 2 and done.err.count("\n") == 1


def test_what_still_works_without_the_folder_is_said_with_every_command(
    handcompact: Handcompact, elsewhere: Path
) -> None:
    words = "/home/dev/project is not on this machine"
    assert words in handcompact("resume-command", elsewhere).err
    verified = handcompact("verify", elsewhere)
    assert verified.code == 0 and words in verified.out
    told = handcompact("verify", elsewhere, "--json").json["resume"]
    assert told["folder_is_there"] is False and told["command"] is None and words in told["notes"][-1]
    assert words in handcompact("compact", elsewhere, "--install").out
