"""`handcompact repair`: each repair is seen before it is made, and the damaged file stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import Handcompact

CASES = Path(__file__).parent.parent / "data" / "cases"
SAMPLES = Path(__file__).parents[2] / "sample_sessions"


def put(name: str, folder: Path) -> Path:
    path = folder / name
    path.write_bytes((CASES / name).read_bytes())
    return path


@pytest.mark.parametrize(
    ("name", "word", "line", "after"),
    [
        ("062-glued-records.jsonl", "glued-records", 2, "Second question."),
        ("076-record-over-several-lines.jsonl", "bad-line", 3, "row one\\u000arow two"),
        ("001-orphan-result-at-start.json", "orphan-result", 6, "no longer here"),
    ],
)
def test_a_repair_is_shown_first_and_then_written_beside(
    handcompact: Handcompact, tmp_path: Path, name: str, word: str, line: int, after: str
) -> None:
    path = put(name, tmp_path)
    before = path.read_bytes()
    shown = handcompact("repair", path, "--json")
    assert shown.code == 1 and shown.json["written"] is False
    assert [repair["word"] for repair in shown.json["repairs"]] == [word]
    assert shown.json["changes"][0]["line"] == line
    assert any(after in text for text in shown.json["changes"][0]["after"])
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == [name]
    done = handcompact("repair", path, "--write", "--json")
    assert done.code == 0 and path.read_bytes() == before
    assert handcompact("verify", done.json["target"]).code == 0


def test_a_sound_session_needs_nothing(handcompact: Handcompact, tmp_path: Path) -> None:
    path = put("100-usage-repeated-per-block.jsonl", tmp_path)
    done = handcompact("repair", path, "--write")
    assert done.code == 0 and "nothing to repair" in done.out
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == [path.name]


def test_a_dry_look_shows_control_characters_as_signs(handcompact: Handcompact, tmp_path: Path) -> None:
    done = handcompact("repair", put("064-nul-blocks.jsonl", tmp_path))
    assert "\0" not in done.out and "\u2400" in done.out


def test_a_session_that_its_agent_cannot_resume_as_it_is_becomes_one_that_it_can(
    handcompact: Handcompact, tmp_path: Path
) -> None:
    """Gemini CLI keeps each result twice and sends both, which its provider refuses."""
    sick = tmp_path / "session.jsonl"
    sick.write_bytes((SAMPLES / "gemini-cli-one-turn.jsonl").read_bytes())
    looked = handcompact("repair", sick)
    assert looked.code == 1 and "result-twice" in looked.out
    done = handcompact("repair", sick, "--write", "--json")
    assert done.code == 0 and done.json["written"]
    assert handcompact("repair", done.json["target"]).out.strip() == "nothing to repair"
