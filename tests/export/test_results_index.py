"""The list of results that an export no longer holds: each with a way back that is true."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.edits import make_edit
from app.errors import WriteFailed
from app.export.plan import ExportOptions, ExportPlan, make_plan
from app.export.plan_text import plan_lines
from app.export.results_index import missing
from app.export.write import Written, write
from app.formats import open_session
from app.masking import MaskingOptions
from app.model import Author, Session, Text, ToolResult, blocks_of, text_of
from app.opening import Opened, open_workspace
from app.work.stage_inputs import give_summary
from app.work.workspace import Workspace
from tests.export.test_summaries import add_turns
from tests.hostile import HOSTILE

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
Prepare = Callable[[Workspace], None]
ENTRY = re.compile(r"- (?P<id>\S+) \| (?P<what>.+) \| (?P<size>[^|]+) \| (?P<done>[^|]+) \| (?P<again>.+)")
SUMMARY = ("summarize.when=always", "summarize.source=structured", "summarize.min_messages=2")


def opened(file: Path, pipeline: str, *settings: str, index: bool = True) -> Opened:
    found = open_workspace(str(file), pipeline=pipeline, settings=settings, exact=False, index=index)
    found.workspace.run_all()
    return found


def exported(found: Opened, wishes: ExportOptions | None = None) -> Written:
    plan = make_plan(found.workspace, found.source, wishes or ExportOptions())
    assert plan.broken == ()
    return write(plan, drop_user_words=True)


def listed(plan: ExportPlan) -> tuple[str, list[dict[str, str]]]:
    """What the list says at its top, and its entries."""
    assert plan.index is not None
    head, _, rest = plan.files[-1][1].text.partition("\n\n- ")
    entries = [ENTRY.fullmatch(line) for line in f"- {rest}".splitlines()]
    assert all(entries), rest
    return head, [entry.groupdict() for entry in entries if entry]


def results(session: Session) -> dict[str, ToolResult]:
    """The results of the live segment by the ids of their calls, in order."""
    return {b.tool_use_id: b for _, b in blocks_of(session.live) if isinstance(b, ToolResult)}


def summaries(session: Session) -> list[str]:
    blocks = (block for _, block in blocks_of(session.live))
    return [b.content.read() for b in blocks if isinstance(b, Text) and b.author is Author.SUMMARY]


@pytest.fixture
def long(tmp_path: Path) -> Path:
    path = tmp_path / "long.jsonl"
    path.write_bytes((SAMPLES / "claude-code-long.jsonl").read_bytes())
    return path


def chat(folder: Path, *results: str, name: str = "Bash", command: str = "make {n}") -> Path:
    """A conversation in Anthropic form with a call and a result for each text, named t0, t1 ..."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Build it, and mind the old targets."}]
    for n, text in enumerate(results):
        call = {"type": "tool_use", "id": f"t{n}", "name": name, "input": {"command": command.format(n=n)}}
        answer = {"type": "tool_result", "tool_use_id": f"t{n}", "content": text}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
    messages.append({"role": "assistant", "content": "It is built, and the old targets still are."})
    path = folder / "chat.json"
    path.write_text(json.dumps(messages))
    return path


def test_a_summary_names_the_list_and_each_entry_leads_back(long: Path) -> None:
    found = opened(long, "minicode", *SUMMARY)
    before = {
        b.tool_use_id: b for _, b in blocks_of(found.workspace.session.live) if isinstance(b, ToolResult)
    }
    written = exported(found)
    index = written.plan.index
    assert index is not None and written.target is not None and index in written.files
    assert (
        index.parent.parent == written.target.with_suffix("")
        and index.stem == f"results-{written.target.stem}"
    )
    assert stat.S_IMODE(index.stat().st_mode) == 0o600 and index.read_text() == written.plan.files[-1][1].text
    assert str(index) in json.loads((written.manifest or long).read_text())["files"]

    again, _ = open_session(written.target)
    line = f"\n\n[Results that are no longer here, and how to get each again: {index}]"
    assert [text.endswith(line) for text in summaries(again)] == [True, False], (
        "one is of an earlier compaction"
    )
    assert any(str(index) in line for line in plan_lines(written.plan))

    head, entries = listed(written.plan)
    assert head.endswith(f"All of them stand in {long}, each under its id.")
    order = [list(before).index(entry["id"]) for entry in entries]
    assert order == sorted(order) and len(order) == len(set(order)) > 30
    there = results(again)
    for entry in entries:
        whole = text_of(before[entry["id"]])
        assert entry["id"] not in there or text_of(there[entry["id"]]) != whole
        path = Path(entry["again"].removeprefix("read "))
        if path.is_absolute() and entry["done"] != "saved before":
            assert whole in path.read_text() and path in written.files
        assert f'"{entry["id"]}"' in long.read_text(), "and it stands in the session as it was"
    ways = {entry["again"] for entry in entries if not entry["again"].startswith("read /")}
    assert {"read it again", "search again", "only in the session as it was"} <= ways
    assert not any(entry["what"].split()[0] in ("Write", "Edit") for entry in entries), (
        "their calls say it all"
    )


