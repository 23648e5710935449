"""Rollouts are told by their content, whatever stands around it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.formats import detect
from app.formats.source import BytesSource
from tests.formats.codex.records import FORMAT, SAMPLES, assistant, compacted, event, lines, meta, turn, user

DATA = Path(__file__).parents[2] / "data" / "cases"


@pytest.mark.parametrize(
    "data",
    [
        lines(meta(), user("Hi")),
        lines(user("Hi")),
        lines(event("user_message", message="Hi")),
        lines(compacted("Sum")),
        lines(turn()),
        b"\xef\xbb\xbf" + lines(meta()).replace(b"\n", b"\r\n"),
        b"\0\0\0\n" + lines(meta(), user("Hi")),
        b'{"torn\n' + lines(meta(), user("Hi")),
        lines(meta(), user("Hi"))[:-1],
        lines(meta(base_instructions={"text": "x" * (2 << 20)})),
    ],
)
def test_rollouts_are_told(data: bytes) -> None:
    assert detect(BytesSource(data)).name == "codex-rollout"


@pytest.mark.parametrize(
    "path", sorted(SAMPLES.glob("*.json*")) + sorted(DATA.glob("*.json*")), ids=lambda path: path.name
)
def test_no_other_file_is_taken_for_one(path: Path) -> None:
    sidecar = path.with_name(f"{path.stem}.expect.json")
    said = json.loads(sidecar.read_text())["format"] if sidecar.exists() else path.name
    assert FORMAT.sniff(BytesSource(path.read_bytes())) is said.startswith("codex-")


def test_words_of_a_rollout_inside_a_text_are_no_rollout() -> None:
    text = lines(meta(), user("Hi"), assistant("Yo")).decode()
    data = json.dumps([{"role": "user", "content": text}, {"role": "assistant", "content": "Seen."}])
    assert detect(BytesSource(data.encode())).name == "openai-chat"
