"""What stages share of a conversation: found once, and for the next conversation only what changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from app.compactability import Call, call_of, classify
from app.model import Message, ToolResult, ToolUse
from app.opening import open_workspace
from app.pipeline import load, preset_names
from app.stages.protection import protected
from app.stages.survey import Survey, Surveys
from app.tokens import ESTIMATORS, estimator
from app.work.workspace import Workspace
from tests.benchmarks.conversations import long_session
from tests.build import assistant, conversation, result, use, user

LONG = Path(__file__).parents[2] / "sample_sessions" / "claude-code-long.jsonl"

TALK = conversation(
    user("Read both."),
    assistant(use("a", "Read", {"file_path": "a.py"}), use("b", "Read", {"file_path": "b.py"})),
    user(result("a", "x = 1\n" * 40), result("b", "y = 2\n" * 40)),
    assistant(use("c", "Read", {"file_path": "a.py"})),
    user(result("c", "x = 1\n" * 40)),
    assistant("Done."),
)


def with_other_result(messages: tuple[Message, ...], at: int) -> tuple[Message, ...]:
    """The conversation with another text in the first result of a message."""
    message = messages[at]
    first = message.blocks[0]
    assert isinstance(first, ToolResult)
    changed = replace(
        message, blocks=(result(first.tool_use_id, "short", key=first.key), *message.blocks[1:])
    )
    return (*messages[:at], changed, *messages[at + 1 :])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_size_of_the_next_conversation_follows_from_what_changed(name: str) -> None:
    measure, surveys = estimator(name), Surveys()
    after = with_other_result(TALK, 2)
    assert surveys.of(TALK).total(measure) == measure.total(TALK)
    assert surveys.of(after).total(measure) == measure.total(after) < measure.total(TALK)
    assert surveys.of(after[:-1]).total(measure) == measure.total(after[:-1])


def test_what_is_known_of_a_result_that_stays_is_taken_over() -> None:
    surveys, after = Surveys(), with_other_result(TALK, 2)
    before, now = surveys.of(TALK).answers, surveys.of(after).answers
    assert now[0] is not before[0] and now[1:] == before[1:]
    assert surveys.of(after).judgements == classify(after)
    assert surveys.of(after).protection == protected(after)


def test_a_result_whose_call_is_another_one_is_looked_at_anew() -> None:
    surveys = Surveys()
    other = (TALK[0], assistant(use("a", "Bash", {"command": "ls"}, key="m2/0"), key="m2"), *TALK[2:])
    known = surveys.of(TALK).answers
    assert surveys.of(other).answers[0].use is not known[0].use
    assert surveys.of(other).judgements == classify(other)


def test_the_same_messages_are_surveyed_once_and_others_forgotten_in_time() -> None:
    surveys = Surveys()
    first = surveys.of(TALK)
    assert surveys.of(TALK) is first and surveys.of(TALK, "/work") is not first
    for end in range(1, 4):
        surveys.of(TALK[:end])
    assert surveys.of(TALK) is first
    for end in range(1, 6):
        surveys.of(TALK[:end], "/work")
    assert surveys.of(TALK) is not first and surveys.of(TALK).results == first.results


def test_a_walk_judges_what_a_stage_left_alone_no_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def looking(use: ToolUse, cwd: str | None = None) -> Call:
        looked.append(use.id)
        return call_of(use, cwd)

    monkeypatch.setattr("app.compactability.calls.call_of", looking)
    gentle = load("gentle")
    untiring = gentle.with_options({step.name: {"target_share": 0} for step in gentle.steps})
    workspace = Workspace(long_session(3_000), untiring, exact=False)
    workspace.run_all()
    changed, calls = len(workspace.changes), len(set(looked))
    assert 0 < changed < calls <= len(looked) <= calls + changed


def test_results_are_those_of_clients_with_the_last_call_of_their_id() -> None:
    found = Surveys().of(TALK).results
    assert [(at.message, at.block, at.tool, at.chars) for at in found] == [
        (2, 0, "Read", 240), (2, 1, "Read", 240), (4, 0, "Read", 240),
    ]  # fmt: skip


def test_a_block_with_other_parts_keeps_all_else() -> None:
    block = result("a", "x", error=True, server=True, user_words=True, cleared_live=True, key="k")
    for made in (replace(block, parts=()), replace(TALK[2], blocks=())):
        was = block if isinstance(made, ToolResult) else TALK[2]
        changed = {f for f in made.__struct_fields__ if getattr(made, f) != getattr(was, f)}
        assert changed == {"parts" if isinstance(made, ToolResult) else "blocks"}


def test_what_a_call_was_about_is_kept_when_its_result_changes() -> None:
    surveys, after = Surveys(), with_other_result(TALK, 2)
    before, now = surveys.of(TALK).answers, surveys.of(after).answers
    assert now[0].result is not before[0].result and now[0].asked is before[0].asked


def test_a_conversation_with_a_block_more_or_less_is_looked_at_anew() -> None:
    surveys = Surveys()
    first = surveys.of(TALK)
    assert len(first.results) == len(first.answers) == 3
    asks, gives = TALK[1], TALK[2]
    for at, message in (
        (1, replace(asks, blocks=asks.blocks[:1])),
        (2, replace(gives, blocks=gives.blocks[:1])),
    ):
        changed = (*TALK[:at], message, *TALK[at + 1 :])
        seen, anew = surveys.of(changed), Surveys().of(changed)
        assert seen.results == anew.results and seen.judgements == anew.judgements
        assert [answer.use for answer in seen.answers] == [answer.use for answer in anew.answers]


@pytest.mark.parametrize("preset", preset_names())
def test_what_is_taken_over_is_what_a_look_at_everything_finds(preset: str) -> None:
    workspace = open_workspace(str(LONG), pipeline=preset, exact=False).workspace
    tireless = {step.name: {"target_share": 0} for step in workspace.pipeline.steps}
    for step, options in tireless.items():
        workspace.set_options(step, options)
    workspace.run_all()
    measure, surveys = estimator("rough"), Surveys()
    for messages in (workspace.session.live, *(step.result.messages for step in workspace.steps)):
        seen, anew = surveys.of(messages), Survey(messages)
        assert seen.results == anew.results
        assert [(a.result, a.use) for a in seen.answers] == [(a.result, a.use) for a in anew.answers]
        assert seen.judgements == classify(messages) and seen.protection == protected(messages)
        assert seen.total(measure) == measure.total(messages)