def test_only_placeholders_make_a_list_that_no_summary_names(tmp_path: Path) -> None:
    codex = tmp_path / "rollout-2026-01-01T00-00-00-00000000-0000-4000-8000-000000000000.jsonl"
    codex.write_bytes((SAMPLES / "codex-three-turns.jsonl").read_bytes())
    options = ("microcompact.when=always", "microcompact.keep_recent=1", "microcompact.min_chars=0")
    written = exported(opened(codex, "react-mini", *options))
    _, entries = listed(written.plan)
    assert {entry["done"] for entry in entries} >= {"cleared"}
    assert written.target is not None and written.plan.index is not None
    assert written.plan.index.name not in written.target.read_text()
    shells = [entry for entry in entries if entry["what"].startswith(("exec_command", "shell"))]
    assert shells and all(entry["what"].split(maxsplit=1)[1][0] not in "{[" for entry in shells)


def test_a_plain_conversation_has_its_list_beside_it(tmp_path: Path) -> None:
    found = opened(chat(tmp_path, *["line\n" * 200] * 6), "minicode", *SUMMARY)
    written = exported(found)
    index = tmp_path / ".task_outputs" / "results-chat.compacted.md"
    assert written.plan.index == index and index.is_file()
    assert written.target is not None and str(index) in written.target.read_text()
    _, entries = listed(written.plan)
    assert [entry["what"] for entry in entries] == [f"Bash make {n}" for n in range(len(entries))]
    assert {entry["again"] for entry in entries} == {"run it again, if that changes nothing"}


def test_it_is_the_same_each_time(tmp_path: Path) -> None:
    session = chat(tmp_path, *["line\n" * 200] * 6)
    one, two = (
        make_plan(o.workspace, o.source, ExportOptions())
        for o in (opened(session, "minicode", *SUMMARY),) * 2
    )
    assert one.files == two.files
    fresh = opened(session, "minicode", *SUMMARY)
    assert make_plan(fresh.workspace, fresh.source, ExportOptions()).files == one.files


def test_a_later_export_of_more_leaves_the_earlier_list_alone(tmp_path: Path) -> None:
    found = opened(chat(tmp_path, *["line\n" * 200] * 9), "minicode", *SUMMARY, "summarize.keep_messages=6")
    first = exported(found)
    assert first.plan.index is not None and first.target is not None
    same = exported(found, ExportOptions(out=tmp_path / "same.json"))
    assert same.plan.index == first.plan.index and same.files == ()
    text = first.plan.index.read_text()
    found.workspace.set_options("summarize", {"keep_messages": 2})
    second = exported(found, ExportOptions(out=tmp_path / "two.json"))
    assert second.plan.index == first.plan.index.with_name("results-chat.compacted-2.md")
    assert first.plan.index.read_text() == text != second.plan.index.read_text()
    assert str(second.plan.index) in (tmp_path / "two.json").read_text()
    assert str(second.plan.index) not in first.target.read_text()
    # A file that came to lie there after the plan was made is not written over either.
    plan = make_plan(found.workspace, found.source, ExportOptions(out=tmp_path / "three.json"))
    assert plan.index == second.plan.index
    plan.index.write_text("mine")
    with pytest.raises(WriteFailed):
        write(plan, drop_user_words=True)
    assert plan.index.read_text() == "mine" and not (tmp_path / "three.json").exists()


@pytest.mark.parametrize("wanted", ["not wanted", "standard output"])
def test_there_is_none_where_none_is_wanted(tmp_path: Path, wanted: str) -> None:
    found = opened(chat(tmp_path, *["line\n" * 200] * 6), "minicode", *SUMMARY, index=False)
    wishes = ExportOptions(to_stdout=wanted == "standard output")
    plan = make_plan(found.workspace, found.source, wishes)
    assert plan.index is None and plan.files == ()
    assert not any("no longer here" in text_of(b) for _, b in blocks_of(found.workspace.messages))


def test_there_is_none_where_nothing_is_missing(tmp_path: Path, long: Path) -> None:
    found = opened(chat(tmp_path, "short"), "gentle")
    assert make_plan(found.workspace, found.source, ExportOptions()).index is None
    thinking = open_workspace(str(long), pipeline="gentle", exact=False)
    thinking.workspace.go_to(3)
    while thinking.workspace.back():
        pass
    assert make_plan(thinking.workspace, thinking.source, ExportOptions()).index is None


def test_what_a_person_took_out_by_hand_is_not_told_of(tmp_path: Path) -> None:
    found = opened(chat(tmp_path, *["line\n" * 200] * 6), "minicode", "summarize.enabled=false")
    keys = {b.tool_use_id: b.key for _, b in blocks_of(found.workspace.messages) if isinstance(b, ToolResult)}
    found.workspace.edit(make_edit("replace_text", [keys["t0"]], {"text": "nothing to see"}))
    found.workspace.edit(make_edit("drop", [keys["t1"]], {}))
    found.workspace.edit(make_edit("clear", [keys["t2"]], {}))
    found.workspace.edit(make_edit("save", [keys["t3"]], {"preview_chars": 10}))
    plan = make_plan(found.workspace, found.source, ExportOptions())
    _, entries = listed(plan)
    assert [(entry["id"], entry["done"]) for entry in entries] == [("t2", "cleared"), ("t3", "saved")]
    assert Path(entries[1]["again"].removeprefix("read ")) == plan.files[0][0]


