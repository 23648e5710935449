"""What commands read, write and run."""

from __future__ import annotations

import time

import pytest

from app.compactability.paths import ODD, Span
from app.compactability.shell import ShellCommand, look_at
from app.compactability.tools import Kind

END = 10**9


@pytest.mark.parametrize(
    ("command", "file", "span"),
    [
        ("cat a.py", "/p/a.py", None),
        ("cat /etc/hosts 2>/dev/null", "/etc/hosts", None),
        ("cat 'my file.txt'", "/p/my file.txt", None),
        ("cat my\\ file.txt", "/p/my file.txt", None),
        ("cd sub && sed -n '1,200p' x/y.py", "/p/sub/x/y.py", Span(1, 200)),
        ("sed -n 7p a", "/p/a", Span(7, 7)),
        ("sed -n '220,$p' a", "/p/a", Span(220, END)),
        ("nl -ba a | sed -n '10,20p'", "/p/a", Span(10, 20)),
        ("cat a | head -5", "/p/a", Span(1, 5)),
        ("head -n 50 a", "/p/a", Span(1, 50)),
        ("head a", "/p/a", Span(1, 10)),
        ("tail -n 20 a", "/p/a", ODD),
        ("head -n 5 a | tail -2", "/p/a", ODD),
        ("cat a | grep x", "/p/a", ODD),
        ("sed 's/a/b/' a", "/p/a", ODD),
        ("cat a; echo b | head -3", "/p/a", None),
        ("test -f a && cat a || true", "/p/a", None),
    ],
)
def test_a_command_that_prints_one_file_reads_it(command: str, file: str, span: Span | None) -> None:
    assert look_at(command, "/p") == ShellCommand(Kind.READ, (file,), span, runs=False)


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("ls -la", Kind.LIST),
        ("git status --short && git diff", Kind.LIST),
        ('rg -n "a|b$" src | head', Kind.GREP),
        ("find . -name '*.py' | xargs grep foo", Kind.GREP),
        ("curl -s https://example.org | jq .", Kind.WEB_FETCH),
        ("pwd; date", Kind.BASH),
    ],
)
def test_a_command_that_only_looks_runs_nothing(command: str, kind: Kind) -> None:
    look = look_at(command)
    assert (look.kind, look.runs, look.writes) == (kind, False, ())


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q 2>&1 | tail -5",
        "cd app && make test",
        "FOO=1 pytest",
        "ls\npytest",
        "# look first\nls\npytest",
        "x=$(cat f)",
        "echo `date`",
        "cat 'unclosed",
        "find . -delete",
        "curl localhost:8000/health",
        "python - <<'EOF'\nprint(1)\nEOF",
        "for f in a b; do cat $f; done",
        "cat " + "a" * 5_000,
    ],
)
def test_anything_else_is_taken_to_run_something(command: str) -> None:
    look = look_at(command)
    assert look.kind is Kind.BASH
    assert look.runs


@pytest.mark.parametrize(
    ("command", "files", "runs"),
    [
        ("cat > a/b.py <<'EOF'\nx = 1\nEOF", ("/p/a/b.py",), False),
        ("cat <<EOF > b.py\nx = 'it''s'\nEOF\n", ("/p/b.py",), False),
        ("cat > t.py <<EOF\nprint(1)\nEOF\npython t.py", ("/p/t.py",), True),
        ("cat <<EOF > t.py && python t.py\nprint(1)\nEOF", ("/p/t.py",), True),
        ("sed -i 's/a/b/' f.py", ("/p/f.py",), False),
        ("echo hi >> notes.txt", ("/p/notes.txt",), False),
        ("echo hi | tee notes.txt", ("/p/notes.txt",), False),
        (
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n"
            "*** Add File: /w/c.py\n+y\n*** End Patch\nEOF",
            ("/p/a.py", "/p/b.py", "/w/c.py"),
            False,
        ),
        ("apply_patch <<E\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nE\npytest", ("/p/a",), True),
    ],
)
def test_files_that_a_command_writes(command: str, files: tuple[str, ...], runs: bool) -> None:
    look = look_at(command, "/p")
    assert (look.writes, look.runs) == (files, runs)


def test_files_printed_among_other_things_are_known() -> None:
    assert look_at("ls && cat AGENTS.md docs/PLAN.md && pytest").files == ("AGENTS.md", "docs/PLAN.md")


@pytest.mark.parametrize(
    "command", ["", " ", "|", "&&", "> f", "cat", "sed", "head -n", "tee", "cd", "\\", "#", "<<", "\x00"]
)
def test_scraps_of_commands_are_taken(command: str) -> None:
    look_at(command)


@pytest.mark.parametrize("unit", ['"', "\\", '"$', "a'", '"\\x', "<<", "a ", "${", "#", "\n"])
def test_hostile_commands_take_no_time(unit: str) -> None:
    start = time.perf_counter()
    look_at("cat " + unit * 50_000)
    assert time.perf_counter() - start < 0.5
