"""Facts that go although the rest speaks of them are found and ranked; what is still known is not named."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from app.edits.drop import Drop
from app.model import Author, Held, Message, Role, Text, ToolResult, ToolUse, blocks_of
from app.opening import open_workspace
from app.views import lost
from app.views.lost import Losses, losses
from app.work.workspace import Workspace
from tests.formats.claude_code.records import assistant, lines, result, use, user

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "claude-code-long.jsonl"


def said(key: str, text: str, role: Role = Role.ASSISTANT) -> Message:
    author = Author.ASSISTANT if role is Role.ASSISTANT else Author.USER
    return Message(key, role, (Text(f"{key}/0", Held(text), author),))


def told(goes: str, stays: str) -> Losses:
    """What is lost when one text goes and another stays."""
    return losses((said("a", goes), said("b", stays)), (said("b", stays),))


def texts(found: Losses) -> list[str]:
    return [fact.text for fact in found.facts]


@pytest.mark.parametrize(
    ("goes", "stays", "fact"),
    [
        ("see src/auth/session.py", "The bug is in session.py", "src/auth/session.py"),
        ("retry_budget = 17", "retry_budget is too small", "retry_budget = 17"),
        ("export SESSION_TTL=86400", "SESSION_TTL must be longer", "SESSION_TTL = 86400"),
        ("  timeout_seconds: int = 30", "raise timeout_seconds", "timeout_seconds = 30"),
        (
            '"api_base": "https://eu.example.test/v2"',
            "api_base was wrong",
            "api_base = https://eu.example.test/v2",
        ),
        ("KeyError: 'next_url'", "the redirect lost next_url", "KeyError: 'next_url'"),
        ("E   LookupError: no such row", "the LookupError is back", "LookupError: no such row"),
        (
            "FAILED tests/test_a.py::test_round - assert 1 == 2",
            "test_round still fails",
            "FAILED tests/test_a.py::test_round - assert 1 == 2",
        ),
        ("error[E0382]: borrow of moved value", "that is E0382 again", "error[E0382]: borrow of moved value"),
        (
            "https://docs.example.test/api/limits",
            "docs.example.test tells the limits",
            "https://docs.example.test/api/limits",
        ),
        ("commit 4f2a9c1de077b3a1", "reverted 4f2a9c1", "4f2a9c1de077b3a1"),
        ("listening on port 54329", "the port was taken", "port 54329"),
        ("in billing.tax.compute_vat(x)", "compute_vat rounds twice", "billing.tax.compute_vat"),
        ("def settle_window_days():", "the settle window days are wrong", "settle_window_days"),
    ],
)
def test_what_is_spoken_of_and_told_nowhere_is_lost(goes: str, stays: str, fact: str) -> None:
    found = told(goes, stays)
    assert fact in texts(found), texts(found)
    first = found.facts[texts(found).index(fact)]
    assert first.places == ("a/0",) and first.mentioned == "b/0" and first.mentions >= 1


@pytest.mark.parametrize(
    ("goes", "stays"),
    [
        ("see src/auth/session.py", "The bug is in src/auth/session.py"),
        ("see src/auth/session.py", "It is in auth/session.py, line 3: session.py"),
        ("see src/auth/session.py", "nothing is said of it"),
        ("retry_budget = 17", "retry_budget = 17 is too small"),
        ("retry_budget = 17", "set retry_budget: 17"),
        ("LookupError: no such row", "LookupError came with: no such row"),
        ("https://docs.example.test/api/limits", "docs.example.test: https://docs.example.test/api/limits/"),
        ("commit 4f2a9c1de077b3a1", "reverted 4f2a9c1 (4f2a9c1de077b3a1)"),
        ("line: 12, count: 3, name: x", "the line and the count and the name"),
        ("a = 1\nb = 2\nx = 10", "a and b and x"),
        ("the quick brown fox, 2026", "the fox of 2026"),
        ("src/__init__.py", "__init__.py"),
        ("", "nothing"),
        ("[/x] \x1b[2J \ud800", "[/x]"),
    ],
)
def test_what_is_known_or_not_spoken_of_is_not_named(goes: str, stays: str) -> None:
    assert texts(told(goes, stays)) == []


def test_what_is_spoken_of_more_comes_first_and_what_is_one_of_many_last() -> None:
    many = "\n".join(f"pool_size_{n} = 1{n}\nworker = {n}{n}\nworker_count = {n}77" for n in range(1, 9))
    found = told(
        f"retry_budget = 17\nrare_limit = 99\n{many}",
        "retry_budget! retry_budget again, retry_budget. rare_limit once. worker_count.",
    )
    assert texts(found)[:2] == ["retry_budget = 17", "rare_limit = 99"]
    assert {fact.text for fact in found.facts[2:]} == {f"worker_count = {n}77" for n in range(1, 9)}


def test_a_call_whose_result_went_speaks_of_it() -> None:
    def answer(text: str) -> Message:
        part = Text("r/0/0", Held(text), Author.INJECTED)
        return Message("r", Role.USER, (ToolResult("r/0", "t1", (part,)),))

    asked = ToolUse("c/0", "t1", "Bash", Held('{"command": "grep retry_budget x"}'))
    call = Message("c", Role.ASSISTANT, (asked,))
    found = losses((call, answer("retry_budget = 17")), (call, answer("[cleared]")))
    assert texts(found) == ["retry_budget = 17"] and found.facts[0].places == ("r/0",)


PLANTED = {
    "src/ledger/export/quarter.py": "quarter.py",
    "settle_window_ms = 48213": "settle_window_ms",
    "PostingError: account 7731-04 is frozen": "PostingError",
    "https://status.example.test/incidents/INC-20931": "INC-20931",
    "9c41d7e2b60fa3385d11": "9c41d7e",
}


def planted(tmp_path: Path) -> Path:
    """The long sample with facts in an early result, and words of them in the last reply."""
    records = [json.loads(line) for line in SAMPLE.read_bytes().split(b"\n") if line]
    results = [
        block
        for record in records
        if record["type"] == "user" and isinstance(record["message"]["content"], list)
        for block in record["message"]["content"]
        if block["type"] == "tool_result" and isinstance(block["content"], str)
    ]
    long = next(block for block in results[5:] if len(block["content"]) > 8000)
    middle = len(long["content"]) // 2
    long["content"] = "\n".join([long["content"][:middle], *PLANTED, long["content"][middle:]])
    last = next(
        block
        for record in reversed(records)
        if record["type"] == "assistant"
        for block in record["message"]["content"]
        if block["type"] == "text"
    )
    last["text"] += " Next: " + ", then ".join(PLANTED.values()) + "."
    file = tmp_path / "planted.jsonl"
    file.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    return file


@pytest.mark.parametrize("pipeline", ["react-mini", "layered"])
def test_planted_facts_are_the_first_that_are_named(tmp_path: Path, pipeline: str) -> None:
    workspace = open_workspace(str(planted(tmp_path)), pipeline=pipeline, exact=False).workspace
    workspace.run_all()
    began = time.perf_counter()
    found = losses(workspace.session.live, workspace.messages, workspace.judgements)
    assert time.perf_counter() - began < 10
    first = texts(found)[:8]
    assert all(any(fact in text for text in first) for fact in PLANTED), first
    assert len(found.facts) < 30 and found.looked == found.total


def test_without_a_step_nothing_is_lost() -> None:
    workspace = open_workspace(str(SAMPLE), pipeline="gentle", exact=False).workspace
    assert losses(workspace.session.live, workspace.messages) == Losses()


def test_what_was_pinned_is_not_lost_any_more(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(
        lines(
            user(1, None, "Why?"),
            assistant(2, 1, [use("a", file_path="a.py")]),
            user(3, 2, [result("a", "retry_budget = 17\n" + "a line of a file\n" * 900)]),
            assistant(4, 3, "retry_budget is too small."),
            user(5, 4, "And?"),
            assistant(6, 5, "Wait."),
        )
    )
    workspace = open_workspace(str(file), pipeline="react-mini", exact=False).workspace
    key = next(b.key for _, b in blocks_of(workspace.session.live) if isinstance(b, ToolResult))
    workspace.edit(Drop(keys=(key,)))
    assert texts(found_in(workspace)) == ["retry_budget = 17"]
    workspace.pin([key])
    assert texts(found_in(workspace)) == []


def found_in(workspace: Workspace) -> Losses:
    return losses(workspace.session.live, workspace.messages, workspace.judgements)


def test_it_is_bounded_and_can_be_stopped() -> None:
    many = tuple(said(f"m{n}", f"budget_{n % 50} = {n}\n" * 400) for n in range(200))
    rest = said("z", "budget_48 budget_49")
    found = losses((*many, rest), (rest,), most_chars=100_000)
    assert found.looked < 120_000 < found.total and found.facts
    assert losses((*many, rest), (rest,), stop=lambda: True) == Losses((), 0, found.total)


def test_where_too_much_stays_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not read could hold the fact."""
    monkeypatch.setattr(lost, "MOST_STAYS", 10)
    assert told("retry_budget = 17", "retry_budget is too small") == Losses((), 0, 42)


@pytest.mark.slow
def test_it_is_linear() -> None:
    seconds = []
    for size in (200, 400, 800):
        many = tuple(said(f"m{n}", f"name_{n} = {n}77 in src/a{n}/b{n}.py\n" * 60) for n in range(size))
        rest = said("z", " ".join(f"name_{n} b{n}.py" for n in range(size)))
        began = time.perf_counter()
        losses((*many, rest), (rest,), most_chars=10**9)
        seconds.append(time.perf_counter() - began)
    assert seconds[2] < 8 * seconds[0] + 0.5
