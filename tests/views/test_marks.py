"""Marks are kept by key, whatever becomes of the rows' order."""

from __future__ import annotations

from app.views.marks import Marks


def test_a_mark_is_set_and_let_go() -> None:
    marks = Marks()
    marks.toggle("a")
    marks.toggle("b")
    marks.toggle("a")
    assert marks.keys == ("b",) and "b" in marks and "a" not in marks


def test_a_range_counts_while_it_is_drawn_and_can_shrink() -> None:
    marks = Marks()
    marks.toggle("b")
    marks.start_range("a")
    marks.draw_range(["a", "b", "c"])
    assert len(marks) == 3
    marks.draw_range(["a"])
    assert set(marks.keys) == {"a", "b"}
    marks.end_range()
    assert marks.anchor is None and set(marks.keys) == {"a", "b"}


def test_inverting_keeps_what_a_range_was_going_over_out() -> None:
    marks = Marks()
    marks.start_range("a")
    marks.invert(["a", "b", "c"])
    assert marks.keys == ("b", "c")


def test_only_new_marks_are_counted_and_clearing_takes_all() -> None:
    marks = Marks()
    assert marks.add(["a", "b"]) == 2
    assert marks.add(["b", "c"]) == 1
    marks.keep({"c"})
    assert marks.keys == ("c",)
    marks.start_range("d")
    marks.clear()
    assert len(marks) == 0 and marks.anchor is None
