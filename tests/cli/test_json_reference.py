"""`app/cli/REFERENCE.md` names every option, and just the fields that `--json` prints."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from app.cli.main import COMMANDS, command
from app.edits import EDITS
from app.operation_text import OTHER_VERBS
from app.persistence.recipe import parse_recipe
from app.views.problems import DAMAGE
from app.work.quick_fixes import QUICK_FIXES
from tests.cli.run import Handcompact
from tests.cli.test_share import planted_records
from tests.formats.claude_code.records import assistant, lines, result, use, user

ROOT: Final = Path(__file__).parents[2]
SAMPLES: Final = ROOT / "sample_sessions"
PAGE: Final = (ROOT / "app" / "cli" / "REFERENCE.md").read_text("utf-8")
JSON: Final = ("--count", "rough", "--json")
DRY: Final = (*JSON, "--dry-run")

EVEN_SO: Final = ("--pipeline", "react-mini", "--set", "microcompact.max_total_chars=10")
"""Options with which a small session is compacted, too."""

NOT_IN_FOLDERS: Final = frozenset({"dry_run", "refused", "recipe", "not_in_recipe", "not_applied"})
"""What is for one session alone."""

BY_NAME: Final = (".by_verdict", ".outcomes", ".problems", ".options")
"""Ends of the paths of objects whose names are data: verdicts, outcomes, pipelines, options."""


def first_cells(section: str, level: str = "###") -> list[str]:
    """The words in backquotes in the first column of a section's tables."""
    text = PAGE.partition(f"\n{level} {section}\n")[2].partition("\n## ")[0].partition("\n### ")[0]
    cells = re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def printed(value: Any, path: str = "") -> Iterator[str]:
    """The paths of the fields of what a command printed, as jq writes them; names that are data as `*`."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            below = f"{path}.{'*' if path.endswith(BY_NAME) else name}"
            yield below
            yield from printed(inner, below)
    elif isinstance(value, list):
        for inner in value:
            yield from printed(inner, f"{path}[]")


def check(section: str, outputs: Iterable[Mapping[str, Any]]) -> None:
    """What is printed is documented, and what is documented was printed by one of the runs."""
    found = {path for output in outputs for path in printed(output)}
    told = {name.removesuffix("[]") for name in first_cells(section)}
    inside = {name[: dot.start()].removesuffix("[]") for name in told for dot in re.finditer(r"\.", name)}
    assert told, f"no table below ### {section}"
    assert found - told - inside == set(), f"not in REFERENCE.md below ### {section}"
    assert told - found == set(), f"below ### {section}, but no command printed it"


def fields_of(section: str) -> frozenset[str]:
    return frozenset(name.removesuffix("[]") for name in first_cells(section))


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A small session in which a fact is read that is spoken of later."""
    path = tmp_path / "work" / "a.jsonl"
    path.parent.mkdir()
    path.write_bytes(
        lines(
            user(1, None, "Why? Never rename module_1."),
            assistant(2, 1, [use("a", file_path="a.py")]),
            user(3, 2, [result("a", "retry_budget = 17\n" + "a line of a file\n" * 900)]),
            assistant(4, 3, "retry_budget is too small."),
            user(5, 4, "And?"),
            assistant(6, 5, "Wait."),
        )
    )
    return path


@pytest.fixture
def early(tmp_path: Path) -> Path:
    """A session in which a small read stands long before a large one, and no time says that it is over."""
    path = tmp_path / "early.json"
    messages: list[dict[str, Any]] = []
    for name, size in (("a", 90), ("b", 3_000)):
        call = use(name, file_path=f"{name}.py")
        messages += [
            {"role": "user", "content": "And?"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result(name, "a line of a file\n" * size)]},
            {"role": "assistant", "content": "a line of an answer\n" * (9_000 if name == "a" else 1)},
        ]
    path.write_text(json.dumps(messages))
    return path


def test_report(handcompact: Handcompact) -> None:
    files = (SAMPLES / "claude-code-long.jsonl", SAMPLES / "codex-compacted.jsonl")
    check("`report`", [handcompact("report", file, *JSON).json for file in files])


