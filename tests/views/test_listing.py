"""The rows of a session: in the order of the file, sorted, filtered, with what the stages made of them."""

from __future__ import annotations

import json
from pathlib import Path

from app.compactability import Verdict
from app.display import short_number
from app.model import Author, Boundary, Held, Message, Record, Role, SendStatus, Text
from app.opening import open_workspace
from app.pipeline import load
from app.views.listing import (
    Facet,
    FacetFilter,
    arranged,
    is_live,
    items,
    key_of,
    role_of,
    searched,
    shares,
    states_of,
    tokens_of,
)
from app.views.outlook import Outlook, first_look, outlook
from app.work.rows import BlockRow
from app.work.workspace import Workspace
from tests.build import assistant, off, summary, user
from tests.work.test_workspace import busy_session, session


def seen_of(*messages: Message) -> Outlook:
    return outlook(Workspace(session(*messages), load("react-mini"), exact=False))


def test_a_boundary_stands_before_the_message_it_belongs_to() -> None:
    seen = seen_of(
        off(user("Old."), SendStatus.BEFORE_BOUNDARY), summary("Before."), assistant("Yes."), user("Go on.")
    )
    found = items(seen)
    assert [isinstance(item, Boundary) for item in found] == [False, True, False, False, False]
    assert [is_live(item) for item in found] == [False, False, True, True, True]
    assert [role_of(item) for item in found if isinstance(item, BlockRow)] == [
        "user",
        "summary",
        "assistant",
        "user",
    ]


def test_a_damaged_line_stands_where_it_is_in_the_file(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
    file = tmp_path / "chat.jsonl"
    rows = [json.dumps(message) for message in messages]
    file.write_text(f"{rows[0]}\n{{broken\n{rows[1]}\n")
    found = items(first_look(open_workspace(str(file), pipeline="react-mini", exact=False).workspace))
    assert [type(item).__name__ for item in found] == ["BlockRow", "Record", "BlockRow"]
    assert isinstance(found[1], Record) and found[1].line == 2


def test_sorted_by_tokens_only_blocks_are_left_the_largest_first() -> None:
    seen = seen_of(summary("Before."), user("word " * 50), assistant("word " * 400), user("word"))
    found = arranged(items(seen), seen, by_tokens=True, only=None)
    sizes = [tokens_of(item, seen) for item in found if isinstance(item, BlockRow)]
    assert len(sizes) == len(found) == 4 and sizes == sorted(sizes, reverse=True)
    old = off(user("word " * 900), SendStatus.BEFORE_BOUNDARY)
    seen = seen_of(old, summary("Before."), user("word"))
    last = arranged(items(seen), seen, by_tokens=True, only=None)[-1]
    assert isinstance(last, BlockRow) and last.message.standing is SendStatus.BEFORE_BOUNDARY
    assert [key_of(item) for item in arranged(items(seen), seen, by_tokens=False, only=None)] == [
        key_of(item) for item in items(seen)
    ]


def test_a_filter_shows_one_verdict_tool_role_or_state() -> None:
    work = Workspace(busy_session(turns=3), load("react-mini"), exact=False)
    seen = outlook(work)
    rows = items(seen)
    for facet in Facet:
        for share in shares(rows, seen, (facet,)):
            shown = arranged(rows, seen, by_tokens=False, only=share.only)
            assert len(shown) == share.rows > 0
            assert sum(tokens_of(item, seen) for item in shown if isinstance(item, BlockRow)) == share.tokens
    reads = arranged(rows, seen, by_tokens=False, only=FacetFilter(Facet.TOOL, "Read"))
    assert {role_of(item) for item in reads if isinstance(item, BlockRow)} == {"tool_use", "tool_result"}
    assert short_number(shares(rows, seen, (Facet.TOOL,))[0].tokens)


def test_what_the_steps_did_shows_in_the_rows() -> None:
    work = Workspace(busy_session(), load("react-mini"), exact=False)
    work.pin(["m3/0"])
    work.run_all()
    seen = outlook(work)
    rows = {item.key: item for item in items(seen) if isinstance(item, BlockRow)}
    assert states_of(rows["m3/0"], seen) == ("pinned",)
    changed = [row for row in rows.values() if row.key in seen.changes]
    assert changed and all(seen.verdict(row) is Verdict.COMPACTED for row in changed)
    dropped = [row for row in rows.values() if seen.block(row) is None]
    assert all(states_of(row, seen)[0] == "dropped" for row in dropped)
    assert next(block for _, _, block in searched(items(seen), seen)) is rows["m1/0"].block


def test_what_a_stage_made_stands_in_its_place() -> None:
    plain = seen_of(user("One."), assistant("Two."), user("Three."))
    made = Message(
        "made/1",
        Role.USER,
        (Text("made/1/0", Held("A summary."), Author.SUMMARY),),
        boundary=Boundary("b", "manual"),
    )
    live = plain.workspace.session.live
    seen = Outlook(plain.workspace, plain.state, (made, live[2]), (), {}, 0)
    found = items(seen)
    assert [key_of(item) for item in found] == ["m1/0", "m2/0", "boundary b", "made/1/0", "m3/0"]
