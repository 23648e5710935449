"""What ends an export before its file is in place leaves nothing behind, and later nothing is taken away."""

from __future__ import annotations

import os
import signal
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from app.errors import FileChanged, HandcompactError, Stopped
from app.export.cancellation import Stopper
from app.export.files import STAGING_PREFIX
from app.export.manifests import manifests
from app.export.plan import ExportOptions, ExportPlan, make_plan
from app.export.readback import sent_by
from app.export.sharing import foreseen
from app.export.stray_files import remove
from app.export.write import write
from app.formats import format_named
from app.formats.base import Format, Rewrite
from app.formats.source import Source
from app.masking import MaskingOptions
from app.opening import Opened, open_workspace
from app.restore import State, state_of
from tests.export.kills import CALLS
from tests.formats.claude_code.records import assistant, lines, result, use, user

SESSION = lines(
    user(1, None, "Why?"),
    assistant(2, 1, [use("a", file_path="a.py")]),
    user(3, 2, [result("a", "a line of a file\n" * 900)]),
    assistant(4, 3, "Because."),
)


def opened(folder: Path) -> Opened:
    """A session whose result is saved to a file, with a side folder of its own."""
    folder.mkdir(exist_ok=True)
    (folder / "a.jsonl").write_bytes(SESSION)
    (folder / "a" / "subagents").mkdir(parents=True, exist_ok=True)
    (folder / "a" / "subagents" / "b.txt").write_text("of a subagent")
    found = open_workspace(str(folder / "a.jsonl"), pipeline="minicode", exact=False)
    found.workspace.run_all()
    assert any(step.result.files for step in found.workspace.steps)
    return found