def test_notices() -> None:
    assert sorted(first_cells("Notices")) == sorted(DAMAGE)
    section = PAGE.partition("### Notices")[2].partition("\n### ")[0]
    for sidecar in (ROOT / "tests" / "data" / "cases").glob("*.expect.json"):
        for word in json.loads(sidecar.read_text("utf-8"))["expect"]["load"]["warnings"]:
            assert f"`{word}`" in section, sidecar.name


def test_exports(handcompact: Handcompact, session: Path, early: Path, tmp_path: Path) -> None:
    folder = session.parent
    summary, recipe, planted = folder / "summary.md", folder / "r.toml", tmp_path / "planted.jsonl"
    summary.write_text("It read src/f9.py.")
    planted.write_text("".join(json.dumps(record) + "\n" for record in planted_records()))
    long = SAMPLES / "claude-code-long.jsonl"
    summarise = ("--do", "summarise_range 0 3", "--summary-file", summary, "--drop-user-words")
    runs = [
        handcompact("compact", long, "--pipeline", "layered", *DRY),
        handcompact("edit", early, "--do", "clear tool:Read", *DRY),
        handcompact("compact", SAMPLES / "awkward-broken-line.jsonl", *DRY),
        handcompact("compact", planted, "--share", *DRY),
        handcompact("edit", session, *summarise, "--save-recipe", recipe, "--dry-run", "--json"),
        handcompact("edit", session, "--do", "clear tool:Read", "--dry-run", "--json"),
        handcompact("edit", session, "--do", "clear tool:Read", *JSON, "--out", folder / "b.jsonl"),
        handcompact("apply", recipe, session, "--drop-user-words", *DRY),
    ]
    check("`compact`, `edit`, `apply`", [run.json for run in runs])


def test_prompts_that_are_not_sent(handcompact: Handcompact, session: Path) -> None:
    asked = ("--do", "summarise_range 0 3", "--drop-user-words", "--model-command", "cat")
    check("Prompts that are not sent", [handcompact("edit", session, *asked, *JSON).json])


def test_quick_fixes(handcompact: Handcompact, session: Path) -> None:
    check("Quick fixes", [handcompact("edit", session, *JSON).json])
    assert first_cells("Editing by command", "##")[-len(QUICK_FIXES) :] == [fix.name for fix in QUICK_FIXES]


def test_compare(handcompact: Handcompact, tmp_path: Path) -> None:
    names = ("--pipelines", "gentle,layered", "--pipeline", tmp_path / "none.toml")
    check("`compare`", [handcompact("compare", SAMPLES / "claude-code-long.jsonl", *names, *JSON).json])


def test_diff(handcompact: Handcompact, session: Path) -> None:
    other = session.with_name("b.jsonl")
    handcompact("edit", session, "--do", "clear tool:Read", *JSON, "--out", other)
    check("`diff`", [handcompact("diff", session, other, *JSON).json])


def test_convert(handcompact: Handcompact, tmp_path: Path) -> None:
    repaired = ROOT / "tests" / "data" / "cases" / "021-final-assistant-space.json"
    files = (SAMPLES / "claude-code-tools.jsonl", repaired)
    asked = ("--to", "claude-code", "--cwd", tmp_path, "--dry-run", "--json")
    check("`convert`", [handcompact("convert", file, *asked).json for file in files])


def test_list(handcompact: Handcompact) -> None:
    check("`list`", [handcompact("list", "--json").json])


def test_verify_and_resume_command(handcompact: Handcompact, session: Path) -> None:
    other = session.with_name("b.jsonl")
    handcompact("edit", session, "--do", "clear tool:Read", *JSON, "--out", other)
    files = (other, SAMPLES / "claude-code-long.jsonl")
    check("`verify`", [handcompact("verify", file, "--json").json for file in files])
    check("`resume-command`", [handcompact("resume-command", other, "--json").json])


def test_repair(handcompact: Handcompact) -> None:
    check("`repair`", [handcompact("repair", SAMPLES / "awkward-broken-line.jsonl", "--json").json])


