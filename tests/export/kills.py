"""Exports that are killed at one touch of the disk after the other, and what each leaves behind.

    python -m tests.export.kills

prints the table: which touch was the last, and what state the files were in after it. A process is
really killed (SIGKILL): nothing of it is cleaned up, no buffer is flushed. A killed write has written
half of its bytes.
"""

from __future__ import annotations

import os
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from app.export.files import STAGING_PREFIX
from app.export.manifests import manifests
from app.export.plan import ExportOptions, make_plan
from app.export.stray_files import remove, strays
from app.export.write import write
from app.opening import open_workspace
from app.restore import restore

SAMPLE: Final = Path(__file__).parent.parent.parent / "sample_sessions" / "claude-code-v2-0.jsonl"
CALLS: Final = ("open", "fsync", "link", "unlink", "mkdir", "rename", "replace", "rmdir", "chmod")
MOST: Final = 300
ORIGINAL, NEW_BESIDE, REPLACED = "original alone", "original and new file", "replaced, backup whole"


@dataclass(frozen=True, slots=True)
class Kill:
    """One export that was killed before (a write: in the middle of) a touch of the disk."""

    number: int
    touch: str
    """The call, and what of: `fsync .handcompact-...`."""
    state: str
    strays: int


def export(folder: Path, *, in_place: bool) -> None:
    """Compact `a.jsonl` in a folder and write it."""
    opened = open_workspace(str(folder / "a.jsonl"), pipeline="react-mini", exact=False)
    opened.workspace.set_options("microcompact", {"max_total_chars": "1000"})
    opened.workspace.set_options("retain_tail", {"enabled": "false"})
    opened.workspace.run_all()
    write(make_plan(opened.workspace, opened.source, ExportOptions(in_place=in_place)))


def kills(folder: Path, original: bytes, *, in_place: bool) -> Iterator[Kill]:
    """Kill an export of a session at its first touch of the disk, the next at its second, until one is done.

    Raises AssertionError when a kill leaves anything but whole files and strays that can be named.
    """
    expected = _whole(folder, original) if in_place else None
    for number in range(1, MOST):
        place = folder / f"kill-{number}"
        place.mkdir()
        (place / "a.jsonl").write_bytes(original)
        code, touch = run_until(number, place, lambda place=place: export(place, in_place=in_place))  # type: ignore[misc]
        assert code in (0, -signal.SIGKILL), f"touch {number}: exit code {code}"
        state, left = _state(place, original, expected)
        if code == 0:
            assert state != ORIGINAL
            return
        yield Kill(number, touch, state, left)
    raise AssertionError("the export never ended")


def _whole(folder: Path, original: bytes) -> bytes:
    """What an export in place makes of the original when nobody ends it."""
    place = folder / "whole"
    place.mkdir()
    (place / "a.jsonl").write_bytes(original)
    export(place, in_place=True)
    return (place / "a.jsonl").read_bytes()


def run_until(number: int, place: Path, work: Callable[[], object]) -> tuple[int, str]:
    """Do `work` in a child that is killed at its touch of that number; its exit code and that touch."""
    note = place.parent / f"{place.name}.note"
    child = os.fork()
    if child == 0:
        try:
            _Killer(number, note).arm()
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, note.read_text() if note.exists() else ""


class _Killer:
    """Counts touches of the disk, and kills this process at one of them."""

    def __init__(self, number: int, note: Path) -> None:
        self._left = number
        self._note = os.open(note, os.O_WRONLY | os.O_CREAT)

    def arm(self) -> None:
        """From now on every touch counts."""
        for name in CALLS:
            setattr(os, name, self._counted(name, getattr(os, name)))
        real = os.fdopen
        os.fdopen = lambda *args, **named: _Written(real(*args, **named), self)  # type: ignore[assignment, arg-type]

    def touch(self, what: str, last: Callable[[], object] = lambda: None) -> None:
        """One touch; `last` is done before the end, when this is it."""
        self._left -= 1
        if self._left == 0:
            os.write(self._note, what.encode())
            last()
            os.kill(os.getpid(), signal.SIGKILL)

    def _counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            target = args[-1] if name in ("link", "rename", "replace") else args[0]
            self.touch(f"{name} {_kind(target)}".rstrip())
            return real(*args, **named)

        return call


