"""The tree: what is live, and what stands beside it."""

from __future__ import annotations

import pytest

from app.model import SendStatus
from tests.formats.claude_code.records import (
    Value,
    assistant,
    boundary,
    lines,
    read,
    record,
    result,
    rewrite,
    said,
    summary,
    use,
    user,
    uuid,
)
from tests.formats.edits import written


def words(*records: Value | str) -> set[str]:
    return {notice.word for notice in read(*records).notices}


def fan() -> list[Value]:
    """Two parallel calls: each record hangs on its own call, so a plain walk misses the first pair."""
    return [
        user(1, None, "Go"),
        assistant(2, 1, [use("t1")], ident="m"),
        assistant(3, 2, [use("t2")], ident="m"),
        user(4, 3, [result("t2", "b")]),
        user(5, 2, [result("t1", "a")]),
        assistant(6, 5, "Ok"),
    ]


def test_parallel_calls_are_a_fan() -> None:
    session = read(*fan())
    assert said(session.live) == [["Go"], ["use t1", "use t2"], ["result t2", "result t1"], ["Ok"]]
    assert session.facts.branches == 1


def test_the_last_message_decides_which_branch_is_live() -> None:
    records = [
        user(1, None, "Pick a name."),
        assistant(2, 1, "Falcon?"),
        user(3, 2, "No birds."),
        assistant(4, 3, "Otter?"),
        user(5, 2, "Shorter."),
        assistant(6, 5, "Kite."),
        record(7, 4, "progress", data={"type": "hook_progress"}),
    ]
    session = read(*records)
    assert said(session.live) == [["Pick a name."], ["Falcon?"], ["Shorter."], ["Kite."]]
    assert [m.standing for m in session.messages if m not in session.live] == [SendStatus.OFF_BRANCH] * 2
    assert [leaf.key for leaf in session.leaves] == [uuid(6), uuid(4)]
    assert session.leaves[1].messages == 2
    assert "forked" in {notice.word for notice in session.notices}
    other = read(*records, leaf=4)
    assert said(other.live)[2:] == [["No birds."], ["Otter?"]]
    assert other.live_leaf == uuid(4)


def test_progress_records_lead_on() -> None:
    chain = [record(n, n - 1, "progress", data={}) for n in range(2, 500)]
    session = read(
        user(1, None, "Hi"), *chain, assistant(500, 499, "Yo"), record(501, 500, "progress", data={})
    )
    assert said(session.live) == [["Hi"], ["Yo"]]
    assert session.facts.missing_parents == ()


def test_a_parent_may_stand_behind_its_child() -> None:
    session = read(user(1, None, "Hi"), assistant(3, 2, "Yo"), user(2, 1, "More"), user(4, 3, "Bye"))
    assert said(session.live) == [["Hi", "More"], ["Yo"], ["Bye"]]


def test_a_missing_parent_is_bridged_and_told() -> None:
    session = read(user(1, None, "Hi"), assistant(2, 1, "Yo"), user(4, 3, "More"), assistant(5, 4, "End"))
    assert said(session.live) == [["Hi"], ["Yo"], ["More"], ["End"]]
    assert session.facts.missing_parents == (uuid(3),)
    assert session.facts.messages == 2
    assert "missing-parent" in {notice.word for notice in session.notices}


def test_of_equal_uuids_the_last_counts_where_the_first_stood() -> None:
    again = assistant(2, 1, "One, changed.")
    session = read(
        user(1, None, "Hi"), assistant(2, 1, "One."), user(3, 2, "More"), assistant(4, 3, "End"), again
    )
    assert said(session.live) == [["Hi"], ["One, changed."], ["More"], ["End"]]
    assert "duplicate-uuid" in {notice.word for notice in session.notices}


@pytest.mark.parametrize("parents", [(1, 1, 2), (2, 1, 2), (3, 1, 2)])
def test_circles_end(parents: tuple[int, int, int]) -> None:
    records = [user(1, parents[0], "a"), assistant(2, parents[1], "b"), user(3, parents[2], "c")]
    session = read(*records)
    assert said(session.live)[-1] == ["c"]
    assert "cycle" in words(*records)