def planned(folder: Path, **options: Any) -> ExportPlan:
    found = opened(folder)
    return make_plan(found.workspace, found.source, ExportOptions(**options))


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture(params=[False, True], ids=["new file", "in place"])
def in_place(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize("when", ["Backing up", "Writing", "Reading back"])
def test_a_write_that_is_stopped_leaves_nothing(tmp_path: Path, in_place: bool, when: str) -> None:
    plan = planned(tmp_path, in_place=in_place)
    before = tree(tmp_path)
    said: list[str] = []
    with pytest.raises(Stopped, match="the original is untouched"):
        write(plan, progress=said.append, stop=lambda: when in said)
    assert tree(tmp_path) == before and manifests([tmp_path / ".transcripts"]) == ()


def test_a_session_that_went_on_meanwhile_leaves_nothing(tmp_path: Path) -> None:
    plan = planned(tmp_path, in_place=True)
    before = tree(tmp_path)

    def go_on(words: str) -> None:
        if words == "Reading back":
            with (tmp_path / "a.jsonl").open("ab") as file:
                file.write(b"\n")

    with pytest.raises(FileChanged):
        write(plan, progress=go_on)
    assert tree(tmp_path) == {**before, "a.jsonl": SESSION + b"\n"}


def test_a_backup_of_what_goes_to_standard_output_is_listed(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    found = opened(tmp_path)
    found.workspace.go_to(1)
    written = write(make_plan(found.workspace, found.source, ExportOptions(to_stdout=True)))
    (manifest,) = manifests([tmp_path / ".transcripts"])
    assert manifest.backup == written.backup and state_of(manifest) is State.SAME
    assert len(capfdbinary.readouterr().out) == written.size


@contextmanager
def interrupted_at(number: int) -> Iterator[list[str]]:
    """Press ctrl+c behind the touch of the disk with that number; gives the names of the touches."""
    touched: list[str] = []

    def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            done = real(*arguments, **named)
            touched.append(name)
            if len(touched) == number:
                os.kill(os.getpid(), signal.SIGINT)
            return done

        return call

    # A program that a script starts behind itself is told to ignore ctrl+c.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, counted(name, getattr(os, name)))
            yield touched
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_at_any_moment_leaves_nothing_or_the_whole_export(tmp_path: Path, in_place: bool) -> None:
    whole = 0
    for number in range(1, 200):
        folder = tmp_path / f"{number}"
        plan = planned(folder, in_place=in_place)
        before = tree(folder)
        with interrupted_at(number) as touched:
            try:
                write(plan)
            except KeyboardInterrupt:
                pass
            else:
                break
        # What is removed by --remove-strays.
        remove(path for path in folder.rglob(f"{STAGING_PREFIX}*"))
        after = tree(folder)
        if after == before:
            assert not whole, "once it is there it stays"
            continue
        whole += 1
        (manifest,) = manifests([folder / ".transcripts"])
        assert manifest.target.read_bytes() != SESSION
        assert manifest.backup is not None and manifest.backup.read_bytes() == SESSION
        (saved,) = (path for path, file in plan.files if path != plan.index)
        assert saved.is_file() and (folder / "a.jsonl").is_file()
    else:
        pytest.fail("it never ended")
    assert whole and number > 30, touched


def test_a_name_that_was_taken_meanwhile_leaves_nothing(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    before = tree(tmp_path)
    assert plan.target is not None
    name = plan.target

    def take(words: str) -> None:
        if words == "Reading back":
            name.write_text("mine")

    with pytest.raises(HandcompactError, match="already exists"):
        write(plan, progress=take)
    assert tree(tmp_path) == {**before, name.name: b"mine"}


SAMPLES = sorted(
    path
    for path in (Path(__file__).parent.parent.parent / "sample_sessions").iterdir()
    if path.suffix in (".json", ".jsonl", ".traj")
)


def stopping_at(last: int, looks: list[int] | None = None) -> Stopper:
    """Ends work at its look of that number; `looks` gets one for each."""
    made = [] if looks is None else looks

    def stop() -> bool:
        made.append(1)
        return len(made) == last

    return Stopper(stop, "nothing is planned")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_plan_can_be_stopped_at_each_message_of_any_format(sample: Path) -> None:
    found = open_workspace(str(sample), pipeline="gentle", exact=False)
    if not found.workspace.session.live:
        pytest.skip("there is nothing to export")
    found.workspace.run_all()
    looks: list[int] = []
    plan = make_plan(found.workspace, found.source, ExportOptions(out=Path("x.json")), stopping_at(-1, looks))
    size = plan.size_after()
    assert len(looks) > len(found.workspace.messages)
    for last in (1, 2, len(looks) // 2, len(looks)):
        with pytest.raises(Stopped, match="nothing is planned"):
            make_plan(found.workspace, found.source, ExportOptions(out=Path("x.json")), stopping_at(last))
    shared = make_plan(
        found.workspace, found.source, ExportOptions(share=MaskingOptions(), out=Path("x.json"))
    )
    for work in (plan.size_after, partial(foreseen, shared)):
        with pytest.raises(Stopped):
            work(stopping_at(1))
    again = make_plan(found.workspace, found.source, ExportOptions(out=Path("x.json")))
    assert again.fingerprints.tell_same(plan.fingerprints) and again.size_after() == size


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_rewrite_can_be_stopped_at_each_message_of_any_format(sample: Path) -> None:
    found = open_workspace(str(sample), pipeline="gentle", exact=False)
    session = found.workspace.session
    kind, anew = format_named(session.format), str(uuid.uuid4())
    looks: list[int] = []
    asked = Rewrite(session.live, session_id=anew, look=stopping_at(-1, looks).look)
    kind.rewrite(session, asked)
    assert len(looks) >= len(list(kind.request(session, session.live)))
    for last in (1, len(looks) // 2, len(looks)) if looks else ():
        with pytest.raises(Stopped, match="nothing is planned"):
            kind.rewrite(session, structs.replace(asked, look=stopping_at(last).look))


def test_reading_back_stops_at_the_next_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    read: list[str] = []

    def sent(kind: Format, source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
        for key, message in sent_by(kind, source):
            read.append(key)
            yield key, message

    monkeypatch.setattr("app.export.readback.sent_by", sent)
    plan = planned(tmp_path)
    with pytest.raises(Stopped):
        write(plan, progress=said.append, stop=lambda: "Reading back" in said)
    assert len(read) == 1