def test_restore(handcompact: Handcompact, session: Path) -> None:
    place = session.parent / "backups"
    backups = ("--backup-dir", place)
    done = handcompact("edit", session, "--do", "clear tool:Read", *JSON, "--in-place", *backups)
    listed = handcompact("restore", "--diff", "--json", *backups).json
    check("`restore`", [listed])
    shown = handcompact("restore", done.json["backup"], "--diff", "--json").json
    element = {f".{name}" for name in listed["backups"][0]} - {".difference"}
    assert {f".{name}" for name in shown} == {*element, ".diff", ".problem"}
    check("`diff`", [shown["diff"]])
    check("Restoring one backup", [handcompact("restore", done.json["backup"], "--yes", "--json").json])
    assert list(handcompact("restore", "--remove-strays", "--json", *backups).json) == ["removed"]


def test_pipelines(handcompact: Handcompact, home: Path) -> None:
    (home / "config" / "pipelines").mkdir(parents=True)
    (home / "config" / "pipelines" / "broken.toml").write_text("step = 1")
    check("`pipelines`", [handcompact("pipelines", "--json").json])


def tops(fields: Iterable[str]) -> set[str]:
    return {re.split(r"[.\[]", field)[1] for field in fields}


def test_folders(handcompact: Handcompact, session: Path) -> None:
    folder, own = session.parent, tops(fields_of("Folders")) - {"summary", "could_free"}
    report = handcompact("report", folder, *JSON, "--jobs", 1).json_lines
    gone = {"rows", "summaries", "notices", "leaves"}
    assert set(report[0]) == own | {"could_free"} | tops(fields_of("`report`")) - gone - {"items"}
    planned = handcompact("compact", folder, *EVEN_SO, *JSON, "--jobs", 1).json_lines
    written = handcompact("compact", folder, *EVEN_SO, "--write", *JSON, "--jobs", 1).json_lines
    export, gone = tops(fields_of("`compact`, `edit`, `apply`")), {"steps", "summaries", "lost"}
    assert [planned[0]["outcome"], written[0]["outcome"]] == ["planned", "written"]
    assert set(planned[0]) | set(written[0]) == own | export - gone - NOT_IN_FOLDERS
    assert isinstance(planned[0]["user_messages_gone"], int)
    sums = {path for path in printed(report[-1]) if path.count(".") > 1}
    assert sums - {".summary.outcomes", ".summary.largest"} == {
        name for name in fields_of("Folders") if name.startswith(".summary") and name != ".summary.largest"
    }


def test_the_example_of_edit_does_what_it_says(handcompact: Handcompact) -> None:
    example = PAGE.partition("--do 'fix superseded-reads'")
    typed = re.findall(r"--do (?:'([^']+)'|(\w+))", example[1] + example[2].partition("```")[0])
    operations = [part for pair in typed for part in ("--do", "".join(pair))]
    done = handcompact("edit", SAMPLES / "claude-code-long.jsonl", *operations, *DRY)
    assert done.code == 0, done.err
    assert len(done.json["steps"]) == 5 and len(operations) == 12


def test_the_example_of_a_recipe_is_one() -> None:
    (text,) = re.findall(r"```toml\n(recipe = .*?)```", PAGE, re.DOTALL)
    assert len(parse_recipe(text, "REFERENCE.md", lambda rule: None).steps) == 3


def test_every_option_of_every_command_is_named() -> None:
    for verb in COMMANDS:
        parser = ArgumentParser()
        command(verb).configure(parser)
        for action in parser._actions:
            for option in action.option_strings:
                assert option == "-h" or re.search(rf"(?<![\w-]){option}(?![\w-])", PAGE), (verb, option)


def test_every_verb_of_edit_stands_there_with_its_options() -> None:
    rows = [row for row in PAGE.splitlines() if row.startswith("| `")]
    for kind in EDITS:
        (row,) = (row for row in rows if row.startswith(f"| `{kind.name}` |"))
        assert set(re.findall(r"`(\w+)=", row)) == {option.name for option in kind.options()}
    told = {name for row in rows for name in re.findall(r"`([\w ]+)`", row.split(" | ")[0])}
    assert told >= set(OTHER_VERBS)
