"""A session moves to another agent's format: sound there, with every word, and every loss counted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.convert import TARGETS, Conversion, Destination, Target, plan_conversion, target_named
from app.errors import InputError
from app.formats import open_session
from app.formats.markers import ORPHAN_TEXT, UNANSWERED_TEXT
from app.formats.source import BytesSource
from app.formats.store import RecordStore
from app.model import (
    Author,
    Image,
    Message,
    Role,
    Session,
    Text,
    ToolResult,
    ToolUse,
    blocks_of,
    text_of,
)
from app.validity import check, errors
from tests.build import (
    assistant,
    conversation,
    image,
    injected,
    opaque,
    result,
    summary,
    system,
    thinking,
    tool,
    use,
    user,
)

SAMPLES = Path(__file__).parent.parent / "sample_sessions"
NAMES = sorted(path.name for path in SAMPLES.glob("*.json*"))
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
by_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)


def moved(messages: Sequence[Message], name: str) -> tuple[Session, dict[str, int]]:
    """What the target reads in the new file, and what was lost by word."""
    session = Session("anthropic", "made", RecordStore(BytesSource(b"")), tuple(messages))
    plan = plan_conversion(session, BytesSource(b""), target_named(name), Destination(out=Path("new")))
    return read_back(plan), {loss.word: loss.count for loss in plan.losses}


def read_back(plan: Conversion) -> Session:
    return plan.target.kind.read(BytesSource(plan.data))


def broken(session: Session, target: Target) -> list[str]:
    kind = target.kind
    return [v.rule for v in errors(check(kind.validity, kind.request(session, session.live)))]


def words(messages: Sequence[Message], author: Author = Author.USER) -> list[str]:
    texts = (b for _, b in blocks_of(messages) if isinstance(b, Text) and b.author is author)
    return [text for block in texts if (text := block.content.read()).strip()]


def bare(text: str) -> str:
    """A text without what a client puts around queued words."""
    return text.strip().removeprefix("<system-reminder>").removesuffix("</system-reminder>").strip()


def calls(session: Session) -> list[ToolUse]:
    return [block for _, block in blocks_of(session.live) if isinstance(block, ToolUse)]


def results(session: Session) -> list[ToolResult]:
    return [block for _, block in blocks_of(session.live) if isinstance(block, ToolResult)]


@by_target
@pytest.mark.parametrize("name", NAMES)
def test_every_sample_moves_to_every_target(name: str, target: Target) -> None:
    session, source = open_session(SAMPLES / name)
    again = read_back(plan_conversion(session, source, target, Destination(out=Path("new"))))
    assert again.format == target.format and broken(again, target) == []
    assert list(map(bare, words(again.live))) == list(map(bare, words(session.live)))
    assert len(calls(again)) == len(calls(session))


_ids = st.sampled_from(["a", "b", "toolu_1", "läse|1", "x" * 60, ""])
_blocks = st.one_of(
    st.sampled_from(["Do it.", " ", "done ", "<system-reminder>x</system-reminder>"]),
    st.builds(lambda ident: use(ident, "mcp.run", {"n": 1}), _ids),
    st.builds(lambda ident: use(ident, "patch", "*** Begin"), _ids),
    st.builds(lambda ident: result(ident, "out"), _ids),
    st.builds(lambda ident: result(ident, "bad", image(PNG), error=True), _ids),
    st.builds(lambda: thinking("hm")),
    st.builds(lambda: image(PNG)),
    st.builds(lambda: image("no base64")),
    st.builds(lambda: opaque("hologram")),
)
_messages = st.lists(
    st.builds(
        lambda make, blocks: make(*blocks),
        st.sampled_from([user, assistant, injected]),
        st.lists(_blocks, min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=8,
)


@by_target
@settings(max_examples=40, deadline=None)
@given(messages=_messages)
def test_whatever_a_session_holds_the_new_one_breaks_no_rule(target: Target, messages: list[Message]) -> None:
    talk = conversation(user("Begin."), *messages)
    again, _ = moved(talk, target.name)
    assert broken(again, target) == []
    idents = [call.id for call in calls(again)]
    assert len(set(idents)) == len(idents)
    assert sorted(idents) == sorted(answer.tool_use_id for answer in results(again))


@by_target
def test_ids_stay_in_pairs_where_the_source_has_one_twice(target: Target) -> None:
    again, lost = moved(
        conversation(
            user("Go."),
            assistant(use("run|1", "sh", {"c": "a"})),
            user(result("run|1", "first")),
            assistant(use("run|1", "sh", {"c": "b"})),
            user(result("run|1", "second")),
        ),
        target.name,
    )
    said = {answer.tool_use_id: text_of(answer) for answer in results(again)}
    assert [said[call.id] for call in calls(again)] == ["first", "second"]
    assert lost["call-id"] == 2


@by_target
def test_free_form_input_becomes_an_object(target: Target) -> None:
    patch = "*** Begin Patch\n*** End Patch"
    again, lost = moved(
        conversation(user("Go."), assistant(use("a", "apply_patch", patch)), user(result("a", "ok"))),
        target.name,
    )
    assert [call.input.value() for call in calls(again)] == [{"input": patch}]
    assert lost == {"custom-input": 1}


@by_target
def test_an_open_call_gets_a_result_and_a_lone_result_becomes_a_text(target: Target) -> None:
    again, lost = moved(
        conversation(user("Go."), user(result("gone", "what it said")), assistant(use("a", "sh", {}))),
        target.name,
    )
    assert [text_of(answer) for answer in results(again)] == [UNANSWERED_TEXT]
    assert words(again.live, Author.INJECTED) == [f"{ORPHAN_TEXT}\nwhat it said"]
    assert lost["open-call"] == 1 and lost["orphan-result"] == 1


@by_target
def test_an_error_stays_one(target: Target) -> None:
    talk = conversation(user("Go."), assistant(use("a", "sh", {})), user(result("a", "no", error=True)))
    again, lost = moved(talk, target.name)
    answer = results(again)[0]
    if target.flags_errors:
        assert answer.is_error and text_of(answer) == "no" and lost == {}
    else:
        assert text_of(answer) == "Error: no" and lost == {"error-flag": 1}


@by_target
def test_a_picture_is_kept_or_told_of(target: Target) -> None:
    talk = conversation(
        user("Look.", image(PNG)), assistant(use("a", "see", {})), user(result("a", image(PNG)))
    )
    again, lost = moved(talk, target.name)
    kept = [part for answer in results(again) for part in answer.parts if isinstance(part, Image)]
    if not target.pictures:
        assert lost == {"image": 2}
        return
    assert any(isinstance(block, Image) for _, block in blocks_of(again.live))
    assert words(again.live) == ["Look."]
    if target.pictures_in_results:
        assert len(kept) == 1 and lost == {}
    else:
        assert "picture, image/png" in text_of(results(again)[0]) and lost == {"image": 1}


@by_target
def test_thinking_stays_behind_and_what_is_unknown_is_told_of(target: Target) -> None:
    again, lost = moved(
        conversation(
            user("Go.", opaque("hologram", '{"a": 1}')),
            assistant(thinking("sealed"), thinking("plain", signature_chars=0), "Done."),
        ),
        target.name,
    )
    assert words(again.live) == ["Go."] and words(again.live, Author.ASSISTANT) == ["Done."]
    assert "hologram" in words(again.live, Author.INJECTED)[0]
    assert lost == {"sealed-thinking": 1, "thinking": 1, "opaque": 1}


@by_target
def test_a_summary_leads_and_is_known_as_one(target: Target) -> None:
    again, _ = moved(
        conversation(summary("We fixed the login."), assistant("Right."), user("Go on.")), target.name
    )
    assert words(again.live, Author.SUMMARY)[0].endswith("We fixed the login.")
    assert again.live[0].boundary is not None and again.live[0].boundary.hides
    assert words(again.live) == ["Go on."]


@by_target
def test_a_system_prompt_goes_where_there_is_a_place_for_it(target: Target) -> None:
    again, lost = moved(conversation(system("Be brief."), user("Hi."), assistant("Hi.")), target.name)
    prompts = [m for m in again.live if m.role is Role.SYSTEM]
    assert bool(prompts) is target.keeps_system
    assert lost == ({} if target.keeps_system else {"system-prompt": 1})


@by_target
def test_an_injected_text_stays_no_word_of_the_person(target: Target) -> None:
    again, _ = moved(conversation(user("Hi."), assistant("Yes?"), injected("The disk is full.")), target.name)
    assert words(again.live) == ["Hi."]
    assert [bare(text) for text in words(again.live, Author.INJECTED)] == ["The disk is full."]


@by_target
def test_a_beginning_of_the_assistant_gets_a_line_before_it(target: Target) -> None:
    again, lost = moved(conversation(assistant("As I said."), user("Go on.")), target.name)
    assert [m.role for m in again.live] == [Role.USER, Role.ASSISTANT, Role.USER]
    assert words(again.live) == ["Go on."] and lost == {"beginning": 1}


@pytest.mark.parametrize("name", ["claude-code", "codex", "pi"])
def test_times_are_kept_and_never_stand_still(name: str) -> None:
    talk = conversation(user("One.", time=1000.0), assistant("Two.", time=900.0), user("Three.", time=2000.0))
    times = [message.time for message in moved(talk, name)[0].live]
    assert times[2] == 2000.0 and times[0] is not None and times[1] is not None
    assert 1000.0 <= times[0] < times[1] < 1001.0


def test_results_of_separate_messages_come_behind_their_calls() -> None:
    again, _ = moved(
        conversation(
            user("Go."),
            assistant(use("a", "sh", {}), use("b", "sh", {})),
            tool(result("b", "B")),
            injected("<system-reminder>late</system-reminder>"),
            tool(result("a", "A")),
        ),
        "anthropic",
    )
    assert [type(block) for block in again.live[2].blocks] == [ToolResult, ToolResult, Text]
    assert [text_of(answer) for answer in results(again)] == ["A", "B"]


def test_nothing_to_move_is_said() -> None:
    with pytest.raises(InputError, match="nothing to convert"):
        moved(conversation(system("Be brief.")), "codex")
    with pytest.raises(InputError, match="known: claude-code, codex"):
        target_named("emacs")
