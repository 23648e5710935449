"""`--share`: what was planted stands in no byte that is written, and the session stays one."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.formats import open_session
from app.masking import MaskingOptions
from app.model import Text
from app.opening import open_workspace
from tests.cli.run import Handcompact
from tests.planted import KEYS, texts
from tests.test_masking import assert_gone, readings

SAMPLES = Path(__file__).parent.parent.parent / "sample_sessions"
ROUGH = ("--count", "rough")
PLANTED = texts()
EVERYTHING = "\n".join(text for text, _ in PLANTED.values())
SECRETS = tuple(dict.fromkeys(secret for _, secrets in PLANTED.values() for secret in secrets))
SEAL = "Ab0+" * 20


def record(kind: str, number: int, **more: Any) -> dict[str, Any]:
    return {
        "parentUuid": f"{number - 1:08}-0000-4000-8000-000000000000" if number > 1 else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/adalovelace/work",
        "sessionId": "5e550000-0000-4000-8000-000000000001",
        "version": "2.1.0",
        "gitBranch": "main",
        "type": kind,
        "uuid": f"{number:08}-0000-4000-8000-000000000000",
        "timestamp": f"2026-01-02T03:00:{number:02}.000Z",
        **more,
    }


def planted_records(output: str = EVERYTHING) -> list[dict[str, Any]]:
    """A session of Claude Code with everything planted in every kind of place."""
    arguments = {"command": EVERYTHING, "password": "hunter2hunter2"}
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": arguments}
    thinking = {"type": "thinking", "thinking": EVERYTHING, "signature": SEAL}
    parts = [{"type": "text", "text": output}]
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": parts}
    usage = {"input_tokens": 10, "output_tokens": 5}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "usage": usage}
    reply = [thinking, {"type": "text", "text": EVERYTHING}, call]
    tail = {**head, "id": "msg_2", "content": [{"type": "text", "text": f"Done.\n{EVERYTHING}"}]}
    nested = json.dumps({"arguments": json.dumps({"text": EVERYTHING})})
    return [
        {"type": "summary", "summary": EVERYTHING, "leafUuid": "00000004-0000-4000-8000-000000000000"},
        record("user", 1, message={"role": "user", "content": EVERYTHING}, promptSource="typed"),
        record("assistant", 2, message={**head, "content": reply}),
        record(
            "user",
            3,
            message={"role": "user", "content": [result]},
            toolUseResult={"stdout": EVERYTHING, "file": {"content": EVERYTHING}, "nested": nested},
        ),
        record("progress", 4, data={"message": {"content": [thinking]}, EVERYTHING: 1}, parentUuid=None),
        record("assistant", 5, message=tail, parentUuid="00000003-0000-4000-8000-000000000000"),
        {"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": {"/home/adalovelace/x.py": {}}}},
        {"type": "last-prompt", "lastPrompt": EVERYTHING, "env": {"API_KEY": "zx81-9f3c-77aa"}},
    ]


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """It lies in a folder of its own, with a side folder that holds everything, too."""
    folder = tmp_path / "adalovelace"
    folder.mkdir()
    path = folder / "s.jsonl"
    lines = [json.dumps(record) for record in planted_records()]
    torn = '{"torn": "' + EVERYTHING.replace("\n", "\\n")
    path.write_text("\n".join([*lines[:-1], torn, lines[-1]]) + "\n")
    side = folder / "s" / "subagents"
    side.mkdir(parents=True)
    (side / "agent-1.jsonl").write_text("\n".join(lines[1:4]) + "\n")
    (side / "agent-1.meta.json").write_text(json.dumps({"prompt": EVERYTHING}, indent=2))
    (side.parent / "tool-results").mkdir()
    (side.parent / "tool-results" / "toolu_9.txt").write_text(EVERYTHING)
    (side.parent / "tool-results" / "picture.bin").write_bytes(b"\0\1" + EVERYTHING.encode())
    return path


def tree(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def assert_clean(folder: Path) -> None:
    """Nothing planted in any file, nor in its name below the folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert_gone(path.read_bytes(), (*SECRETS, "hunter2hunter2", "zx81-9f3c-77aa", SEAL))
        assert_gone(path.relative_to(folder).as_posix().encode(), SECRETS)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("pipeline", ["gentle", "minicode", "layered"])
