"""How a session is resumed from where it lies, and what a person must know for it."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
from pathlib import Path

import pytest

from app.errors import InputError
from app.export.plan import ExportOptions, ExportPlan, make_plan
from app.export.resuming import Resuming, resuming
from app.formats import format_named, open_session
from app.opening import open_workspace
from app.settings import claude_dir, codex_dir, gemini_dir, pi_dir, qwen_dir

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
FOLDER = "/home/dev/project"
SLUG = "-home-dev-project"
LOOKED_IN = {
    "claude-code-v2-0.jsonl": lambda: claude_dir() / "projects" / SLUG,
    "codex-three-turns.jsonl": lambda: codex_dir() / "sessions" / "2026" / "11" / "30",
    "pi-compacted.jsonl": lambda: pi_dir() / "sessions" / f"-{SLUG}--",
    "qwen-code-compressed.jsonl": lambda: qwen_dir() / "projects" / SLUG / "chats",
    "gemini-cli-one-turn.jsonl": lambda: gemini_dir() / "tmp" / "shop" / "chats",
}
"""Samples, and where their agents look for them."""

COMMANDS = {
    "claude-code-v2-0.jsonl": "claude --resume",
    "codex-three-turns.jsonl": "codex resume",
    "pi-compacted.jsonl": "pi --session",
    "qwen-code-compressed.jsonl": "qwen --resume",
    "gemini-cli-one-turn.jsonl": "gemini --resume",
}


def laid(sample: str, folder: Path) -> Path:
    """A sample, copied into a folder under a name of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(SAMPLES / sample, folder / f"from a friend{Path(sample).suffix}"))


def plan(path: Path, options: ExportOptions) -> ExportPlan:
    opened = open_workspace(str(path), pipeline="react-mini", exact=False, install=options.install)
    opened.workspace.run_all()
    return make_plan(opened.workspace, opened.source, options)


def how(path: Path) -> Resuming:
    session, _ = open_session(path)
    return resuming(session, format_named(session.format), path)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("sample", LOOKED_IN)
def test_a_new_session_in_its_agents_folder_is_resumed_by_its_own_id(sample: str) -> None:
    made = plan(laid(sample, LOOKED_IN[sample]()), ExportOptions())
    assert made.resuming.command == f"{COMMANDS[sample]} {made.rewrite.session_id}"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("sample", LOOKED_IN)
def test_a_replaced_session_keeps_its_id(sample: str) -> None:
    made = plan(laid(sample, LOOKED_IN[sample]()), ExportOptions(in_place=True))
    assert made.resuming.command == f"{COMMANDS[sample]} {made.session.session_id}"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("sample", ["claude-code-v2-0.jsonl", "codex-three-turns.jsonl"])
def test_a_session_where_no_agent_looks_is_not_promised_to_resume(sample: str, tmp_path: Path) -> None:
    original = laid(sample, tmp_path / "mail")
    told = plan(original, ExportOptions()).resuming
    assert told.command is None
    assert str(LOOKED_IN[sample]()) in told.why_none() and "--install" in told.why_none()
    assert told.why_none("ask Ada").endswith("not here: ask Ada")
    assert plan(original, ExportOptions(to_stdout=True)).resuming.command is None


@pytest.mark.usefixtures("home")
def test_a_session_in_another_agents_folder_is_not_found_by_its_own() -> None:
    told = how(laid("codex-three-turns.jsonl", LOOKED_IN["claude-code-v2-0.jsonl"]()))
    assert told.command is None and "--install" in told.why_none()


@pytest.mark.usefixtures("home")
def test_pi_and_opencode_take_a_session_from_any_file(tmp_path: Path) -> None:
    mail = tmp_path / "mail of a friend"
    pi = plan(laid("pi-compacted.jsonl", mail), ExportOptions())
    assert shlex.split(pi.resuming.command or "") == ["pi", "--session", str(pi.target)]
    opencode = plan(laid("opencode-compacted.json", mail), ExportOptions())
    ident = str(opencode.rewrite.session_id)
    words = shlex.split(opencode.resuming.command or "")
    assert words == ["opencode", "import", str(opencode.target), "&&", "opencode", "--session", ident]


