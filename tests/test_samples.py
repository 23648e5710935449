"""The sample sessions are what `make.py` makes, and each awkward one has the trait it is named for."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from tests.plain_session import SAMPLES, Session, blocks, results, text_of, texts_of, uses

REAL = {
    "claude-code-tools.jsonl": "66ec89fc869e485e642abd92cda30bb25417cabad3b5cde5a4bcf698268dbee5",
    "claude-code-compacted.jsonl": "0d022330094d8930ae62c1b37ef0175e34dd78e29ecd5fe1e3852ace1eed2fc8",
    "claude-code-killed.jsonl": "29666c4d0fe7de01688cd71b1569f22dbc24ced44e3ae379f5737dc65360d12d",
    "claude-code-v2-0.jsonl": "c911410dcd58c8a55ac9a5dcc823f949306e85c6e93ce1c03d1b4a0328fd71a9",
    "codex-compacted.jsonl": "d53d923fbed2b8a1ad0a838365c29f9c39d076400ccdfdecbc6d383d6f3a1516",
    "codex-three-turns.jsonl": "14fb29605c79e104df074913fc1579f54f345da1047c48ef23f17a56df8ec3c6",
    "copilot-compacted.jsonl": "96ef02ab56ae1f99e01775fbac8312dff813964f3803ba76d005d78591452923",
    "gemini-cli-compressed.jsonl": "5893311a0a6549ec7884bef2c733db267df68b73c02daa33534c293a08c49128",
    "gemini-cli-one-turn.jsonl": "f5be2f07a6a6a31c6c9281b3ff72b597b480190807e9d16b08e62af2cfb64eef",
    "opencode-compacted.json": "084918feb7624afc236fd2485f270b7a38cbfb3c74256c6294c6873390838790",
    "pi-compacted.jsonl": "f51c786710896f788186ec3c84f0dae5697d4c09dcabff808adb91c7713b4584",
    "qwen-code-compressed.jsonl": "bc51466f10e107af5b206c7786cf687d850bf1f6052ed93ffee1e6f95d44cc9e",
}
"""Files that a real agent wrote, with their sha256: no editor or formatter changes a byte unseen."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the script makes."""
    folder = tmp_path_factory.mktemp("made")
    command = [sys.executable, str(SAMPLES / "make.py"), "--into", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def test_the_script_makes_the_committed_bytes(made: Path) -> None:
    files = {path.relative_to(made) for path in made.rglob("*") if path.is_file()}
    assert [
        str(name) for name in sorted(files) if (made / name).read_bytes() != (SAMPLES / name).read_bytes()
    ] == []
    kept = {path.relative_to(SAMPLES) for path in SAMPLES.glob("*.json*")} - {Path(name) for name in REAL}
    assert kept | {name for name in files if len(name.parts) > 1} == files


@pytest.mark.parametrize("name", REAL)
def test_real_files_keep_their_bytes(name: str) -> None:
    assert hashlib.sha256((SAMPLES / name).read_bytes()).hexdigest() == REAL[name]


@pytest.mark.slow
def test_recorded_output_is_what_the_commands_print(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES, tmp_path / "samples")
    subprocess.run(
        [sys.executable, str(tmp_path / "samples/make.py"), "--record"], check=True, stdout=subprocess.DEVNULL
    )
    kept, now = (folder / "making/files/recorded" for folder in (SAMPLES, tmp_path / "samples"))
    texts = [
        {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} for folder in (kept, now)
    ]
    assert texts[0] == texts[1]


# ---- the awkward ones


def test_cjk_is_hard_to_cut_and_to_measure() -> None:
    session = Session(SAMPLES / "awkward-cjk.jsonl")
    texts = [text_of(block) for record in session.live for block in results(record)]
    families = next(text for text in texts if set(text) == set("👨‍👩‍👧‍👦"))
    assert len(families) > 4000
    everything = "".join(text for record in session.live for text in texts_of(record))
    classes = {unicodedata.bidirectional(sign) for sign in everything}
    assert {"R", "AL"} <= classes
    assert any(unicodedata.combining(sign) for sign in everything)
    assert {"🇨🇭", "👩🏽‍🚀", "𠮷", "ﾀﾅｶ"} <= {
        sign for sign in ("🇨🇭", "👩🏽‍🚀", "𠮷", "ﾀﾅｶ") if sign in everything
    }


@pytest.mark.parametrize(
    "order", ["\x1b]52;", "\x1b]0;", "\x1b]8;;", "\x1b[2J", "\x9b", "\x1bP", "\u202e", "\x00", "[/x]"]
)
def test_escapes_hold_every_order(order: str) -> None:
    session = Session(SAMPLES / "awkward-escapes.jsonl")
    held = {block["type"] for record in session.live for block in blocks(record) if order in text_of(block)}
    assert "tool_result" in held


def test_escapes_are_in_every_field() -> None:
    session = Session(SAMPLES / "awkward-escapes.jsonl")
    title = next(record["customTitle"] for record in session.records if record["type"] == "custom-title")
    asked = [block["input"] for record in session.live for block in uses(record)]
    said = session.prompts(session.live)
    fields = [
        title,
        session.live[0]["gitBranch"],
        *said,
        *(json.dumps(value, ensure_ascii=False) for value in asked),
    ]
    assert len(fields) == 7
    assert all("\x1b" in field or "\\u001b" in field or "[/x]" in field for field in fields)
    assert any("[/x]" in value for value in asked), "a name of an argument"


def test_huge_result_is_one_line() -> None:
    session = Session(SAMPLES / "awkward-huge-result.jsonl")
    text = next(text_of(block) for record in session.live for block in results(record))
    assert 400_000 <= len(text) < 401_000
    assert "\n" not in text
    stock = json.loads(text)
    gone = sum(item["left"] == 0 for item in stock)
    assert any(
        said.startswith(f"{gone} of {len(stock)} ") for record in session.live for said in texts_of(record)
    )


def test_broken_line_is_broken_in_four_ways() -> None:
    data = (SAMPLES / "awkward-broken-line.jsonl").read_bytes()
    lines = data.split(b"\n")
    assert not data.endswith(b"\n")
    assert not data.startswith(b"\xef\xbb\xbf")
    broken = []
    for number, line in enumerate(lines):
        try:
            json.loads(line)
        except ValueError:
            broken.append(number)
    torn, nul_behind, nul_line, glued, tail = broken
    assert lines[torn + 1].startswith(lines[torn]), "the torn record was written again"
    assert json.loads(lines[nul_behind].rstrip(b"\0"))["type"] == "user"
    assert lines[nul_line].strip(b"\0") == b""
    first, end = json.JSONDecoder().raw_decode(lines[glued].decode())
    assert (first["type"], json.loads(lines[glued].decode()[end:])["type"]) == ("user", "assistant")
    assert tail == len(lines) - 1


def test_unknown_fields_change_when_they_are_parsed_and_written() -> None:
    lines = (SAMPLES / "awkward-unknown-fields.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = [json.loads(line)["type"] for line in lines]
    assert {"telepathy-sync", "mood", "epilogue"} < set(kinds)
    changed = [
        line
        for line in lines
        if json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":")) != line
    ]
    assert len(changed) >= 7
    for spelling in ("1.10", "1E2", "-0.0", "0.10e+1", '"isSidechain" :\t', '"note":"first","note":"second"'):
        assert any(spelling in line for line in changed)
    assert any("123456789012345678901234567890" in line for line in lines)
    assert any("hologram" in line for line in lines)


# ---- the providers' own forms


@pytest.mark.parametrize("name", ["anthropic-messages", "openai-chat"])
def test_documents_are_printed_for_people_and_lines_are_messages(name: str) -> None:
    text = (SAMPLES / f"{name}.json").read_text(encoding="utf-8")
    request = json.loads(text)
    assert text == json.dumps(request, ensure_ascii=False, indent=2) + "\n"
    assert {"model", "messages", "tools"} <= set(request)
    lines = (SAMPLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    assert all({"role", "content"} <= set(json.loads(line)) for line in lines)


def test_chat_has_what_counters_stumble_on() -> None:
    messages = json.loads((SAMPLES / "openai-chat.json").read_text(encoding="utf-8"))["messages"]
    assert any(message["content"] is None and len(message["tool_calls"]) == 2 for message in messages)
    kinds = {
        part["type"]
        for message in messages
        if isinstance(message["content"], list)
        for part in message["content"]
    }
    assert kinds == {"text", "image_url"}
