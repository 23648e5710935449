"""The map of a session: every token is in one slice, and what matters stands where it is."""

from __future__ import annotations

from array import array
from itertools import accumulate, pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.edits import make_edit
from app.model import Message, SendStatus
from app.pipeline import load
from app.views.listing import items
from app.views.outlook import outlook
from app.views.session_map import SessionMap, SliceKind, session_map
from app.work.pricing import pricing
from app.work.rows import BlockRow
from app.work.workspace import Workspace
from tests.build import assistant, off, summary, user
from tests.views.test_gate_walk import gated
from tests.work.test_workspace import busy_session, session


def mapped(workspace: Workspace) -> SessionMap:
    seen = outlook(workspace)
    return session_map(items(seen), seen, pricing(workspace).number)


def plain_map(tokens: list[int]) -> SessionMap:
    none = array("q", [0] * (len(tokens) + 1))
    return SessionMap((array("q", accumulate(tokens, initial=0)), *[none] * (len(SliceKind) - 1)))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 120))
def test_slices_go_over_all_rows_in_order_and_lose_no_token(tokens: list[int], width: int) -> None:
    found = plain_map(tokens)
    slices = found.slices(width)
    assert len(slices) == width and (slices[0].start, slices[-1].end) == (0, len(tokens))
    assert all(
        after.start - before.start >= 0 and after.end - before.end >= 0 for before, after in pairwise(slices)
    )
    assert {row for each in slices for row in range(each.start, each.end)} == set(range(len(tokens)))
    if width <= len(tokens):
        assert sum(each.tokens for each in slices) == sum(tokens)
    for row in range(len(tokens)):
        cell = found.cell_of(row, width)
        assert slices[cell].start <= row < slices[cell].end


def test_an_empty_session_has_no_slices() -> None:
    assert plain_map([]).slices(10) == []


def test_a_slice_is_what_most_of_its_tokens_are_as_they_are_now() -> None:
    workspace = Workspace(busy_session(), load("react-mini"), exact=False)
    first = mapped(workspace).slices(1)[0]
    assert first.tokens == sum(workspace.block_tokens(row.block) for row in workspace.rows)
    read = next(i for i, row in enumerate(workspace.rows) if row.block.kind == "tool_result")
    before = mapped(workspace).slices(len(workspace.rows))[read]
    workspace.edit(make_edit("clear", [workspace.rows[read].key]))
    after = mapped(workspace).slices(len(workspace.rows))[read]
    assert (
        before.sort is SliceKind.REGENERABLE
        and after.sort is SliceKind.COMPACTED
        and after.tokens < before.tokens
    )


def test_what_a_step_dropped_weighs_nothing() -> None:
    workspace = Workspace(busy_session(), load("react-mini"), exact=False)
    read = next(i for i, row in enumerate(workspace.rows) if row.block.kind == "tool_result")
    workspace.edit(make_edit("drop", [workspace.rows[read].key]))
    assert mapped(workspace).slices(len(workspace.rows))[read].tokens == 0


def test_boundaries_and_what_is_not_sent_are_on_it() -> None:
    messages: tuple[Message, ...] = (
        off(user("Old words."), SendStatus.BEFORE_BOUNDARY),
        summary("Before."),
        assistant("Yes."),
        user("On."),
    )
    found = mapped(Workspace(session(*messages), load("gentle"), exact=False))
    assert found.boundaries == (1,)
    assert [each.sort for each in found.slices(5)] == [
        SliceKind.UNSENT,
        SliceKind.KEPT,
        SliceKind.KEPT,
        SliceKind.KEPT,
        SliceKind.KEPT,
    ]


def test_the_first_message_that_changes_is_marked_and_nothing_while_none_does() -> None:
    workspace = Workspace(busy_session(), load("react-mini"), exact=False)
    assert mapped(workspace).first_changed is None
    row = next(row for row in workspace.rows if row.number > 6 and row.block.kind == "tool_result")
    workspace.edit(make_edit("clear", [row.key]))
    place = mapped(workspace).first_changed
    assert place is not None
    item = items(outlook(workspace))[place]
    assert isinstance(item, BlockRow) and item.number == row.number and item.place == 0


def test_what_a_latch_froze_ends_behind_its_last_result() -> None:
    workspace = gated()
    found = mapped(workspace)
    frozen = outlook(workspace).frozen
    places = [place for place, row in enumerate(workspace.rows) if row.key in frozen]
    assert places and found.frozen_end == places[-1] + 1