def test_sidechains_are_apart() -> None:
    session = read(
        user(1, None, "Ask."),
        assistant(2, 1, [use("t1", "Task")]),
        user(10, None, "Task.", isSidechain=True, agentId="a"),
        assistant(11, 10, "Working.", isSidechain=True, agentId="a"),
        user(3, 2, [result("t1", "done")]),
        assistant(4, 3, "Done."),
        user(12, 11, "More.", isSidechain=True, agentId="a"),
    )
    assert said(session.live)[-1] == ["Done."]
    assert session.facts.sidechain_records == 3
    aside = [m for m in session.messages if m.standing is SendStatus.SIDECHAIN]
    assert said(aside) == [["Task."], ["Working."], ["More."]]


def test_a_boundary_hides_what_came_before_it_whatever_its_logical_parent() -> None:
    mark = boundary(5, preTokens=100, postTokens=9) | {"logicalParentUuid": uuid(77)}
    session = read(
        user(1, None, "Old."),
        assistant(2, 1, "Work."),
        user(3, 1, "Left."),
        user(4, 2, "More."),
        mark,
        summary(6, 5, "Story."),
        user(7, 6, "Go on."),
        assistant(8, 7, "Ok."),
    )
    assert said(session.live) == [["Story.", "Go on."], ["Ok."]]
    standings = {block: m.standing for m in session.messages for block in said([m])[0]}
    assert standings["Old."] is standings["More."] is SendStatus.BEFORE_BOUNDARY
    assert standings["Left."] is SendStatus.OFF_BRANCH
    assert (session.boundaries[0].tokens_before, session.boundaries[0].tokens_after) == (100, 9)


def test_every_earlier_boundary_is_counted_once() -> None:
    session = read(
        user(1, None, "First."),
        boundary(2),
        summary(3, 2, "Story one."),
        assistant(4, 3, "Middle."),
        boundary(5),
        summary(6, 5, "Story two."),
        assistant(7, 6, "Last."),
    )
    assert [mark.key for mark in session.boundaries] == [uuid(2), uuid(5)]
    assert said(session.live) == [["Story two."], ["Last."]]
    assert {m.standing for m in session.messages if m not in session.live} == {SendStatus.BEFORE_BOUNDARY}


def preserved(head: int, tail: int, anchor: int) -> Value:
    return {"headUuid": uuid(head), "tailUuid": uuid(tail), "anchorUuid": uuid(anchor)}


def test_a_preserved_segment_follows_the_summary() -> None:
    session = read(
        user(1, None, "Old."),
        assistant(2, 1, "Work."),
        user(3, 2, "Keep this."),
        assistant(4, 3, "Kept."),
        boundary(5, preservedSegment=preserved(3, 4, 6)),
        summary(6, 5, "Story."),
        user(7, 6, "Go on."),
        assistant(8, 7, "Ok."),
    )
    assert said(session.live) == [["Story.", "Keep this."], ["Kept."], ["Go on."], ["Ok."]]


def test_a_segment_that_would_begin_with_the_assistant_is_not_sent() -> None:
    session = read(
        user(1, None, "Old."),
        assistant(2, 1, "Work."),
        boundary(3, preservedSegment=preserved(2, 2, 3)),
        summary(4, 3, "Story."),
        assistant(5, 4, "Ok."),
    )
    assert said(session.live) == [["Story."], ["Ok."]]


def test_deep_trees_need_no_recursion() -> None:
    records = [
        user(n, n - 1 or None, f"u{n}") if n % 2 else assistant(n, n - 1, f"a{n}") for n in range(1, 4001)
    ]
    assert len(read(*records).live) == 4000


def test_what_hangs_below_the_leaf_is_sent_with_it() -> None:
    session = read(
        user(1, None, "Hi"),
        assistant(2, 1, "Yo"),
        record(3, 2, "progress", data={}),
        record(4, 2, "attachment", attachment={"type": "date"}, rendered=[{"content": "Today."}]),
        record(5, 4, "attachment", attachment={"type": "model"}, rendered=[{"content": "Opus."}]),
    )
    assert said(session.live) == [["Hi"], ["Yo"], ["Today.", "Opus."]]
    assert session.live_leaf == uuid(2)


def test_an_older_client_would_take_the_latest_time() -> None:
    records = [user(1, None, "A"), assistant(9, 1, "late"), assistant(2, 1, "last")]
    assert "continuation-on-old-leaf" in words(*records)
    assert "continuation-on-old-leaf" not in words(records[0], records[2], records[1])


