"""The long sample session has what every stage of every preset needs to fire, and tells a true story."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.tokens.encode import encoder
from tests.plain_session import SAMPLES, Session, at, blocks, results, text_of, texts_of, uses

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def long() -> Session:
    return Session(SAMPLES / "claude-code-long.jsonl")


def test_long_is_long(long: Session) -> None:
    assert (SAMPLES / "claude-code-long.jsonl").stat().st_size <= 3_000_000
    assert len(long.messages) > 100
    assert at(long.live[-1]["timestamp"]) - at(long.live[0]["timestamp"]) > timedelta(hours=2)
    count = encoder().count
    tokens = sum(count(text) or 0 for record in long.live for text in texts_of(record))
    assert 130_000 <= tokens <= 140_000


def test_long_has_one_earlier_compaction(long: Session) -> None:
    boundaries = [record for record in long.records if record.get("subtype") == "compact_boundary"]
    assert [record["uuid"] for record in boundaries] == [long.live[0]["uuid"]]
    assert boundaries[0]["parentUuid"] is None
    assert boundaries[0]["logicalParentUuid"] in long.by_uuid
    assert long.live[1]["isCompactSummary"]
    before = long.records[: long.records.index(boundaries[0])]
    assert 10 < sum(record["type"] in ("user", "assistant") for record in before) < len(long.live) / 4


def test_long_ends_with_a_huge_batch(long: Session) -> None:
    sizes = [len(text_of(block)) for record in long.messages[-1] for block in results(record)]
    assert len(sizes) == 6
    assert min(sizes) > 30_000
    assert sum(sizes) > 200_000
    assert long.records[-1]["type"] == "atis-latch", "rows that are no messages may follow the last one"


def test_long_reports_a_context_that_follows_its_texts(long: Session) -> None:
    sizes = [size for _, size, _ in long.contexts]
    outputs = [output for _, _, output in long.contexts]
    assert all(later >= size + output for size, output, later in zip(sizes, outputs, sizes[1:], strict=False))
    assert 100_000 < sizes[-1] < 115_000, (
        "the agent compacts before the next prompt when the rest does not fit"
    )
    between = [
        text
        for message in long.messages[2:-1]
        if message[0]["type"] == "user"
        for record in message
        for block in blocks(record)
        for text in (text_of(block),)
    ]
    counted = sum(encoder().count(text) or 0 for text in between)
    grown = sizes[-1] - sizes[0] - sum(outputs[:-1])
    assert 1.05 < grown / counted < 1.30


def test_long_has_large_results_behind_a_hundred_thousand_tokens(long: Session) -> None:
    opened = next(time for time, size, _ in long.contexts if size >= 100_000)
    large = [
        (record["timestamp"], long.names[block["tool_use_id"]][0])
        for record in long.live
        for block in results(record)
        if len(text_of(block)) > 8192
    ]
    seen = [sum(time > stamp for time, _, _ in long.contexts) for stamp, _ in large if stamp > opened]
    assert sum(views >= 4 for views in seen) >= 2, "they are cut before the fourth time"
    assert sum(stamp < opened for stamp, _ in large) >= 4, "and these are frozen"


def test_long_pairs_every_call_with_one_result(long: Session) -> None:
    answered = [block["tool_use_id"] for record in long.live for block in results(record)]
    assert len(answered) == len(set(answered))
    assert set(answered) == set(long.names)


def test_long_reads_show_the_file_as_it_is(long: Session) -> None:
    reads: dict[tuple[str, Any], list[str]] = {}
    for record in long.live:
        for block in results(record):
            name, asked = long.names[block["tool_use_id"]]
            if name != "Read" or not isinstance(block["content"], str):
                continue
            file = record["toolUseResult"]["file"]
            lines = [line.split("\t", 1) for line in block["content"].split("\n")]
            assert [int(number) for number, _ in lines] == list(
                range(file["startLine"], file["startLine"] + len(lines))
            )
            assert "\n".join(line for _, line in lines) == file["content"]
            reads.setdefault((asked["file_path"], asked.get("offset")), []).append(block["content"])
    again = {path.rsplit("/", 1)[1]: texts for (path, _), texts in reads.items() if len(texts) > 1}
    assert [name for name, texts in sorted(again.items()) if len(set(texts)) < len(texts)] == [
        "green-tea.md",
        "lanterns.md",
        "login.py",
        "prices.md",
        "rounding.py",
    ]
    assert [name for name, texts in sorted(again.items()) if len(set(texts)) > 1] == [
        "app.py",
        "checkout.py",
        "currencies.py",
        "login.py",
        "receipt.py",
    ]
    assert len(again["rounding.py"][0]) < 4000, "one that no limit on results touches"


def test_long_edits_change_what_they_say(long: Session) -> None:
    for record in long.live:
        twin = record.get("toolUseResult")
        if isinstance(twin, dict) and "oldString" in twin:
            after = twin["originalFile"].replace(twin["oldString"], twin["newString"])
            old = twin["originalFile"].split("\n")
            for hunk in twin["structuredPatch"]:
                start = hunk["oldStart"] - 1
                new = [line[1:] for line in hunk["lines"] if line[0] != "-"]
                old[start : start + hunk["oldLines"]] = new
                assert len(new) == hunk["newLines"]
            assert "\n".join(old) == after


def test_long_has_failures_that_later_worked(long: Session) -> None:
    outcomes: dict[str, list[bool]] = {}
    for record in long.live:
        for block in results(record):
            name, asked = long.names[block["tool_use_id"]]
            outcomes.setdefault(f"{name} {asked.get('command', asked.get('file_path'))}", []).append(
                bool(block.get("is_error"))
            )
    retried = [key for key, failed in outcomes.items() if any(failed) and not failed[-1]]
    assert {key.split()[0] for key in retried} == {"Bash", "Edit"}
    assert len(retried) >= 3
    assert outcomes["Bash pytest -q tests/test_redirect.py"] == [True]


def test_long_has_pictures_and_they_are_pictures(long: Session) -> None:
    pasted = [block for record in long.live for block in blocks(record) if block["type"] == "image"]
    read = [
        part
        for record in long.live
        for block in results(record)
        if isinstance(block["content"], list)
        for part in block["content"]
        if part["type"] == "image"
    ]
    assert (len(pasted), len(read)) == (1, 1)
    assert all(base64.b64decode(image["source"]["data"]).startswith(PNG) for image in pasted + read)


def test_long_uses_every_tool_that_matters(long: Session) -> None:
    used = {name for name, _ in long.names.values()}
    assert used >= {
        "Read",
        "Write",
        "Edit",
        "Bash",
        "Grep",
        "Glob",
        "WebFetch",
        "AskUserQuestion",
        "Skill",
        "Agent",
    }
    assert any(str(asked.get("file_path")).endswith("/CLAUDE.md") for _, asked in long.names.values())
    answer = next(
        text_of(block)
        for record in long.live
        for block in results(record)
        if long.names[block["tool_use_id"]][0] == "AskUserQuestion"
    )
    assert "never write the target into a log" in answer
    inputs = sum(len(text_of(block)) for record in long.live for block in uses(record))
    assert inputs > 45_000, "what a stage for results cannot touch must be more than its threshold leaves"


def test_long_keeps_the_persons_words(long: Session) -> None:
    said = " ".join(long.prompts(long.live))
    for wish in (
        "不要改公共接口",
        "收据上也要显示舍入差额",
        "Do not change the public API",
        "change nothing",
    ):
        assert wish in said
    off = [
        record
        for record in long.talk
        if record["timestamp"] > long.live[0]["timestamp"] and record not in long.live
    ]
    assert long.prompts(off) == ["Add a box 'stay logged in for 30 days' to the form."], (
        "the branch taken back"
    )


def test_long_has_the_rows_that_are_no_messages(long: Session) -> None:
    kinds = {record["type"] for record in long.records}
    assert kinds >= {
        "progress",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "ai-title",
        "queue-operation",
    }
    parents = {record["parentUuid"] for record in long.live if record["type"] in ("user", "assistant")}
    assert parents & {record["uuid"] for record in long.live if record["type"] == "progress"}
    attached = {record["attachment"]["type"] for record in long.live if record["type"] == "attachment"}
    assert attached >= {"file", "nested_memory", "queued_command", "skill_listing", "date"}
    thinking = [block for record in long.live for block in blocks(record) if block["type"] == "thinking"]
    assert len(thinking) > 20
    assert all(block["thinking"] == "" and len(block["signature"]) >= 200 for block in thinking)


def test_long_has_its_side_files(long: Session) -> None:
    side = SAMPLES / "claude-code-long"
    twins = [record["toolUseResult"] for record in long.live if isinstance(record.get("toolUseResult"), dict)]
    agent = next(twin["agentId"] for twin in twins if "agentId" in twin)
    lines = (side / f"subagents/agent-{agent}.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["agentId"] for line in lines if '"uuid"' in line} == {agent}
    saved = next(twin for twin in twins if "persistedOutputPath" in twin)
    assert (side / "tool-results" / Path(saved["persistedOutputPath"]).name).stat().st_size == saved[
        "persistedOutputSize"
    ]
