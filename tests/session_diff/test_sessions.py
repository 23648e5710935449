"""Two sessions held against each other: what pairs, what changed, and what the lines say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.formats import detect, open_session
from app.formats.source import BytesSource
from app.model import Session
from app.session_diff.lines import contrast_lines
from app.session_diff.sessions import Contrast, Fate, block_rows, contrast, contrast_json
from app.tokens import token_estimator
from app.tokens.counter import Counter
from tests.plain_messages import call_turn, reading_turns

SAMPLES = Path(__file__).parents[2] / "sample_sessions"


def counter() -> Counter:
    rough = token_estimator(None, exact=False)
    return Counter(rough, rough)


def anthropic(messages: list[dict[str, Any]]) -> Session:
    source = BytesSource(json.dumps({"model": "claude-sonnet-4-5", "messages": messages}).encode(), "a.json")
    return detect(source).read(source)


def fates(found: Contrast) -> list[tuple[Fate, str]]:
    return [(row.fate, str(row.side.message.role)) for row in found.rows]


def lines(found: Contrast, *, brief: bool = False, full: bool = False) -> str:
    return "\n".join(line.text for line in contrast_lines(found, counter(), brief=brief, full=full))


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.json*")), ids=lambda path: path.name)
def test_every_sample_is_the_same_as_itself(sample: Path) -> None:
    found = contrast(open_session(sample)[0], open_session(sample)[0])
    assert found.is_same and len(found.rows) == len(found.before.live)
    assert "the same: both send" in lines(found)


def test_messages_pair_by_call_ids_where_keys_are_places_in_a_file() -> None:
    turns = reading_turns(3)
    changed = json.loads(json.dumps(turns))
    changed[0]["content"] = "Quite another question, which moves every place in the file?"
    changed[2]["content"][0]["content"] = "[cleared]"
    found = contrast(anthropic(turns), anthropic(changed))
    assert [row.fate for row in found.rows] == [Fate.CHANGED, Fate.KEPT, Fate.CHANGED, *[Fate.KEPT] * 9]
    text = lines(found)
    assert "+ [cleared]" in text and "- line of a file" in text and "tool_result Read src/f0.py" in text
    assert text.endswith("kept 10, changed 2, gone 0, added 0  " + text.rsplit("added 0  ", 1)[1])


def test_what_is_gone_and_what_is_added_stand_in_their_places() -> None:
    turns = reading_turns(3)
    note = {"role": "user", "content": "[4 messages removed]"}
    found = contrast(anthropic(turns), anthropic([*turns[:4], note, *turns[9:]]))
    fate = [row.fate for row in found.rows]
    assert fate == [*[Fate.KEPT] * 4, *[Fate.GONE] * 5, Fate.ADDED, *[Fate.KEPT] * 3] or fate == [
        *[Fate.KEPT] * 4,
        Fate.CHANGED,
        *[Fate.GONE] * 4,
        *[Fate.KEPT] * 3,
    ]
    assert not found.is_same and found.count(Fate.GONE) >= 4


def test_what_moved_is_gone_and_added() -> None:
    one, two = (
        call_turn(1, "Read", {"file_path": "a"}, "alpha"),
        call_turn(2, "Bash", {"command": "b"}, "beta"),
    )
    found = contrast(anthropic([*one, *two]), anthropic([*two, *one]))
    assert found.count(Fate.KEPT) == 4 and found.count(Fate.GONE) == found.count(Fate.ADDED) == 4


def test_only_the_blocks_that_differ_are_told() -> None:
    before = [{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}]
    after = [{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "2"}]}]
    (row,) = contrast(anthropic(before), anthropic(after)).rows
    (block,) = block_rows(row)
    diff = block.diff()
    assert (diff.removed, diff.added) == (1, 1)


def test_the_json_tells_the_lines_and_the_places() -> None:
    turns = reading_turns(2)
    changed = json.loads(json.dumps(turns))
    changed[2]["content"][0]["content"] = "[cleared]"
    found = contrast(anthropic(turns), anthropic(changed))
    told = contrast_json(found, counter(), full=False)
    assert (told["same"], told["kept"], told["changed"], told["gone"], told["added"]) == (False, 7, 1, 0, 0)
    (row,) = [row for row in told["messages"] if row["fate"] == "changed"]
    assert row["before"]["message"] == row["after"]["message"] == 2
    assert row["before"]["tokens"] > row["after"]["tokens"]
    (block,) = row["blocks"]
    assert block["kind"] == "tool_result" and block["lines_removed"] == 401 and block["lines_added"] == 1
    assert {"sign": "+", "text": "[cleared]", "folded": 0} in block["lines"]
    assert sum(line["folded"] or 1 for line in block["lines"]) == 402
    assert told["tokens_before"] - told["tokens_after"] == row["before"]["tokens"] - row["after"]["tokens"]


def test_nothing_is_folded_where_all_is_asked_for() -> None:
    turns = reading_turns(2)
    changed = json.loads(json.dumps(turns))
    changed[2]["content"][0]["content"] = "[cleared]"
    found = contrast(anthropic(turns), anthropic(changed))
    assert lines(found, full=True).count("- line of a file") == 400
    assert "more" not in lines(found, full=True) and "394" not in lines(found, brief=True)
    assert "line of a file" not in lines(found, brief=True)


def test_all_that_only_one_session_has_is_gone_or_added() -> None:
    turns = reading_turns(1)
    assert contrast(anthropic(turns), anthropic(turns[:1])).count(Fate.GONE) == 3
    assert contrast(anthropic(turns[:1]), anthropic(turns)).count(Fate.ADDED) == 3