@pytest.mark.usefixtures("home")
def test_opencode_knows_a_replaced_session_already(tmp_path: Path) -> None:
    made = plan(laid("opencode-compacted.json", tmp_path), ExportOptions(in_place=True))
    assert made.resuming.command is None and "skips a session" in made.resuming.obstacle
    assert any(made.resuming.obstacle == check.text for check in made.checks)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ("claude-code-v2-0.jsonl", "from any folder"),
        ("codex-three-turns.jsonl", "from any other folder"),
        ("pi-compacted.jsonl", "pi needs it to resume"),
        ("qwen-code-compressed.jsonl", "only when it is started there"),
    ],
)
def test_of_a_folder_that_is_gone_it_is_said_what_still_works(sample: str, words: str) -> None:
    told = how(laid(sample, LOOKED_IN[sample]()))
    assert told.folder_is_there is False
    assert told.folder.startswith(f"{FOLDER} is not on this machine") and words in told.folder


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("sample", ["claude-code-v2-0.jsonl", "pi-compacted.jsonl"])
def test_of_a_folder_that_is_there_it_is_said_that_it_is_the_place(sample: str, tmp_path: Path) -> None:
    path = laid(sample, LOOKED_IN[sample]())
    path.write_bytes(path.read_bytes().replace(f'"{FOLDER}"'.encode(), json.dumps(str(tmp_path)).encode()))
    told = how(path)
    assert told.folder_is_there is True and told.folder.startswith(f"run it in {tmp_path}")


def test_gemini_cli_finds_a_session_by_the_folder_of_its_project(home: Path, tmp_path: Path) -> None:
    original = laid("gemini-cli-one-turn.jsonl", tmp_path / "mail")
    told = json.loads(original.read_bytes().split(b"\n", 1)[0])["projectHash"]
    root = str(tmp_path / "shop")
    original.write_bytes(
        original.read_bytes().replace(told.encode(), hashlib.sha256(root.encode()).hexdigest().encode())
    )
    with pytest.raises(InputError, match="none of its projects"):
        plan(original, ExportOptions(install=True))
    project = home / ".gemini" / "tmp" / "shop"
    project.mkdir(parents=True)
    (project / ".project_root").write_text(root, "utf-8")
    known = {"projects": {"/elsewhere": "else", root: "shop", "/bad": "../..", "/worse": 1}}
    (home / ".gemini" / "projects.json").write_text(json.dumps(known), "utf-8")
    made = plan(original, ExportOptions(install=True))
    assert made.target is not None and made.target.parent == project / "chats"
    assert made.resuming.command == f"gemini --resume {made.rewrite.session_id}"
    assert made.resuming.folder.startswith(f"run it in {root}")


@pytest.mark.parametrize("listed", [b"", b"[]", b'{"projects":[]}', b'{"projects":{"/x":"../y"}}', b"\xff"])
def test_a_list_of_projects_that_cannot_be_used_knows_none(home: Path, tmp_path: Path, listed: bytes) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini" / "projects.json").write_bytes(listed)
    with pytest.raises(InputError, match="Gemini CLI would look"):
        plan(laid("gemini-cli-one-turn.jsonl", tmp_path / "mail"), ExportOptions(install=True))


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("sample", ["pi-compacted.jsonl", "qwen-code-compressed.jsonl"])
def test_every_agent_with_a_folder_a_project_gets_it_there(sample: str, tmp_path: Path) -> None:
    made = plan(laid(sample, tmp_path / "mail"), ExportOptions(install=True))
    assert made.target is not None and made.target.parent == LOOKED_IN[sample]()
    assert made.resuming.command == f"{COMMANDS[sample]} {made.rewrite.session_id}"


@pytest.mark.usefixtures("home")
def test_opencode_has_no_folder_to_put_a_session_in(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="its import command accepts a file"):
        plan(laid("opencode-compacted.json", tmp_path / "mail"), ExportOptions(install=True))


@pytest.mark.parametrize("folder", ["/nul\0in it", "relative", "x" * 5_000, "\udcff"])
def test_a_folder_with_any_name_is_no_obstacle(folder: str, tmp_path: Path) -> None:
    path = laid("claude-code-v2-0.jsonl", tmp_path)
    path.write_bytes(path.read_bytes().replace(f'"{FOLDER}"'.encode(), json.dumps(folder).encode()))
    assert how(path).folder_is_there is False


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("name", ["x; rm -rf ~", "$(reboot)", "a\u001b]0;b", "'\n"])
def test_an_id_that_is_no_id_does_nothing_in_a_shell(name: str) -> None:
    path = laid("codex-three-turns.jsonl", LOOKED_IN["codex-three-turns.jsonl"]())
    old = open_session(path)[0].session_id
    assert old is not None
    path.write_bytes(path.read_bytes().replace(json.dumps(old).encode(), json.dumps(name).encode()))
    command = how(path).command
    assert command is not None and command.isprintable()
    program, verb, word = shlex.split(command) if "$'" not in command else (*command.split(" ", 2),)
    assert (program, verb) == ("codex", "resume")
    assert word == name or word.startswith("$'")
