"""What changed, as rows: nothing lost, in the order a person reads it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app.diff import MAX_LINES, DiffRow, LineKind, Pairing, pair_messages, split_rows, text_rows
from app.model import Author, Boundary, Held, Message, Role, Text

SIGNS = {
    Pairing.KEPT: " ",
    Pairing.CHANGED: "~",
    Pairing.DROPPED: "-",
    Pairing.MADE: "+",
    Pairing.BOUNDARY: "=",
}


def message(key: str, text: str = "", boundary: Boundary | None = None) -> Message:
    block = Text(key=f"{key}/0", content=Held(text or key), author=Author.ASSISTANT)
    return Message(key=key, role=Role.ASSISTANT, blocks=(block,), boundary=boundary)


def told(before: list[Message], after: list[Message]) -> list[str]:
    rows = pair_messages(before, after)
    return [SIGNS[row.kind] + (row.after or row.before or message("?")).key for row in rows]


def test_messages_are_paired_by_key_in_reading_order() -> None:
    a, b, c, d, e = (message(key) for key in "abcde")
    made = message("s", boundary=Boundary(key="x", trigger="manual"))
    after = [a, made, replace(d, blocks=()), e]
    assert told([a, b, c, d, e], after) == [" a", "-b", "-c", "=s", "+s", "~d", " e"]
    assert told([a, b], []) == ["-a", "-b"]
    assert told([], [a]) == ["+a"]
    assert told([a, b, c], [a, b, c, d]) == [" a", " b", " c", "+d"]
    assert told([a, b, c], [c, a]) == ["-b", " c", " a"]


def test_a_message_built_again_from_the_same_blocks_is_unchanged() -> None:
    a = message("a", "text")
    assert told([a], [replace(a, records=(5,))]) == [" a"]
    assert told([a], [message("a", "text")]) == [" a"]
    assert told([a], [message("a", "other")]) == ["~a"]


def test_a_boundary_that_was_there_before_is_told_from_a_new_one() -> None:
    old = message("a", boundary=Boundary(key="x", trigger="auto"))
    new = message("b", boundary=Boundary(key="y", trigger="manual"))
    rows = [row for row in pair_messages([old], [old, new]) if row.kind is Pairing.BOUNDARY]
    assert [row.before is None for row in rows] == [False, True]


def test_a_key_used_twice_loses_no_message() -> None:
    a, again = message("a", "one"), message("a", "two")
    assert told([a, again], [a, again]) == [" a", " a"]
    assert told([a, again], [a]) == [" a", "-a"]


@given(st.lists(st.sampled_from("abcdef"), unique=True), st.lists(st.sampled_from("abcdefgh"), unique=True))
@settings(max_examples=50)
def test_each_message_of_both_sides_stands_in_one_row(before: list[str], after: list[str]) -> None:
    rows = pair_messages([message(k) for k in before], [message(k) for k in after])
    assert sorted(row.before.key for row in rows if row.before) == sorted(before)
    assert [row.after.key for row in rows if row.after] == after


def flat(rows: tuple[DiffRow, ...]) -> list[DiffRow]:
    return [inner for row in rows for inner in (row.folded or (row,))]


def told_lines(before: str, after: str) -> list[str]:
    return [row.kind.value + row.text for row in text_rows(before, after).rows]


LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", "", "g\r"]), max_size=30).map("\n".join)


@given(LINES, LINES, st.booleans())
@settings(max_examples=50)
def test_both_texts_can_be_read_from_the_rows(before: str, after: str, full: bool) -> None:
    diff = text_rows(before, after, full=full)
    rows = flat(diff.rows)
    old = [row for row in rows if row.kind is not LineKind.ADDED]
    new = [row for row in rows if row.kind is not LineKind.REMOVED]
    assert "\n".join(row.text for row in old) == before
    assert "\n".join(row.text for row in new) == after
    assert [row.old for row in old] == list(range(1, len(old) + 1))
    assert [row.new for row in new] == list(range(1, len(new) + 1))
    assert diff.removed == len(rows) - len(new)
    assert diff.added == len(rows) - len(old)


def test_small_texts() -> None:
    assert told_lines("", "") == []
    assert told_lines("", "x") == ["+x"]
    assert told_lines("a\nb\nc", "a\nB\nc") == [" a", "-b", "+B", " c"]
    assert told_lines("a\n", "a") == [" a", "-"]
    assert told_lines("a\u2028b", "a\u2028c") == ["-a\u2028b", "+a\u2028c"]


def test_long_unchanged_and_removed_runs_are_folded() -> None:
    same = "\n".join(f"s{i}" for i in range(50))
    diff = text_rows("x\n" + same + "\ny", "X\n" + same + "\nY")
    gap = diff.rows[5]
    assert gap.kind is LineKind.GAP
    assert [row.text for row in gap.folded] == [f"s{i}" for i in range(3, 47)]
    removed = text_rows("\n".join(f"r{i}" for i in range(124)), "stub")
    assert [row.kind for row in removed.rows] == [LineKind.REMOVED] * 6 + [LineKind.GAP, LineKind.ADDED]
    assert len(removed.rows[6].folded) == 118
    assert (removed.removed, removed.added) == (124, 1)


def test_a_gap_never_hides_a_single_line() -> None:
    same = "\n".join(f"s{i}" for i in range(7))
    assert LineKind.GAP not in [row.kind for row in text_rows(f"x\n{same}\ny", f"X\n{same}\nY").rows]


@pytest.mark.parametrize(("lines", "line"), [(MAX_LINES + 1, "{}"), (3, "{}" + "x" * 100_000)])
def test_texts_too_big_to_compare_show_their_ends_and_are_compared_on_request(lines: int, line: str) -> None:
    common = "same head\n"
    # The texts share one line more, but it is no anchor because it stands there twice.
    before = common + "\n".join([*(line.format(i) for i in range(lines)), "twice", "twice", "old end"])
    changed = [line.format(f"new {i}") for i in range(lines)]
    after = common + "\n".join([*changed, "twice", "twice", "new end"])
    short = text_rows(before, after)
    assert short.too_big
    assert short.rows[0].text == "same head"
    assert (short.removed, short.added) == (lines + 3, lines + 3)
    assert len(short.rows) < 100
    full = text_rows(before, after, full=True)
    assert not full.too_big
    assert full.removed == lines + 1


def test_one_changed_line_in_a_huge_text_is_compared_at_once() -> None:
    lines = [f"line {i}" for i in range(20_000)]
    before = "\n".join(lines)
    lines[9_000] = "changed"
    diff = text_rows(before, "\n".join(lines))
    assert not diff.too_big
    assert (diff.removed, diff.added, len(diff.rows)) == (1, 1, 10)


def test_many_changes_in_a_long_text_are_compared_without_waiting() -> None:
    before = [f"line {i}" for i in range(10_000)]
    after = [line + (" changed" if i % 7 == 0 else "") for i, line in enumerate(before)]
    start = time.perf_counter()
    diff = text_rows("\n".join(before), "\n".join(after))
    assert time.perf_counter() - start < 1.0
    assert not diff.too_big
    assert diff.removed == diff.added == 1_429


def test_one_change_between_lines_that_repeat_is_compared_at_any_size() -> None:
    diff = text_rows("x\n" * 9_000 + "a\n" + "x\n" * 9_000, "x\n" * 9_000 + "b\n" + "x\n" * 9_000)
    assert (diff.removed, diff.added, diff.too_big) == (1, 1, False)


def test_side_by_side_rows_pair_removed_with_added() -> None:
    rows = split_rows(text_rows("a\nb\nc\nz", "a\nB\nz\nnew").rows)
    told_rows = [(r.left.text if r.left else None, r.right.text if r.right else None) for r in rows]
    assert told_rows == [("a", "a"), ("b", "B"), ("c", None), ("z", "z"), (None, "new")]


def test_a_gap_stands_beside_its_own_side_only() -> None:
    rows = split_rows(text_rows("\n".join(f"r{i}" for i in range(124)), "stub").rows)
    assert rows[0].right is not None
    assert rows[0].right.text == "stub"
    assert rows[6].left is not None
    assert rows[6].left.kind is LineKind.GAP
    assert rows[6].right is None