class _Written:
    """A file whose writes count as touches; a killed one gets half of its bytes onto the disk."""

    def __init__(self, file: IO[bytes], killer: _Killer) -> None:
        self._file = file
        self._killer = killer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> _Written:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, data: bytes) -> int:
        """Write it, or half of it as the last thing that is done."""

        def half() -> None:
            self._file.write(data[: len(data) // 2])
            self._file.flush()

        self._killer.touch("write", half)
        return self._file.write(data)


def _kind(target: object) -> str:
    """What a path is, in words that are the same for every run."""
    if not isinstance(target, str | os.PathLike):
        return ""
    name = Path(target).name
    if name.startswith(STAGING_PREFIX):
        return "unfinished file"
    if name == ".transcripts":
        return "folder of backups"
    words = {".manifest": "manifest", ".report": "report"}
    found = next((words[part] for part in words if part in name), None)
    return found or (
        "backup" if name.startswith("a.2") else "a session" if name.endswith(".jsonl") else "folder"
    )


def _state(place: Path, original: bytes, expected: bytes | None) -> tuple[str, int]:
    """The state that a kill left, and how many strays; raises AssertionError for one that must not be."""
    now = (place / "a.jsonl").read_bytes()
    assert now in (original, expected), "neither the original nor the new session"
    listed = {manifest.backup for manifest in manifests([place / ".transcripts"])}
    for path in (place / ".transcripts").glob("a.2*Z.jsonl"):
        assert path.read_bytes() == original, "a backup that is not whole"
        assert path in listed, "a backup that nothing tells of"
    new = list(place.glob("*-*-*-*-*.jsonl"))
    for path in new:
        opened = open_workspace(str(path), pipeline="react-mini", exact=False)
        assert opened.workspace.session.live and not opened.workspace.session.facts.bad_lines
    state = NEW_BESIDE if new else ORIGINAL
    if now == expected:
        state = REPLACED
        backed = [m for m in manifests([place / ".transcripts"]) if m.backup and m.backup.is_file()]
        assert backed and backed[0].backup is not None and backed[0].backup.read_bytes() == original
        restore(backed[0])
        assert (place / "a.jsonl").read_bytes() == original
    left = strays([place, place / ".transcripts"])
    assert all(path.name.startswith(STAGING_PREFIX) for path in left)
    remove(left)
    assert strays([place, place / ".transcripts"]) == ()
    return state, len(left)


def table(found: list[Kill]) -> Iterator[str]:
    """The kills as lines: runs of one touch with one outcome are one line."""
    yield f"{'touches':>9}  {'killed at':<24}  {'state':<24}  strays"
    start = 0
    for end in range(1, len(found) + 1):
        first = found[start]
        same = end < len(found) and found[end].touch == first.touch and found[end].state == first.state
        if not same or found[end].strays != first.strays:
            span = f"{first.number}" if end - start == 1 else f"{first.number}-{found[end - 1].number}"
            yield f"{span:>9}  {first.touch:<24}  {first.state:<24}  {first.strays}"
            start = end
    states = Counter(kill.state for kill in found)
    yield f"{len(found)} kills: " + ", ".join(f"{number} x {state}" for state, number in states.items())


def main() -> None:
    """Print both tables."""
    for in_place in (False, True):
        with tempfile.TemporaryDirectory() as name:
            os.environ["HANDCOMPACT_DATA_DIR"] = f"{name}/data"
            print("in place" if in_place else "new file")
            print(*table(list(kills(Path(name), SAMPLE.read_bytes(), in_place=in_place))), "", sep="\n")


if __name__ == "__main__":
    main()
