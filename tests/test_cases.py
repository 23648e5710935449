"""Small files that broke other tools, each with the right answer beside it (`tests/data/cases`).

A case stands for its kind. The fields of a sidecar are described in the folder's README.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from app.errors import HandcompactError
from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.formats.source import FileSource
from app.model import ToolResult, blocks_of, text_of
from app.opening import Opened, open_workspace
from app.pipeline import preset_names
from app.validity import Options, check, errors
from app.views.report import report

FOLDER = Path(__file__).parent / "data" / "cases"
FORMATS = {
    "claude-code-jsonl": "claude-code",
    "anthropic-messages": "anthropic",
    "openai-chat": "openai-chat",
    "codex-rollout": "codex-rollout",
    "openai-responses": "openai-responses",
    "gemini": "gemini",
}
"""The sidecars' names of the formats that are read, and ours."""


@dataclass(frozen=True)
class Case:
    """One case, its file put into a folder of the test."""

    name: str
    expect: dict[str, Any]

    @cached_property
    def sidecar(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((FOLDER / f"{self.name}.expect.json").read_text("utf-8"))
        return found

    def put(self, folder: Path) -> Path:
        data = (FOLDER / self.sidecar["file"]).read_bytes()
        for rule in self.sidecar.get("expand", ()):
            data = data.replace(rule["token"].encode(), rule["unit"].encode() * rule["times"])
        path = folder / str(self.sidecar["file"])
        path.write_bytes(data)
        return path


def _cases() -> list[Case]:
    found = []
    for path in sorted(FOLDER.glob("*.expect.json")):
        sidecar = json.loads(path.read_text("utf-8"))
        if sidecar["format"] in FORMATS:
            found.append(Case(path.name.removesuffix(".expect.json"), sidecar["expect"]))
    return found


CASES = _cases()
EMPTY = "070-empty-file"
WITH_CONTENT = [case for case in CASES if case.name != EMPTY]


def opened(case: Case, folder: Path, pipeline: str = "react-mini", *, exact: bool = False) -> Opened:
    return open_workspace(str(case.put(folder)), pipeline=pipeline, exact=exact)


@pytest.mark.parametrize("case", WITH_CONTENT, ids=lambda case: case.name)
def test_it_loads_as_it_should(case: Case, tmp_path: Path) -> None:
    workspace = opened(case, tmp_path, exact=True).workspace
    workspace.examine()
    found = report(workspace)
    load = case.expect["load"]
    assert found["format"] == FORMATS[case.sidecar["format"]]
    for name in (
        "records", "bad_lines", "conversation", "messages", "tool_pairs", "server_pairs", "legacy_pairs",
        "open_calls", "orphan_results", "missing_parents", "branches", "sidechain_records", "boundaries",
        "user_turns", "model",
    ):  # fmt: skip
        if name in load:
            assert found[name] == load[name], name
    assert found["messages"] == load.get("items", found["messages"])
    assert found["records"] >= load.get("records_min", 0)
    assert set(load["warnings"]) <= set(found["warnings"])


@pytest.mark.parametrize(
    "case", [case for case in WITH_CONTENT if "estimate" in case.expect], ids=lambda case: case.name
)
def test_its_numbers_are_within_bounds(case: Case, tmp_path: Path) -> None:
    workspace = open_workspace(str(case.put(tmp_path)), pipeline="react-mini").workspace
    found = report(workspace)
    estimate = case.expect["estimate"]
    if "reported_usage" in estimate:
        assert found["usage"]["reported_usage"] == estimate["reported_usage"]
    if "context_now" in estimate:
        assert found["usage"]["context_now"] == estimate["context_now"]
    live = found["tokens"]["live"]
    assert estimate.get("min_tokens_total", 0) <= live <= estimate.get("max_tokens_total", live)
    if "block" in estimate:
        message = int(estimate["block"].split("[")[1].split("]")[0])
        tokens = sum(row["tokens"] for row in found["rows"] if row["message"] == message)
        assert estimate.get("min_tokens", 0) <= tokens <= estimate.get("max_tokens", tokens)


@pytest.mark.parametrize("pipeline", preset_names())
@pytest.mark.parametrize("case", WITH_CONTENT, ids=lambda case: case.name)
def test_its_export_is_valid_and_keeps_what_it_must(case: Case, pipeline: str, tmp_path: Path) -> None:
    work = opened(case, tmp_path, pipeline)
    before = Path(work.source.name).read_bytes()
    work.workspace.run_all()
    try:
        plan = make_plan(work.workspace, work.source, ExportOptions())
        written = write(plan)
    except HandcompactError as error:
        assert "no conversation" in str(error) or "your own messages" in str(error), error
        return
    assert written.target is not None and written.backup is not None
    assert Path(work.source.name).read_bytes() == before == written.backup.read_bytes()
    data = written.target.read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf") and b"\r\n" not in data and data.endswith(b"\n")
    kind = plan.format
    again = kind.read(FileSource(written.target))
    options = case.sidecar.get("validity_options", {})
    sent = list(kind.request(again, again.live))
    known = {name: options[name] for name in ("thinking", "alternate") if name in options}
    if not known.get("alternate"):
        assert errors(check(kind.validity, sent, Options(**known))) == []
    said = json.dumps([message for _, message in sent], ensure_ascii=False)
    kept = case.expect["export"]
    for text in kept.get("keep", ()):
        assert json.dumps(text, ensure_ascii=False)[1:-1] in said, text
    for text in kept.get("must_not", ()):
        assert json.dumps(text, ensure_ascii=False)[1:-1] not in said, text


@pytest.mark.parametrize(
    "case",
    [case for case in WITH_CONTENT if "never_cleared" in case.expect.get("stage", {})],
    ids=lambda case: case.name,
)
def test_what_must_never_be_cleared_stays(case: Case, tmp_path: Path) -> None:
    workspace = opened(case, tmp_path).workspace
    hard = {"max_total_chars": "0", "keep_recent": "0", "min_chars": "0", "tools": "*"}
    workspace.set_options("microcompact", hard)
    workspace.set_options("tool_result_budget", {"enabled": "false"})
    workspace.set_options("retain_tail", {"enabled": "false"})
    before = {
        b.tool_use_id: text_of(b) for _, b in blocks_of(workspace.messages) if isinstance(b, ToolResult)
    }
    workspace.run_all()
    after = {b.tool_use_id: text_of(b) for _, b in blocks_of(workspace.messages) if isinstance(b, ToolResult)}
    stage = case.expect["stage"]
    assert [name for name in stage["never_cleared"] if after[name] != before[name]] == []
    assert any(after[name] != before[name] for name in stage["may_be_cleared"])


def test_an_empty_file_is_refused_with_a_line(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.name == EMPTY)
    with pytest.raises(HandcompactError, match="is empty"):
        opened(case, tmp_path)