def parallel_calls(*below: dict[str, object]) -> list[dict[str, object]]:
    """Two calls of one reply; the parents lead through the second, `below` hangs from the first."""
    return [
        user(1, None, "Go"),
        assistant(2, 1, [use("t1")], ident="m"),
        assistant(3, 2, [use("t2")], ident="m"),
        user(4, 2, [result("t1", "one")]),
        *below,
        user(7, 3, [result("t2", "two")]),
        assistant(8, 7, "Ok"),
    ]


@pytest.mark.parametrize(
    "between",
    [[], [record(9, 4, "progress", data={})], [record(9, 4, "system", subtype="informational", content="i")]],
    ids=["at-once", "progress", "system"],
)
def test_what_the_client_hung_below_a_result_is_sent(between: list[dict[str, object]]) -> None:
    """2.1 sends it from there, behind all results; the parents of what follows do not lead through it."""
    parent = 9 if between else 4
    note = user(5, parent, "Note.", isMeta=True)
    session = read(*parallel_calls(*between, note))
    assert said(session.live)[2] == ["result t1", "result t2", "Note."]
    hook = record(5, parent, "attachment", attachment={"type": "date"}, rendered=[{"content": "Today."}])
    session = read(*parallel_calls(*between, hook))
    assert said(session.live)[2] == ["result t1", "result t2", "Today."]


@pytest.mark.parametrize(
    "below",
    [
        [user(5, 4, "No, wait.")],
        [user(5, 4, "Note.", isMeta=True), assistant(6, 5, "So be it.")],
        [user(5, 4, "Note.", isMeta=True), user(6, 5, "Another way, please.")],
    ],
    ids=["words", "a-reply-below", "words-below"],
)
def test_a_branch_on_which_somebody_spoke_is_not_sent(below: list[dict[str, object]]) -> None:
    session = read(*parallel_calls(*below))
    assert said(session.live)[2] == ["result t1", "result t2"]


def test_what_hangs_from_words_is_not_sent() -> None:
    session = read(
        user(1, None, "Go"), user(2, 1, "Note.", isMeta=True), assistant(3, 1, "Ok"), user(4, 3, "On")
    )
    assert said(session.live) == [["Go"], ["Ok"], ["On"]]


def two_branches(*rows: dict[str, object]) -> list[dict[str, object]]:
    """The second one is the last of the file."""
    return [
        user(1, None, "Go"),
        assistant(2, 1, "Ok"),
        user(3, 2, "Left"),
        assistant(4, 3, "To the left."),
        user(5, 2, "Right"),
        assistant(6, 5, "To the right."),
        *rows,
    ]


def prompt(leaf: int | None) -> dict[str, object]:
    return {"type": "last-prompt", "leafUuid": None if leaf is None else uuid(leaf)}


@pytest.mark.parametrize(
    ("rows", "newest"),
    [
        ([prompt(4)], "To the left."),
        ([prompt(3)], "Left"),
        ([prompt(6), prompt(4)], "To the left."),
        ([prompt(4), prompt(None)], "To the left."),
        ([prompt(4), prompt(6)], "To the right."),
        ([prompt(2)], "To the right."),
        ([prompt(4), prompt(99)], "To the right."),
        ([record(7, 4, "system", subtype="turn_duration"), prompt(7)], "To the left."),
        ([record(7, 4, "progress", data={}), prompt(7)], "To the right."),
    ],
    ids=["end", "middle", "newest", "none", "last", "shared", "unknown", "system", "progress"],
)
def test_the_newest_last_prompt_names_the_leaf(rows: list[dict[str, object]], newest: str) -> None:
    """2.1 goes on from there, unless the last message of the file does."""
    session = read(*two_branches(*rows))
    assert said(session.live)[-1] == [newest]
    assert written(rewrite(session)) == lines(*two_branches(*rows))


def test_a_last_prompt_from_before_the_boundary_names_nothing() -> None:
    rows = [user(1, None, "Old."), assistant(2, 1, "Done."), prompt(2), boundary(3), summary(4, 3, "Story.")]
    assert said(read(*rows).live) == [["Story."]]
    assert said(read(*rows, prompt(2)).live) == [["Old."], ["Done."]]
