"""Writing in one's own editor: what comes back, what stays behind, and every way in which it can fail."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.errors import RefusedError
from app.outside_editor import edited_outside, editor_of

Editor = Callable[[str], list[str]]


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    """An editor that runs a line of Python on the file at `path`."""

    def make(line: str) -> list[str]:
        script = tmp_path / "editor.py"
        script.write_text(
            f"import os, sys, time\nfrom pathlib import Path\npath = Path(sys.argv[-1])\n{line}\n"
        )
        return [sys.executable, str(script)]

    return make


def left_behind(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "tmp").iterdir())


def test_what_is_saved_comes_back_and_nothing_stays_behind(editor: Editor, tmp_path: Path) -> None:
    line = (
        "path.with_suffix('.swp').write_text('x'); path.write_bytes(path.read_bytes() + 'ü [/x]\\n'.encode())"
    )
    assert edited_outside("tab\there\r\n\x1b[1m", editor(line)) == "tab\there\r\n\x1b[1mü [/x]"
    assert left_behind(tmp_path) == []


def test_the_file_is_the_persons_alone(editor: Editor, tmp_path: Path) -> None:
    told = tmp_path / "modes"
    modes = "[oct(p.stat().st_mode & 0o777) for p in (path, path.parent)]"
    line = f"Path({str(told)!r}).write_text(' '.join({modes}))"
    assert edited_outside("secret", editor(line)) is None
    assert told.read_text() == "0o600 0o700"


@pytest.mark.parametrize("text", ["no end", "an end\n", "two\r\nlines"])
def test_a_text_that_only_got_an_end_of_line_is_unchanged(editor: Editor, text: str) -> None:
    line = "data = path.read_bytes(); path.write_bytes(data if data.endswith(b'\\n') else data + b'\\n')"
    assert edited_outside(text, editor(line)) is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("path.write_text('x'); sys.exit(3)", "exit code 3"),
        ("os.kill(os.getpid(), 9)", "was ended by signal 9"),
        ("path.write_bytes(b'caf\\xe9')", r"that is not UTF-8 \(byte 3\)"),
        ("path.unlink()", "No such file"),
    ],
)
def test_a_failure_is_one_line_and_leaves_nothing(
    editor: Editor, tmp_path: Path, line: str, words: str
) -> None:
    with pytest.raises(RefusedError, match=words) as caught:
        edited_outside("text", editor(line))
    assert str(caught.value).startswith("nothing changed: ") and "\n" not in str(caught.value)
    assert left_behind(tmp_path) == []


def test_half_a_character_is_not_given_to_an_editor(editor: Editor) -> None:
    with pytest.raises(RefusedError, match="half a character"):
        edited_outside("\ud83d", editor("sys.exit(9)"))


def test_ctrl_c_in_the_editor_does_not_end_the_program(editor: Editor) -> None:
    line = f"os.kill({os.getpid()}, {int(signal.SIGINT)}); time.sleep(0.1); path.write_text('after')"
    assert edited_outside("before", editor(line)) == "after"


def test_the_editor_is_the_one_that_the_person_named(tmp_path: Path) -> None:
    for name in ("one", "two", "nano"):
        (tmp_path / name).touch(0o755)
    path = {"PATH": str(tmp_path)}
    assert editor_of({**path, "VISUAL": "one --wait 'a b'", "EDITOR": "two"}) == ("one", "--wait", "a b")
    assert editor_of({**path, "VISUAL": " ", "EDITOR": "two"}) == ("two",)
    assert editor_of(path) == ("nano",)


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"EDITOR": "missing -w"}, "EDITOR names 'missing', which cannot be started"),
        ({"VISUAL": "'open"}, "VISUAL cannot be read"),
        ({}, "set VISUAL or EDITOR"),
    ],
)
def test_no_editor_is_one_line(env: dict[str, str], words: str, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=words):
        editor_of({"PATH": str(tmp_path), **env})
