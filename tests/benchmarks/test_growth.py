"""Twice the session is twice the work and no more: operations are counted, not seconds.

One test, at least, for each budget that can be counted; `python -m tests.benchmarks` measures the others.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest

from app import opening
from app.compactability import classify
from app.diff import text_rows
from app.edits.drop import Drop
from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.formats import FORMATS, lenient_json, open_session, store
from app.formats.claude_code import ClaudeCode
from app.formats.lenient_json import parse_record
from app.formats.source import BytesSource, FileSource, Source
from app.model import Session, blocks_of
from app.opening import open_workspace
from app.pipeline import load, preset_names
from app.stages import STAGES, stage_named
from app.stages.base import Context, Stage, run_stage
from app.stages.protection import protected
from app.stages.summarize import Summarize
from app.tokens import token_estimator
from app.tokens.encode import encoder, keep_counts
from app.views.report import report
from app.work.rows import block_rows
from app.work.workspace import Workspace
from tests.benchmarks.conversations import long_conversation, long_session
from tests.benchmarks.made import SHAPES, make

LONG = Path(__file__).parents[2] / "sample_sessions" / "claude-code-long.jsonl"
SMALL, LARGE = 400, 800
TWICE = 2.35
"""What may come of twice the input: sorting, and what a round number of turns leaves over."""


def calls(work: Callable[[], object]) -> int:
    """How many Python functions are called while `work` is done."""
    count = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def grows(work: Callable[[int], Callable[[], object]]) -> float:
    """The calls for a large input by those for one of half the size."""
    small, large = work(SMALL), work(LARGE)
    # What is worked out once, for all or for a conversation, is not counted.
    small()
    large()
    return calls(large) / max(calls(small), 200)


def made(folder: Path, shape: str, megabytes: float) -> Path:
    ending = "json" if shape == "openai" else "jsonl"
    return make(folder / f"{shape}-{megabytes}.{ending}", shape, megabytes)


# Reading


@pytest.mark.parametrize("shape", ["claude", "codex"])
def test_each_record_is_parsed_once_when_a_file_is_read(
    tmp_path: Path, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = 0
    real = lenient_json.decode_fast

    def counting(raw: bytes) -> object:
        nonlocal parsed
        parsed += 1
        return real(raw)

    file = made(tmp_path, shape, 0.5)
    kind = next(known for known in FORMATS if known.name.startswith(shape))
    monkeypatch.setattr("app.formats.lines.decode_fast", counting)
    with FileSource(file) as source:
        session = kind.read(source)
        assert parsed == len(session.records)


@pytest.mark.parametrize("shape", list(SHAPES))
def test_reading_twice_the_file_is_twice_the_work(tmp_path: Path, shape: str) -> None:
    small, large = made(tmp_path, shape, 0.4), made(tmp_path, shape, 0.8)
    open_session(str(small))
    share = large.stat().st_size / small.stat().st_size
    assert calls(lambda: open_session(str(large))) < share * 1.4 * calls(lambda: open_session(str(small)))


@pytest.mark.parametrize("shape", ["claude", "codex"])
def test_an_open_session_holds_no_texts(tmp_path: Path, shape: str) -> None:
    file = made(tmp_path, shape, 2)
    open_session(str(file))
    tracemalloc.start()
    session, _ = open_session(str(file))
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert session.messages
    assert held < 0.4 * file.stat().st_size and peak < held + 6_000_000


def test_the_first_rows_cost_the_same_however_large_the_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "LARGE_BYTES", 1_000_000)
    asked: list[int] = []
    real = FileSource.read

    def counting(source: FileSource, offset: int, length: int) -> bytes:
        found = real(source, offset, length)
        asked.append(len(found))
        return found

    monkeypatch.setattr(FileSource, "read", counting)
    costs = []
    for megabytes in (1.5, 3):
        asked.clear()
        assert opening.open_head(str(made(tmp_path, "claude", megabytes)), "gentle") is not None
        costs.append(sum(asked))
    assert costs[0] == costs[1] < 2_500_000


# Counting


@pytest.mark.parametrize("known", [False, True])
def test_what_the_vocabulary_takes_for_a_moment_is_free_again_before_a_large_session_is_read(
    known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    read = ClaudeCode.read

    def noted(self: ClaudeCode, source: Source, leaf: str | None = None) -> Session:
        order.append("head" if isinstance(source, BytesSource) else "read")
        return read(self, source, leaf)

    keep_counts(tmp_path)
    # What other tests counted would not be written down.
    monkeypatch.setattr(encoder(), "_known", {})
    if known:
        open_workspace(str(LONG), pipeline="gentle").workspace.count_all()
    monkeypatch.setattr(encoder(), "_known", {})
    monkeypatch.setattr(encoder(), "load", lambda: order.append("vocabulary"))
    monkeypatch.setattr(opening, "LARGE_BYTES", 1 << 20)
    monkeypatch.setattr(ClaudeCode, "read", noted)
    open_workspace(str(LONG), pipeline="gentle")
    assert order == (["head", "read"] if known else ["head", "vocabulary", "read"])
    order.clear()
    open_workspace(str(LONG), pipeline="gentle", exact=False)
    open_workspace(str(LONG), pipeline="gentle", counts_soon=False)
    assert order == ["read", "read"]


def test_after_a_stage_only_what_it_changed_is_encoded(tmp_path: Path) -> None:
    workspace = open_workspace(str(made(tmp_path, "claude", 0.3)), pipeline="react-mini").workspace
    workspace.count_all()
    before = encoder().calls
    workspace.run_all()
    workspace.count_all()
    assert 0 < encoder().calls - before <= len(workspace.changes)
    before = encoder().calls
    workspace.back()
    workspace.count_all()
    assert encoder().calls == before


def test_each_record_is_decoded_once_for_all_that_is_counted_of_its_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make = store.RecordStore.__init__

    def small(records: store.RecordStore, source: Source, cache_bytes: int = 0) -> None:
        make(records, source, 100_000)

    monkeypatch.setattr(store.RecordStore, "__init__", small)
    workspace = open_workspace(str(LONG), pipeline="gentle").workspace
    assert workspace.rows
    decoded: list[bytes] = []

    def parse(raw: bytes) -> object:
        decoded.append(raw)
        return parse_record(raw)

    monkeypatch.setattr("app.formats.store.parse_record", parse)
    workspace.examine()
    assert workspace.secrets is not None
    assert len(decoded) == len(set(decoded)) > 100


def test_what_was_counted_before_is_counted_again_without_reading_a_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(_: store.Stored) -> str:
        raise AssertionError("a text was read although all of it was known")

    path = str(made(tmp_path, "claude", 0.3))
    keep_counts(tmp_path)
    first = open_workspace(path, pipeline="gentle").workspace
    first.examine()
    monkeypatch.setattr(encoder(), "_known", {})
    again = open_workspace(path, pipeline="gentle").workspace
    assert again.rows
    monkeypatch.setattr(store.Stored, "read", read)
    again.examine()
    assert again.counted_share == 1.0 and again.secrets == first.secrets
    assert again.tokens(again.session.messages) == first.tokens(first.session.messages) > 0


def test_rough_figures_read_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = open_workspace(str(made(tmp_path, "claude", 0.3)), pipeline="gentle", exact=False).workspace

    def read(_: store.Stored) -> str:
        raise AssertionError("a text was read for a rough figure")

    monkeypatch.setattr(store.Stored, "read", read)
    assert workspace.tokens(workspace.session.live) > 0
    estimator = token_estimator(None, exact=False)
    assert sum(estimator.block(block) for _, block in blocks_of(workspace.session.messages)) > 0


# What is done with a session


@pytest.mark.parametrize("kind", STAGES, ids=lambda kind: kind.name)
def test_a_stage_over_twice_the_messages_is_twice_the_work(kind: type[Stage]) -> None:
    estimator = token_estimator(None, exact=False)

    def work(size: int) -> Callable[[], object]:
        messages = long_conversation(size)
        estimator.total(messages)
        context = Context(estimator=estimator, protection=protected(messages), now=2e9)
        return lambda: run_stage(kind(), messages, context)

    assert grows(work) < TWICE


@pytest.mark.parametrize("kind", STAGES, ids=lambda kind: kind.name)
def test_a_stage_that_knows_the_conversation_looks_only_at_what_it_changes(kind: type[Stage]) -> None:
    estimator = token_estimator(None, exact=False)
    messages = long_conversation(8_000)
    context = Context(estimator=estimator, protection=protected(messages), now=2e9)
    stage = kind()
    before = run_stage(stage, messages, context)
    written = sum(change.after is not None for change in before.changes)
    # A summary is made of everything, whatever is known.
    looks = 8 if kind is Summarize else 1.5
    assert calls(lambda: run_stage(stage, messages, context)) < looks * len(messages) + 80 * written


def test_what_goes_as_a_whole_makes_no_change_before_somebody_looks() -> None:
    messages = long_conversation(8_000)
    context = Context(estimator=token_estimator(None, exact=False))
    for name in ("retain_tail", "snip", "summarize"):
        context.survey(messages)
        result = run_stage(stage_named(name)(), messages, context)
        assert len(result.changes) > 7_000
        assert calls(partial(tuple, result.changes)) > 7_000, name


@pytest.mark.parametrize("preset", preset_names())
def test_a_walk_through_a_pipeline_takes_few_looks_at_each_message(preset: str) -> None:
    def walk(size: int) -> int:
        workspace = Workspace(long_session(size), load(preset), exact=False)
        workspace.tokens(workspace.session.live)
        workspace.run_all()
        return calls(lambda: workspace.messages)

    walk(SMALL)
    assert walk(2_000) < 160 * 2_000


def test_a_walk_reads_each_text_once_however_many_stages_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = open_workspace(str(made(tmp_path, "claude", 6)), pipeline="gentle", exact=False).workspace
    texts: list[store.Stored] = []
    real = store.Stored.read

    def read(stored: store.Stored) -> str:
        texts.append(stored)
        return real(stored)

    monkeypatch.setattr(store.Stored, "read", read)
    workspace.run_all()
    assert len(workspace.steps) == 4
    # Whether a result is a cut is asked before, and whether it tells of one.
    assert 5 < len(texts) <= 1.2 * len({id(text) for text in texts})


def test_verdicts_rows_and_the_report_of_twice_the_messages_are_twice_the_work() -> None:
    def judged(size: int) -> Callable[[], object]:
        messages = long_conversation(size)
        return lambda: classify(messages)

    def rows(size: int) -> Callable[[], object]:
        messages = long_conversation(size)
        judgements, protection = classify(messages), protected(messages)
        return lambda: block_rows(messages, judgements, protection)

    def reported(size: int) -> Callable[[], object]:
        session = long_session(size)
        return lambda: report(Workspace(session, load("gentle"), exact=False))

    assert max(grows(judged), grows(rows), grows(reported)) < TWICE


def test_dropping_half_of_twice_the_messages_by_hand_is_twice_the_work() -> None:
    def work(size: int) -> Callable[[], object]:
        workspace = Workspace(long_session(size), load("gentle"), exact=False)
        dropped = workspace.session.live[4 : size // 2]
        keys = tuple(block.key for message in dropped for block in message.blocks)
        assert workspace.rows

        def drop() -> None:
            assert len(workspace.try_edit(Drop(keys=keys, allow_words=True)).changes) >= len(keys)

        return drop

    assert grows(work) < TWICE


# Exporting


@pytest.mark.parametrize(("shape", "to_plan"), [("claude", 1), ("codex", 2)])
def test_an_export_is_streamed_and_decodes_each_record_once_a_step(
    tmp_path: Path, shape: str, to_plan: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of Codex all that was sent before is looked at for seals, too."""
    parsed = 0
    real = lenient_json.parse_record

    def counting(raw: bytes) -> object:
        nonlocal parsed
        parsed += 1
        return real(raw)

    opened = open_workspace(str(made(tmp_path, shape, 6)), pipeline="gentle", exact=False)
    workspace = opened.workspace
    workspace.run_all()
    assert workspace.messages
    monkeypatch.setattr("app.formats.store.parse_record", counting)
    plan = make_plan(workspace, opened.source, ExportOptions(out=tmp_path / "new", backup_dir=tmp_path))
    records = workspace.session.records
    assert parsed < 1.2 * to_plan * len(records)
    parsed = 0
    sizes = [len(piece) for piece in plan.rewriting.pieces()]
    largest = max(records[index].length for index in range(len(records)))
    assert max(sizes) < 2 * largest + 4_096 and len(sizes) > len(records) // 3
    assert parsed < 1.2 * plan.rewriting.changed + 10
    parsed = 0
    tracemalloc.start()
    write(plan, drop_user_words=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Those that changed to be written, and those that were written to be read back.
    assert parsed < 1.2 * (plan.rewriting.changed + len(sizes))
    assert peak < 6_000_000


# Comparing


def test_texts_above_the_limits_are_summed_up_and_not_compared() -> None:
    def rows(count: int) -> int:
        before = "\n".join(f"a {n}" for n in range(count))
        after = "\n".join(f"b {n}" for n in range(count))
        return len(text_rows(before, after).rows)

    assert rows(40_000) == rows(80_000) < 500