def test_nothing_planted_stands_in_any_written_byte(
    handcompact: Handcompact, planted: Path, tmp_path: Path, pipeline: str
) -> None:
    before = tree(planted.parent)
    out = tmp_path / "out" / "s.shared.jsonl"
    out.parent.mkdir()
    more = ("--pipeline", pipeline, "--drop-user-words")
    done = handcompact("compact", planted, *ROUGH, *more, "--share", "--out", out, "--json")
    assert done.code == 0, done.err
    assert_clean(out.parent)
    assert tree(planted.parent) == before, "the original is as it was"
    names = {path.name for path in out.parent.iterdir()}
    assert names == {"s.shared", "s.shared.jsonl", "s.shared.manifest.json"}
    told = done.json["share"]
    assert_gone(json.dumps(told).encode(), SECRETS)
    kinds = {row["kind"]: row for row in told["masked"]}
    assert kinds["GitHub token"]["different"] == 2 and kinds["user name in a path"]["different"] == 1
    assert told["sealed_left_out"] >= 2 and told["not_promised"]
    assert told["files_left_out"] == ["tool-results/picture.bin"]
    assert str(tmp_path).encode() not in (out.parent / "s.shared.manifest.json").read_bytes()


def test_saved_results_are_masked_and_named_by_a_short_path(
    handcompact: Handcompact, planted: Path, tmp_path: Path
) -> None:
    planted.write_text("\n".join(json.dumps(record) for record in planted_records(EVERYTHING * 5)))
    out = tmp_path / "out" / "s.shared.jsonl"
    out.parent.mkdir()
    done = handcompact("edit", planted, *ROUGH, "--do", "save tool:Bash", "--share", "--out", out, "--json")
    assert done.code == 0, done.err
    folder = out.parent / "s.shared"
    copies = ("toolu_9", "agent", "results-")
    (saved,) = [Path(path) for path in done.json["files"] if not any(name in path for name in copies)]
    assert saved.is_file() and saved.is_relative_to(folder)
    assert_clean(out.parent)
    (listed,) = folder.rglob("results-*.md")
    assert f"read s.shared/{saved.relative_to(folder).as_posix()}" in listed.read_text()
    places = [place["file"] for row in done.json["share"]["masked"] for place in row["places"]]
    assert f"s.shared/{saved.relative_to(folder).as_posix()}" in places
    assert str(tmp_path) not in listed.read_text()
    whole = "".join(readings(out.read_bytes()))
    assert str(tmp_path) not in whole and f"s.shared/{saved.relative_to(folder).as_posix()}" in whole