def test_a_replaced_session_leads_to_its_backup(tmp_path: Path) -> None:
    session = chat(tmp_path, *["line\n" * 200] * 6)
    found = opened(session, "minicode", *SUMMARY)
    written = exported(found, ExportOptions(in_place=True))
    head, _ = listed(written.plan)
    assert written.backup is not None and f"the backup in {written.backup.parent}," in head


def test_hostile_calls_make_plain_lines_without_keys(tmp_path: Path) -> None:
    key = "sk-ant-" + "a1" * 20
    session = chat(tmp_path, *["line\n" * 200] * 3, command=f"echo {key} {{n}}\n- t9 | x | y | z | w")
    raw = json.loads(session.read_text())
    raw[1]["content"][0]["id"] = raw[2]["content"][0]["tool_use_id"] = HOSTILE.replace("\ud83d", "")
    raw[3]["content"][0]["input"]["command"] = HOSTILE
    session.write_text(json.dumps(raw))
    options = ("microcompact.when=always", "microcompact.keep_recent=0", "microcompact.min_chars=0")
    plan = make_plan(*_planned(opened(session, "react-mini", *options)), ExportOptions())
    assert plan.index is not None
    text = plan.files[-1][1].text
    assert key not in text and "[Anthropic key]" in text
    assert all(line.isprintable() for line in text.splitlines())
    assert sum(line.startswith("- ") for line in text.splitlines()) == 3


def _planned(found: Opened) -> tuple[Workspace, Any]:
    return found.workspace, found.source


def test_a_dry_run_leaves_no_list(long: Path) -> None:
    before = sorted(long.parent.rglob("*"))
    plan = make_plan(*_planned(opened(long, "minicode", *SUMMARY)), ExportOptions())
    assert plan.index is not None and sorted(long.parent.rglob("*")) == before


def test_a_second_compaction_has_a_list_of_its_own(long: Path) -> None:
    def again(session: Path, keep: int) -> Written:
        found = open_workspace(str(session), pipeline="layered", exact=False)
        give_summary(found.workspace, "summarize", "hand", f"All is well, and {keep} stay.")
        found.workspace.set_options("summarize", {"when": "always", "keep_messages": keep})
        found.workspace.run_all()
        return exported(found)

    first = again(long, 20)
    assert first.target is not None and first.plan.index is not None
    add_turns(first.target, 4)
    second = again(first.target, 2)
    assert second.target is not None and second.plan.index not in (None, first.plan.index)
    [text] = summaries(open_session(second.target)[0])
    assert str(second.plan.index) in text and str(first.plan.index) not in text
    assert {"cleared before", "dropped"} <= {entry["done"] for entry in listed(second.plan)[1]}
    assert first.plan.index.is_file()


def test_a_shared_session_tells_its_list_by_a_short_name(long: Path) -> None:
    written = exported(opened(long, "minicode", *SUMMARY), ExportOptions(share=MaskingOptions()))
    index = written.plan.index
    assert index == long.parent / "long.shared" / ".task_outputs" / "results-long.shared.md"
    assert index.is_file() and str(index) in "".join(plan_lines(written.plan)) and written.target is not None
    short = "get each again: long.shared/.task_outputs/results-long.shared.md]"
    assert short in written.target.read_text()
    for path in (index, written.target):
        assert str(long.parent) not in path.read_text()
    assert "All of them stand in the session as it was, each under its id." in index.read_text()
    ways = re.findall(r"\| read (long\.shared/\S+)", index.read_text())
    assert len(ways) > 10 and all((long.parent / way).is_file() for way in ways)


def test_every_sample_lists_what_is_missing_and_nothing_else(tmp_path: Path) -> None:
    for sample in sorted(SAMPLES.glob("*.json*")):
        for pipeline, settings in (("layered", ("summarize.when=always",)), ("clear-tool-uses", ())):
            found = open_workspace(
                str(sample), pipeline=pipeline, settings=settings, exact=False, out=tmp_path / "n"
            )
            if pipeline == "layered":
                give_summary(found.workspace, "summarize", "hand", "Done.")
            else:
                found.workspace.set_options("microcompact", {"trigger_tokens": 0, "keep_recent": 1})
            found.workspace.run_all()
            entries = list(missing(found.workspace, str(tmp_path)))
            now = {b.key: b for _, b in blocks_of(found.workspace.messages)}
            was = [b for _, b in blocks_of(found.workspace.session.live) if isinstance(b, ToolResult)]
            gone = {b.tool_use_id for b in was if now.get(b.key) is not b}
            assert {entry.id for entry in entries if entry.is_new} <= gone, sample.name
