"""What holds of every stage on every sample: nothing but what it says it changed, and twice is once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from app.compactability import compacted_form
from app.formats import open_session
from app.model import Block, Image, SendStatus, Session, ToolResult, ToolUse, blocks_of
from app.pipeline import load, preset_names
from app.refusal import Refusal
from app.stages import STAGES
from app.stages.base import ChangeKind, Context, Messages, Stage, StageResult, run_stage
from app.stages.protection import protected
from app.summarizers import Summaries
from app.tokens import estimator
from app.work.checks import CheckLevel, check_pairs, words_gone

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
CASES = Path(__file__).parents[1] / "data" / "cases"
TRAPS = ("011", "013", "017", "039", "110", "112", "114", "116", "120", "122", "140")
"""Small files that broke other tools: pairs, thinking, answers, one endless turn, short results ..."""
FILES = {
    path.name: path
    for path in (*sorted(SAMPLES.glob("*.json*")), *sorted(CASES.glob("[01]*.json*")))
    if path.parent == SAMPLES or (path.name.startswith(TRAPS) and ".expect." not in path.name)
}

SETTINGS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "tool_result_budget": (
        {"max_result_chars": 300},
        {"action": "save", "save_over_chars": 600},
        {"scope": "last-batch", "action": "save", "max_batch_chars": 100, "save_over_chars": 100}
        | {"preview": "head", "preview_chars": 50},
    ),
    "microcompact": (
        {"when": "always", "keep_recent": 2, "min_chars": 0, "tools": "*"},
        {"when": "always", "keep_recent": 0, "save_before_clear": True},
        {"when": "interval", "interval_seconds": 60.0, "skip_compacted": True, "skip_unseen": True},
        {"when": "over-tokens", "trigger_tokens": 10, "keep_recent": 1, "min_chars": 0, "tools": "*"}
        | {"placeholder": "[cleared]", "exclude_tools": "Bash", "clear_at_least": 5},
    ),
    "result_gate": ({"open_at_tokens": 1, "max_result_chars": 400, "head_chars": 100, "tail_chars": 50},),
    "drop_superseded": (
        {"keep_recent": 0, "min_chars": 0},
        {"kinds": "old-image, long-listing", "keep_recent": 1},
    ),
    "drop_thinking": ({},),
    "fit": ({"target_chars": 3000, "preview_chars": 100},),
    "retain_tail": ({"max_total_chars": 0, "max_messages": 6},),
    "snip": (
        {"max_messages": 8},
        {"max_messages": 5, "head_messages": 1, "keep_pairs": False, "marker_counts": True},
    ),
    "summarize": (
        {"when": "always", "source": "memory", "max_tail_tokens": 800, "keep_messages": 2}
        | {"min_messages": 1, "counts": "blocks", "save_transcript": True},
        {"when": "always", "source": "structured", "min_messages": 0, "keep_first_user": True},
        {"when": "always", "source": "hand", "min_messages": 0, "keep_messages": 4, "with_request": True},
        {"when": "always", "source": "hand", "min_messages": 0, "keep_messages": 0},
        {"when": "over-count", "source": "hand", "min_messages": 6, "keep_messages": 3, "counts": "blocks"}
        | {"keep_first_user": True, "min_progress": 0.1},
    ),
    "recover": (
        {"source": "structured", "counts": "blocks", "window_tokens": 2000},
        {"full_first": False, "window_tokens": 500, "ratios": "0.3", "floor_messages": 1},
    ),
}
"""Options with which a stage has something to do on a small session; the defaults where none are named."""

MAY_DROP_USER_WORDS = {"snip", "retain_tail", "summarize", "recover"}
SETTINGS_OF_ALL = [
    pytest.param(stage, options, id=f"{stage.name}-{number}")
    for stage in STAGES
    for number, options in enumerate(SETTINGS.get(stage.name, ({},)))
]


@lru_cache(maxsize=1)
def sample(name: str) -> Session:
    session, _ = open_session(str(FILES[name]))
    return session


def context(
    session: Session,
    messages: Messages,
    measure: str = "json-chars",
    files: Mapping[str, str] | None = None,
) -> Context:
    times = [message.time for message in messages if message.time is not None]
    return Context(
        estimator("rough" if measure == "tokens" else measure),
        files=files or {},
        protection=protected(messages),
        now=max(times, default=None),
        root="/saved",
        index="/saved/.task_outputs/results-new.md",
        tool_names=frozenset(b.name for _, b in blocks_of(messages) if isinstance(b, ToolUse)),
        tokens=estimator("rough"),
        cwd=session.cwd,
        summaries=Summaries(memory="Prices are in cents.", hand="The login works; the prices are next."),
        refusal=Refusal("prompt is too long"),
    )


def by_key(messages: Messages) -> dict[str, Block]:
    return {block.key: block for _, block in blocks_of(messages)}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("kind", "options"), SETTINGS_OF_ALL)
def test_a_stage_keeps_the_rules(kind: type[Stage], options: Mapping[str, Any], name: str) -> None:
    session = sample(name)
    messages, stage = session.live, kind.build(options)
    identities = [id(block) for _, block in blocks_of(messages)]
    given = context(session, messages)
    result = run_stage(stage, messages, given)

    assert [id(block) for _, block in blocks_of(messages)] == identities
    assert (result.messages is messages) == (not result.changes)
    assert result.changes or result.note
    assert check_pairs(messages, result.messages).level is CheckLevel.OK
    if kind.name not in MAY_DROP_USER_WORDS:
        assert not words_gone(messages, result.messages)
    changes_tell_all(messages, result)
    protection_holds(messages, result, given)
    nothing_grows(result, given)
    if kind.name != "recover":
        twice_is_once(stage, session, result)


LOW: Mapping[str, Any] = {
    "high_water": 0.01,
    "interval_seconds": 0,
    "max_batch_chars": 500,
    "max_messages": 8,
    "max_result_chars": 400,
    "head_chars": 80,
    "tail_chars": 40,
    "max_total_chars": 1_000,
    "min_messages": 4,
    "open_at_tokens": 0,
    "preview_chars": 100,
    "save_over_chars": 300,
    "target_share": 0,
    "trigger_tokens": 0,
    "window_tokens": 2_000,
}
"""Limits of presets under which most of their stages find something to do in a small session."""


@pytest.mark.parametrize("limits", ["usual", "low"])
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("preset", preset_names())
def test_a_preset_keeps_the_rules(preset: str, name: str, limits: str) -> None:
    session, pipeline = sample(name), load(preset)
    if limits == "low":
        known = {step.name: [option.name for option in step.stage.options()] for step in pipeline.steps}
        pipeline = pipeline.with_options({s: {o: LOW[o] for o in LOW if o in known[s]} for s in known})
    identities = [id(block) for _, block in blocks_of(session.live)]
    messages, files = session.live, dict[str, str]()
    for step in pipeline.steps:
        given = context(session, messages, pipeline.estimator, files)
        result = run_stage(step.stage, messages, given)
        assert result.changes or result.note
        assert check_pairs(messages, result.messages).level is CheckLevel.OK
        changes_tell_all(messages, result)
        protection_holds(messages, result, given)
        assert given.estimator.total(result.messages) <= given.estimator.total(messages)
        messages = result.messages
        files.update((file.path, file.text) for file in result.files)
    assert [id(block) for _, block in blocks_of(session.live)] == identities
    if preset in ("gentle", "gate-8k", "clear-tool-uses"):
        assert not words_gone(session.live, messages)
    for step in pipeline.steps:
        given = replace(context(session, messages, pipeline.estimator, files), refusal=None)
        assert run_stage(step.stage, messages, given).changes == (), f"{step.name} again"


@pytest.mark.parametrize(("kind", "options"), SETTINGS_OF_ALL)
def test_every_setting_changes_the_long_sample(kind: type[Stage], options: Mapping[str, Any]) -> None:
    session = sample("claude-code-long.jsonl")
    messages = session.live
    if kind.name == "active_context":
        here = (SendStatus.LIVE, SendStatus.BEFORE_BOUNDARY)
        messages = tuple(message for message in session.messages if message.standing in here)
    assert run_stage(kind.build(options), messages, context(session, messages)).changes


def changes_tell_all(messages: Messages, result: StageResult) -> None:
    before, after = by_key(messages), by_key(result.messages)
    told = {change.key: change for change in result.changes}
    assert len(told) == len(result.changes)
    differs = {key for key in before.keys() | after.keys() if before.get(key) is not after.get(key)}
    assert differs == told.keys()
    for key, change in told.items():
        assert change.reason
        assert change.before is before.get(key) and change.after is after.get(key)
        if isinstance(change.after, ToolResult) and isinstance(change.before, ToolResult):
            fewer_pictures = pictures(change.after) < pictures(change.before)
            assert compacted_form(change.after) or (change.kind is ChangeKind.CUT and fewer_pictures)


def pictures(result: ToolResult) -> int:
    return sum(isinstance(part, Image) for part in result.parts)


def protection_holds(messages: Messages, result: StageResult, given: Context) -> None:
    before, after = by_key(messages), by_key(result.messages)
    for key in given.protection.text:
        assert after.get(key) is before[key]
    assert given.protection.place.keys() <= after.keys()


def nothing_grows(result: StageResult, given: Context) -> None:
    for change in result.changes:
        if change.before is not None and change.after is not None:
            assert given.estimator.block(change.after) < given.estimator.block(change.before)
    assert len({file.path for file in result.files}) == len(result.files)


def twice_is_once(stage: Stage, session: Session, result: StageResult) -> None:
    planned = {file.path: file.text for file in result.files}
    again = run_stage(stage, result.messages, replace(context(session, result.messages), files=planned))
    assert again.changes == ()
    assert again.messages is result.messages
