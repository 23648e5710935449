"""A row at length: its text, why it is judged so, what would become of it, where it lies."""

from __future__ import annotations

import json
from pathlib import Path

from app.model import Boundary, Record
from app.opening import open_workspace
from app.pipeline import load
from app.views.describe import boundary_text, describe, raw_record, readable, record_of, size_of
from app.views.listing import items
from app.views.outlook import outlook
from app.work.rows import BlockRow
from app.work.workspace import Workspace
from tests.build import image, opaque, result, thinking, use
from tests.work.test_workspace import busy_session


def facts(work: Workspace, key: str) -> dict[str, str]:
    seen = outlook(work)
    row = next(item for item in items(seen) if isinstance(item, BlockRow) and item.key == key)
    return {fact.label: fact.text for fact in describe(row, seen).facts}


def test_a_row_says_why_and_what_each_stage_would_do() -> None:
    work = Workspace(busy_session(), load("react-mini"), exact=False)
    before = facts(work, "m3/0")
    assert before["why regenerable"]
    assert before["1 tool_result_budget"].startswith("would be cut, 2,041 to ")
    assert before["2 microcompact"].startswith("would be cleared, ")
    work.advance()
    assert facts(work, "m3/0")["1 tool_result_budget"].startswith("was cut, 2,041 to ")


def test_pins_and_protection_are_told() -> None:
    work = Workspace(busy_session(), load("react-mini"), exact=False)
    work.pin(["m3/0"])
    pinned = facts(work, "m3/0")
    assert pinned["pinned"] == "by you: no stage touches it"
    assert pinned["stages"] == "none of react-mini changes it"


def test_a_record_is_named_with_its_line_and_what_else_it_holds(tmp_path: Path) -> None:
    message = {"role": "user", "content": "hello", "slug": "x", "gitBranch": "main"}
    file = tmp_path / "chat.jsonl"
    answer = {"role": "assistant", "content": "ok"}
    file.write_text(f"{json.dumps(message)}\n{{broken at  this\n{json.dumps(answer)}")
    work = open_workspace(str(file), pipeline="react-mini", exact=False).workspace
    seen = outlook(work)
    first, broken, _ = items(seen)
    said = {fact.label: fact.text for fact in describe(first, seen).facts}
    assert said["record"].startswith("line 1, ") and said["also kept"] == "slug, gitBranch"
    assert size_of(first, work.session) == len(json.dumps(message))
    assert raw_record(first, work.session) == json.dumps(message, indent=2)
    assert isinstance(broken, Record) and record_of(broken) == 1
    assert describe(broken, seen).text == raw_record(broken, work.session) == "{broken at  this"
    assert describe(broken, seen).heading == "line 2 cannot be read"


def test_what_is_no_text_is_told_in_words() -> None:
    call = use("r1", "Edit", {"file_path": "a.py", "old": "x\ny", "all": True, "at": [1, 2]})
    assert readable(call) == "file_path: a.py\nold:\nx\ny\nall: true\nat: [\n  1,\n  2\n]"
    assert readable(use("r1", "odd", "not json")) == "not json"
    assert readable(thinking("", signature_chars=1234)).endswith("its signature has 1,234 characters)")
    assert readable(image("iVBORw0KGgo=")) == "(image: image/png, 12 B of base64)"
    assert (
        readable(image("https://example.org/a.png", media_type="")) == "(image at https://example.org/a.png)"
    )
    assert readable(result("r1")) == "(no content)"
    assert readable(result("r1", "a\n", image())) == "a\n\n(image: image/png, 12 B of base64)"
    assert readable(opaque("fancy", '{"a":1}')) == '(fancy)\n{\n  "a": 1\n}'


def test_a_compaction_is_one_line() -> None:
    boundary = Boundary("b", "auto", "snip", tokens_before=150_000, tokens_after=20_000, removed=31)
    assert boundary_text(boundary) == "compaction, auto, snip, 150,000 to 20,000 tokens, 31 messages removed"
    still = Boundary("b", "time", hides=False)
    assert boundary_text(still) == "compaction, time, nothing before it is hidden"
