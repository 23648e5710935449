"""Nothing of a session or of its name acts on the terminal, on any screen, by any key, by any copy."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.hostile import HOSTILE, MADE, SEEN, acting, claude_code, every_sign, put, told
from tests.tui.terminal import written_to_terminal

HOMES = {
    "HOME": ".",
    "CLAUDE_CONFIG_DIR": ".claude",
    "CODEX_HOME": ".codex",
    "HANDCOMPACT_DATA_DIR": "data",
    "HANDCOMPACT_CONFIG_DIR": "config",
    "HANDCOMPACT_STATE_DIR": "state",
}


ELSEWHERE = {
    ".codex/sessions/2026/01/02/rollout-\x1b]0;x\x07.jsonl": "codex",
    ".pi/agent/sessions/--\u202e--/1_\x9b2J.jsonl": "pi",
    ".qwen/projects/-\x1b[2J/chats/01a22b88-652c-7cf1-9182-83c7b06e4e46.jsonl": "qwen-code",
    ".gemini/tmp/[b \x9d/chats/session-\x1bc.jsonl": "gemini-cli",
    ".copilot/session-state/\x1b[6n/events.jsonl": "copilot",
}
"""Sessions of other agents in the list of sessions, under names that try to act, too."""


def walk(folder: Path, kind: str, *options: str, words: str | None = None, size: tuple[int, int]) -> set[str]:
    """Walk through a hostile session, see that nothing acts, and say which screens were met."""
    sessions = folder / ".claude" / "projects" / "evil\x1b]0;owned\x07\u202e"
    sessions.mkdir(parents=True)
    (sessions / "evil\x9b2J.jsonl").write_bytes(claude_code())
    apart = sessions / "evil\x9b2J" / "subagents"
    apart.mkdir(parents=True)
    (apart / "agent-\x1b[2J.jsonl").write_bytes(claude_code())
    for place, agent in ELSEWHERE.items():
        other = folder / place
        other.parent.mkdir(parents=True)
        other.write_bytes(MADE[agent](HOSTILE))
    env = {name: str(folder / place) for name, place in HOMES.items()}
    file, seen = put(folder, kind, words), folder / "seen"
    arguments = (str(file), str(seen), *options)
    written = written_to_terminal("tests.tui.hostile_walk", *arguments, env=env, size=size, silence=60)
    assert seen.exists(), written[-3000:]
    rest, copied = told(written)
    assert SEEN in rest, "the hostile text was not shown at all"
    assert "Traceback" not in rest
    assert acting(rest) == []
    for text in copied:
        assert acting(base64.b64decode(text).decode().replace("\t", " ")) == []
    assert copied
    return set(seen.read_text("utf-8").split())


def test_no_screen_lets_anything_act(tmp_path: Path) -> None:
    met = walk(tmp_path, "claude-code", size=(80, 24))
    assert met >= {
        "InspectScreen", "TextScreen", "StepperScreen", "DiffScreen", "OptionsScreen", "ExportScreen",
        "ChooseScreen", "HelpScreen", "SessionsScreen",
    }  # fmt: skip
    assert list((tmp_path / ".transcripts").glob("*Z.jsonl")), "the export was written, too"


@pytest.mark.slow
@pytest.mark.parametrize("kind", MADE)
def test_no_key_of_any_screen_does_in_any_format(kind: str, tmp_path: Path) -> None:
    walk(tmp_path, kind, "full", size=(160, 50))


@pytest.mark.slow
def test_no_code_point_of_the_basic_plane_does(tmp_path: Path) -> None:
    walk(tmp_path, "claude-code", "full", words=every_sign(), size=(120, 60))
