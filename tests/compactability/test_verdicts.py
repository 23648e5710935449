"""One verdict and one reason for each block."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.compactability import REF, Cause, State, Verdict, classify, states
from app.model import Author, Held, Message, Role, SendStatus, Text, blocks_of
from tests.build import (
    assistant,
    conversation,
    image,
    injected,
    off,
    opaque,
    result,
    summary,
    system,
    thinking,
    tool,
    use,
    user,
)


def test_words_are_judged_by_who_wrote_them() -> None:
    marker = Message("", Role.USER, (Text("marker", Held("[snipped 3 messages]"), Author.MARKER),))
    messages = conversation(
        system("Be brief."),
        summary("So far."),
        marker,
        user("Go."),
        injected("<reminder>"),
        assistant("Done."),
    )
    assert [judgement.verdict for judgement in classify(messages).values()] == [
        Verdict.DECISION,
        Verdict.DECISION,
        Verdict.COMPACTED,
        Verdict.USER,
        Verdict.REGENERABLE,
        Verdict.DECISION,
    ]


@pytest.mark.parametrize(
    ("name", "given_arguments", "verdict", "cause"),
    [
        ("Read", {"file_path": "/w/a"}, Verdict.REGENERABLE, Cause.FILE),
        ("Grep", {"pattern": "x"}, Verdict.REGENERABLE, Cause.LISTING),
        ("Glob", {"pattern": "*"}, Verdict.REGENERABLE, Cause.LISTING),
        ("Bash", {"command": "ls"}, Verdict.REGENERABLE, Cause.LISTING),
        ("Bash", {"command": "pytest"}, Verdict.REGENERABLE, Cause.COMMAND),
        ("Edit", {"file_path": "/w/a"}, Verdict.REGENERABLE, Cause.WRITE_ECHO),
        ("Write", {"file_path": "/w/a", "content": "x"}, Verdict.REGENERABLE, Cause.WRITE_ECHO),
        ("TodoWrite", {"todos": []}, Verdict.REGENERABLE, Cause.WRITE_ECHO),
        ("mcp__jira__search", {}, Verdict.REGENERABLE, Cause.TOOL),
        ("screenshot", {}, Verdict.REGENERABLE, Cause.IMAGE),
        ("Skill", {"skill": "release"}, Verdict.REGENERABLE, Cause.TOOL),
        ("WebFetch", {"url": "https://example.org"}, Verdict.ONLY_COPY, Cause.WEB),
        ("WebSearch", {"query": "x"}, Verdict.ONLY_COPY, Cause.WEB),
        ("Bash", {"command": "curl https://example.org"}, Verdict.ONLY_COPY, Cause.WEB),
        ("Task", {"prompt": "Find it"}, Verdict.ONLY_COPY, Cause.AGENT),
        ("calendar", {"day": "today"}, Verdict.ONLY_COPY, Cause.UNKNOWN),
        ("AskUserQuestion", {"questions": []}, Verdict.DECISION, Cause.ANSWER),
        ("ExitPlanMode", {"plan": "x"}, Verdict.DECISION, Cause.ANSWER),
    ],
)
def test_results_are_judged_by_their_tool(
    name: str, given_arguments: dict[str, Any], verdict: Verdict, cause: Cause
) -> None:
    messages = conversation(
        user("Go."),
        assistant(use("t", name, given_arguments, key="call")),
        user(result("t", "text", key="r")),
    )
    judged = classify(messages)
    assert (judged["r"].verdict, judged["r"].cause) == (verdict, cause)
    assert judged["call"].verdict is Verdict.CALL


def test_results_of_openai_chat_are_judged_alike() -> None:
    messages = conversation(
        user("Go."), assistant(use("t", "read_file", '{"path":"a"}')), tool(result("t", "text", key="r"))
    )
    assert classify(messages)["r"].cause is Cause.FILE


def test_the_persons_words_inside_a_result_are_a_decision() -> None:
    said = "The user doesn't want to proceed with this tool use. The user said: never delete data."
    messages = conversation(
        assistant(use("a", "Bash", {"command": "rm -rf data"}), use("b", "Bash", {"command": "ls"})),
        user(result("a", said, key="refused", error=True), result("b", "no", key="reason", user_words=True)),
    )
    judged = classify(messages)
    assert judged["refused"].verdict is judged["reason"].verdict is Verdict.DECISION


def test_a_refused_edit_changed_nothing() -> None:
    refusal = "The user rejected permission to use this specific tool call."
    messages = conversation(
        assistant(use("a", "read", {"path": "x"})),
        user(result("a", "text", key="read")),
        assistant(use("b", "edit", {"path": "x"})),
        user(result("b", refusal)),
    )
    assert classify(messages)["read"].verdict is Verdict.REGENERABLE


def test_results_without_a_call_or_from_the_provider_are_only_copies() -> None:
    messages = conversation(
        user(result("gone", "text", key="orphan")),
        assistant(
            use("s", "web_search", {}, server=True), result("s", opaque("hit"), server=True, key="server")
        ),
    )
    judged = classify(messages)
    assert judged["orphan"].verdict is judged["server"].verdict is Verdict.ONLY_COPY
    assert judged["orphan"].reason == "Result; its call is missing"


def test_pictures_are_only_copies_when_pasted_and_regenerable_from_a_file() -> None:
    messages = conversation(
        user("See.", image(key="pasted")),
        assistant(use("r", "view_image", {"path": "a.png"})),
        user(result("r", image(), key="read")),
        user(opaque("document", key="paper")),
    )
    judged = classify(messages)
    assert judged["pasted"].verdict is judged["paper"].verdict is Verdict.ONLY_COPY
    assert (judged["read"].verdict, judged["read"].cause) == (Verdict.REGENERABLE, Cause.IMAGE)


def test_a_cleared_result_stays_compacted_whatever_else_it_was() -> None:
    messages = conversation(
        assistant(use("a", "AskUserQuestion"), use("b", "Bash", {"command": "x"})),
        user(
            result("a", "[Old tool result content cleared]", key="a"),
            result("b", "[Earlier tool result compacted. Re-run if needed.]", key="b", error=True),
        ),
    )
    judged = classify(messages)
    assert judged["a"].verdict is judged["b"].verdict is Verdict.COMPACTED


def test_thinking_of_the_newest_turn_is_a_decision_and_older_is_superseded() -> None:
    messages = conversation(
        user("One."),
        assistant(thinking("a", key="old"), "Yes."),
        user("Two."),
        assistant(thinking("b", key="new"), use("r", "Read", {"file_path": "a"})),
        user(result("r", "x"), Text("", Held("<reminder>"), Author.INJECTED)),
        assistant(thinking("c", key="newest")),
        off(user("On a sidechain."), SendStatus.SIDECHAIN),
        off(assistant(thinking("d", key="side")), SendStatus.SIDECHAIN),
    )
    verdicts = {
        key: j.verdict for key, j in classify(messages).items() if key in ("old", "new", "newest", "side")
    }
    assert verdicts == {
        "old": Verdict.SUPERSEDED,
        "new": Verdict.DECISION,
        "newest": Verdict.DECISION,
        "side": Verdict.SUPERSEDED,
    }


def test_states_stand_beside_the_verdict() -> None:
    message = off(user(result("r", "x", key="r", cleared_live=True)), SendStatus.BEFORE_BOUNDARY)
    block = message.blocks[0]
    assert states(message, block, pinned={"r"}, frozen={"r"}, protected={"r"}) == (
        State.PINNED,
        State.FROZEN,
        State.PROTECTED,
        State.BEFORE_BOUNDARY,
        State.CLEARED_LIVE,
    )
    plain = conversation(user("Go."))[0]
    assert states(plain, plain.blocks[0], pinned={"r"}) == ()
    for standing in SendStatus:
        assert len(states(off(plain, standing), plain.blocks[0])) == (standing is not SendStatus.LIVE)


def test_nothing_is_judged_as_nothing() -> None:
    assert classify(()) == {}
    assert classify(conversation(user(), assistant())) == {}


NAMES = st.sampled_from(
    [
        "Read",
        "Edit",
        "Write",
        "Bash",
        "exec_command",
        "apply_patch",
        "Grep",
        "WebFetch",
        "Task",
        "Skill",
        "",
        "🙂",
    ]
)
SCRAPS = st.sampled_from(
    [
        "a",
        "a.py",
        "",
        "cat a",
        "cat a | head -3",
        "pytest",
        "\udcff",
        "\x00",
        "*** Begin Patch\n*** Update File: a",
    ]
)
VALUES = st.one_of(
    SCRAPS, st.integers(-3, 5), st.none(), st.booleans(), st.floats(), st.lists(SCRAPS, max_size=2)
)
ARGUMENTS = st.one_of(
    SCRAPS,
    st.dictionaries(
        st.sampled_from(
            ["path", "file_path", "command", "cmd", "offset", "limit", "view_range", "input", "workdir"]
        ),
        VALUES,
        max_size=4,
    ),
)
IDS = st.sampled_from(["1", "2", "3"])
PIECES = st.one_of(
    SCRAPS,
    st.builds(use, IDS, NAMES, ARGUMENTS),
    st.builds(result, IDS, SCRAPS, error=st.booleans()),
    st.builds(result, IDS, st.builds(image)),
    st.builds(thinking, SCRAPS),
    st.builds(opaque, SCRAPS),
)
MESSAGES = st.lists(
    st.builds(
        lambda make, pieces, standing: make(*pieces, standing=standing),
        st.sampled_from([user, assistant, injected]),
        st.lists(PIECES, max_size=4),
        st.sampled_from(list(SendStatus)),
    ),
    max_size=12,
)


@settings(max_examples=50, deadline=None)
@given(MESSAGES)
def test_any_conversation_gets_one_judgement_a_block(made: list[Message]) -> None:
    messages = conversation(*made)
    order = {block.key: n for n, (_, block) in enumerate(blocks_of(messages))}
    judged = classify(messages)
    assert list(judged) == list(order)
    for key, judgement in judged.items():
        assert (REF in judgement.reason) == (judgement.related is not None)
        assert judgement.related is None or order[key] < order[judgement.related]
