"""`handcompact edit`: operations in order, the same export as `compact`, and refusals in words."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from app.edits import EDITS
from app.operation_text import VERBS
from app.work.quick_fixes import QUICK_FIXES
from tests.cli.run import Handcompact
from tests.cli.test_compact import tree

SAMPLES = Path(__file__).parent.parent.parent / "sample_sessions"
ROUGH = ("--count", "rough", "--json")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "tools.jsonl"
    path.parent.mkdir()
    path.write_bytes((SAMPLES / "claude-code-tools.jsonl").read_bytes())
    return path


@pytest.fixture
def results(handcompact: Handcompact, session: Path) -> list[dict[str, object]]:
    """The rows of results, the largest first."""
    rows = handcompact("report", session, *ROUGH).json["rows"]
    return sorted((r for r in rows if r["kind"] == "tool_result"), key=lambda row: -row["tokens"])


def test_operations_are_done_in_order_and_exported(
    handcompact: Handcompact, session: Path, results: list[dict[str, object]]
) -> None:
    before = session.read_bytes()
    first, second = results[0]["key"], results[1]["key"]
    done = handcompact(
        "edit", session, "--do", f"cut {first} head=1 tail=1", "--do", f"drop {second}", *ROUGH
    )
    assert done.code == 0, done.err
    steps = done.json["steps"]
    assert [(step["edit"], step["keys"]) for step in steps] == [("cut", [first]), ("drop", [second])]
    assert steps[0]["options"] == {"head": 1, "tail": 1}
    assert done.json["tokens_after"] < done.json["tokens_before"] and done.json["written"]
    assert done.json["tokens_freed"] > 0 and done.json["bytes_freed"] > 0
    assert session.read_bytes() == before
    assert handcompact("verify", done.json["target"]).code == 0


def test_numbers_of_a_report_are_keys(
    handcompact: Handcompact, session: Path, results: list[dict[str, object]]
) -> None:
    row = results[0]
    number = f"{row['message']}.{row['block']}"
    done = handcompact("edit", session, "--do", f"clear {number}", "--dry-run", *ROUGH)
    assert done.json["steps"][0]["keys"] == [row["key"]]


def test_rows_are_chosen_by_what_they_are(handcompact: Handcompact, session: Path) -> None:
    done = handcompact("edit", session, "--do", "clear role:tool_result larger_than:200", "--dry-run", *ROUGH)
    assert done.code == 0, done.err
    changes = done.json["steps"][0]["changes"]
    assert len(changes) > 1 and {change["kind"] for change in changes} == {"cleared"}
    none = handcompact("edit", session, "--do", "clear tool:Nobody", "--dry-run", *ROUGH)
    assert none.code == 3 and "no row of that kind can be changed" in none.err


def test_stages_quick_fixes_and_pins_stand_between(
    handcompact: Handcompact, session: Path, results: list[dict[str, object]]
) -> None:
    key = results[0]["key"]
    words = (
        "--do",
        f"pin {key}",
        "--do",
        "fix old-thinking",
        "--do",
        "run",
        "--do",
        "skip",
        "--do",
        "run all",
    )
    done = handcompact("edit", session, "--pipeline", "react-mini", *words, "--dry-run", *ROUGH)
    assert done.code == 0, done.err
    steps = done.json["steps"]
    assert [step.get("edit", step.get("stage")) for step in steps] == [
        "strip_thinking", "tool_result_budget", "microcompact", "retain_tail"
    ]  # fmt: skip
    assert key not in [change["key"] for step in steps for change in step["changes"]]


def test_the_persons_words_need_their_flag_and_are_counted(handcompact: Handcompact, session: Path) -> None:
    before = tree(session.parent)
    refused = handcompact("edit", session, "--do", "keep-last-turns turns=1", *ROUGH)
    assert refused.code == 3 and "1 message of yours would be removed" in refused.err
    assert tree(session.parent) == before
    done = handcompact("edit", session, "--do", "keep-last-turns turns=1", "--drop-user-words", *ROUGH)
    assert done.code == 0 and len(done.json["user_messages_gone"]) == 1
    assert done.json["steps"][0]["boundary"]["strategy"] == "keep-last-turns"


def test_a_text_can_come_from_a_file(handcompact: Handcompact, session: Path, tmp_path: Path) -> None:
    words = "What was done.\n[/x] \x1b[31m 登录"
    (tmp_path / "words.txt").write_text(words, encoding="utf-8")
    rows = handcompact("report", session, *ROUGH).json["rows"]
    reply = next(row["key"] for row in rows if row["kind"] == "text" and row["role"] == "assistant")
    for given, expected in ((f"@{tmp_path / 'words.txt'}", words), ("@@home", "@home")):
        operation = shlex.join(["replace_text", reply, f"text={given}"])
        done = handcompact("edit", session, "--do", operation, *ROUGH)
        assert done.code == 0, done.err
        assert json.dumps(expected, ensure_ascii=False) in Path(done.json["target"]).read_text("utf-8")


def test_a_dry_run_writes_nothing_and_says_what_was_edited(
    handcompact: Handcompact, session: Path, results: list[dict[str, object]]
) -> None:
    before = tree(session.parent)
    done = handcompact("edit", session, "--do", f"save {results[0]['key']}", "--dry-run", "--count", "rough")
    assert done.code == 0 and "Edit      save: 1 block changed" in done.out
    assert tree(session.parent) == before


def test_a_saved_result_lies_where_the_new_session_looks_for_it(
    handcompact: Handcompact, session: Path, results: list[dict[str, object]]
) -> None:
    done = handcompact("edit", session, "--do", f"save {results[0]['key']}", *ROUGH)
    target = Path(done.json["target"])
    (file,) = (Path(path) for path in done.json["files"] if "tool-results" in path)
    assert file.parent == target.with_suffix("") / "tool-results"
    assert str(file) in target.read_text("utf-8")


def test_without_an_operation_the_quick_fixes_are_told(handcompact: Handcompact, session: Path) -> None:
    before = tree(session.parent)
    done = handcompact("edit", session, "--count", "rough")
    assert done.code == 0 and "old-thinking" in done.out and tree(session.parent) == before
    told = handcompact("edit", session, *ROUGH).json["fixes"]
    assert [fix["name"] for fix in told] == [fix.name for fix in QUICK_FIXES if not fix.looks_at_disk]


@pytest.mark.parametrize(
    ("operation", "code", "words"),
    [
        ("", 2, "an empty operation"),
        ("burn 1", 2, "unknown operation 'burn'; available: drop, clear"),
        ("drop 'open", 2, "quote it as in a shell"),
        ("drop", 3, "no rows are chosen"),
        ("drop nowhere", 3, "1 row is not in the conversation as it is now"),
        ("cut 1 head=many", 2, "cut.head must be a whole number"),
        ("cut 1 depth=3", 2, "edit cut has no option 'depth'; it has: allow_words, force, head"),
        ("clear larger_than:big", 2, "larger_than must be a whole number"),
        ("fix", 2, "expected the name of one quick fix"),
        ("fix magic", 2, "unknown quick fix 'magic'"),
        ("stage", 2, "expected the name of a stage"),
        ("stage nope", 2, "unknown stage 'nope'"),
        ("run twice", 2, "run takes no arguments"),
        ("pin", 3, "no rows are chosen"),
        ("replace_text 1.0 text=@/no/such/file", 2, "expected a text file"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    handcompact: Handcompact, session: Path, operation: str, code: int, words: str
) -> None:
    before = tree(session.parent)
    done = handcompact("edit", session, "--do", operation, *ROUGH)
    assert done.code == code and words in done.err and done.err.count("\n") == 1 and done.out == ""
    assert tree(session.parent) == before


def test_help_names_every_verb_with_its_options(
    handcompact: Handcompact, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        handcompact("edit", "--help")
    shown = capsys.readouterr().out
    assert all(f"\n  {verb} " in shown for verb in VERBS)
    assert all(f"{option.name}=" in shown for kind in EDITS for option in kind.options())
    assert all(fix.name in shown for fix in QUICK_FIXES)


@pytest.mark.parametrize(
    "option", [["--save-recipe", "r.toml"], ["--out", "x.jsonl"], ["--in-place"], ["--share"]]
)
def test_what_would_be_written_needs_operations(
    handcompact: Handcompact, session: Path, option: list[str]
) -> None:
    done = handcompact("edit", session, *option)
    assert done.code == 2 and f"{option[0]} needs at least one --do" in done.err and done.out == ""