def test_a_shared_session_is_valid_verified_and_never_called_resumable(
    handcompact: Handcompact, planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = handcompact("compact", planted, *ROUGH, "--share")
    assert done.code == 0, done.err
    out = planted.with_name("s.shared.jsonl")
    assert f"Written   {out}" in done.out and "Resume" not in done.out and "Backup" not in done.out
    assert "Masked    GitHub token: " in done.out and "May miss" in done.out
    assert "1 block of sealed thinking left out" in done.out
    assert f"handcompact diff {planted} {out}" in done.out
    assert not (planted.parent / ".transcripts").exists()
    told = handcompact("verify", out, "--json")
    assert told.json["manifest"]["same"] is True
    assert not [v for v in told.json["violations"] if v["level"] == "error"]
    out.write_bytes(out.read_bytes().replace(b"Done.", b"Gone."))
    assert handcompact("verify", out, "--json").json["manifest"]["same"] is False
    done = handcompact("diff", out, *ROUGH)
    assert done.code == 2 and "was made for sharing" in done.err
    session = open_session(out)[0]
    assert all(block.kind != "thinking" for message in session.live for block in message.blocks)


def test_a_shared_session_goes_into_no_agents_folder(
    handcompact: Handcompact, home: Path, planted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / ".claude" / "projects" / "-home-adalovelace-work"
    folder.mkdir(parents=True)
    inside = Path(shutil.copy(planted, folder / "5e550000-0000-4000-8000-000000000001.jsonl"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    done = handcompact("compact", inside, *ROUGH, "--share")
    assert done.code == 0, done.err
    assert [path.name for path in folder.iterdir()] == [inside.name]
    assert (here / f"{inside.stem}.shared.jsonl").is_file()
    for more in ("--install", "--in-place"):
        done = handcompact("compact", inside, *ROUGH, "--share", more)
        assert done.code == 2 and "for other people" in done.err


def test_a_dry_run_tells_the_same_and_writes_nothing(handcompact: Handcompact, planted: Path) -> None:
    before = tree(planted.parent)
    done = handcompact("compact", planted, *ROUGH, "--share", "--dry-run", "--json")
    assert done.code == 0 and tree(planted.parent) == before
    assert {row["kind"] for row in done.json["share"]["masked"]} >= {"GitHub token", "private key"}
    assert_gone(json.dumps(done.json["share"]).encode(), SECRETS)
    assert "Masked    private key" in handcompact("compact", planted, *ROUGH, "--share", "--dry-run").out


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.json*")), ids=lambda path: path.name)
def test_every_sample_can_be_shared_and_without_secrets_it_is_what_another_export_is(
    sample: Path, tmp_path: Path
) -> None:
    opened = open_workspace(str(sample), pipeline="gentle", exact=False)
    out = tmp_path / f"shared{sample.suffix}"
    plan = make_plan(opened.workspace, opened.source, ExportOptions(share=MaskingOptions(), out=out))
    written = write(plan)
    assert written.shared is not None
    told = written.shared.as_json()
    if not told["masked"] and told["sealed_left_out"] == plan.sealed:
        assert out.read_bytes() == b"".join(plan.rewriting.pieces())
    if not plan.sealed:
        usual = make_plan(opened.workspace, opened.source, ExportOptions(out=out, title=None))
        assert plan.rewrite.messages == usual.rewrite.messages


@pytest.mark.parametrize("target", ["codex", "pi", "anthropic", "openai-chat"])
def test_every_format_masks(handcompact: Handcompact, planted: Path, tmp_path: Path, target: str) -> None:
    moved, out = tmp_path / "moved.out", tmp_path / "out" / "shared.out"
    out.parent.mkdir()
    assert handcompact("convert", planted, "--to", target, "--out", moved).code == 0
    assert KEYS["GitHub"] in moved.read_text()
    done = handcompact("edit", moved, *ROUGH, "--do", "skip", "--share", "--out", out)
    assert done.code == 0, done.err
    assert_clean(out.parent)


def test_a_pipe_is_masked_as_well(planted: Path, home: Path) -> None:
    command = [sys.executable, "-m", "app", "compact", str(planted), *ROUGH, "--share", "--out", "-"]
    done = subprocess.run(command, capture_output=True, check=False, cwd=SAMPLES.parent)
    assert done.returncode == 0, done.stderr
    assert_gone(done.stdout, SECRETS)
    assert b"Masked    GitHub token" in done.stderr
    assert all(json.loads(line) for line in done.stdout.splitlines()[:4])
    assert not list(home.rglob(".handcompact-*")), "nothing unmasked is left behind"


def test_words_and_addresses_are_masked_where_asked(handcompact: Handcompact, tmp_path: Path) -> None:
    path, out = tmp_path / "a.json", tmp_path / "b.json"
    message = {"role": "user", "content": "Ask ada@example.org about Project Zebra"}
    path.write_text(json.dumps({"messages": [message]}))
    more = ("--mask", "project zebra", "--mask-emails")
    done = handcompact("compact", path, *ROUGH, "--share", "--out", out, *more)
    assert done.code == 0, done.err
    text = json.loads(out.read_bytes())["messages"][0]["content"]
    assert "ada" not in text and "Zebra" not in text and text.startswith("Ask someone1@")
    done = handcompact("compact", path, *ROUGH, "--mask", "x")
    assert done.code == 2 and "need --share" in done.err
    # A word that the form of the session is made of cannot be masked.
    done = handcompact("compact", path, *ROUGH, "--share", "--mask", "content", "--out", tmp_path / "c.json")
    assert done.code == 3 and "leave out a --mask" in done.err and not (tmp_path / "c.json").exists()


def test_a_name_that_stands_outside_of_paths_is_told_and_not_said(
    handcompact: Handcompact, tmp_path: Path
) -> None:
    path, out = tmp_path / "a.json", tmp_path / "b.json"
    message = {"role": "user", "content": "drwx 2 adalovelace adalovelace 40 /home/adalovelace/x"}
    path.write_text(json.dumps({"messages": [message]}))
    done = handcompact("compact", path, *ROUGH, "--share", "--out", out)
    assert done.code == 0 and "masked in paths occurs 2 times elsewhere: --mask" in done.out
    assert "adalovelace" not in done.out.replace(str(path), "")
    out.unlink()
    done = handcompact("compact", path, *ROUGH, "--share", "--mask", "AdaLovelace", "--out", out, "--json")
    assert done.code == 0 and done.json["share"]["names_elsewhere"] == 0
    assert "adalovelace" not in out.read_text()


def test_a_second_export_does_not_mix_with_the_first(handcompact: Handcompact, planted: Path) -> None:
    assert handcompact("compact", planted, *ROUGH, "--share").code == 0
    done = handcompact("compact", planted, *ROUGH, "--share")
    assert done.code == 3 and "already exists" in done.err
    planted.with_name("s.shared.jsonl").unlink()
    done = handcompact("compact", planted, *ROUGH, "--share")
    assert done.code == 3 and "s.shared already exists, from another export" in done.err


def test_the_case_that_other_tools_left_keys_in(handcompact: Handcompact, tmp_path: Path) -> None:
    case = Path(__file__).parent.parent / "data" / "cases" / "152-secrets.jsonl"
    expected = json.loads(case.with_suffix("").with_suffix(".expect.json").read_text())["expect"]["export"]
    path, out = tmp_path / "case.jsonl", tmp_path / "shared.jsonl"
    # On disk each key is broken, so that no scanner trips over the file.
    path.write_text(case.read_text().replace("~~", ""))
    done = handcompact("compact", path, *ROUGH, "--share", "--out", out)
    assert done.code == 0, done.err
    assert_gone(out.read_bytes(), tuple(expected["share_must_not"]))
    assert all(word in out.read_text() for word in expected["keep"])


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.json*")), ids=lambda path: path.name)
def test_what_is_planted_in_a_sample_of_any_format_goes(
    handcompact: Handcompact, sample: Path, tmp_path: Path
) -> None:
    session = open_session(sample)[0]
    texts = [block for m in session.live for block in m.blocks if isinstance(block, Text)]
    word = max((text.content.read().split("\n")[0][:30] for text in texts), key=len)
    spelled = json.dumps(f"{word}\n{EVERYTHING}\n")[1:-1].encode()
    data = sample.read_bytes()
    for how in (json.dumps(word), json.dumps(word, ensure_ascii=False)):
        data = data.replace(how[1:-1].encode(), spelled)
    path, out = tmp_path / sample.name, tmp_path / "out" / "shared.out"
    path.write_bytes(data)
    out.parent.mkdir()
    assert KEYS["GitHub"] in readings(data)[1]
    done = handcompact(
        "compact", path, *ROUGH, "--pipeline", "layered", "--share", "--drop-user-words", "--out", out
    )
    assert done.code == 0, done.err
    assert_clean(out.parent)


def test_a_whole_folder_is_not_shared_at_once(handcompact: Handcompact, planted: Path) -> None:
    before = tree(planted.parent)
    done = handcompact("compact", planted.parent, *ROUGH, "--share", "--write")
    assert done.code == 2 and "--share works on one session" in done.err and tree(planted.parent) == before
