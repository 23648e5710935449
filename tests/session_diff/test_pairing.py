"""Which item belongs to which: by ids, by content, by likeness, and never crossing."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from app.session_diff.pairing import Item, pair_items


def items(*texts: str) -> list[Item]:
    """`id:text` for an item with an id, `text` for one without; an upper-case text is of another kind."""
    made = []
    for whole in texts:
        name, _, text = whole.rpartition(":")
        made.append(Item((name,) if name else (), text.encode(), text.isupper()))
    return made


def pairs(before: list[str], after: list[str]) -> list[tuple[str, str]]:
    old, new = items(*before), items(*after)

    def likeness(i: int, j: int) -> float:
        one, other = set(old[i].print), set(new[j].print)
        return len(one & other) / max(1, min(len(one), len(other)))

    return [(before[i], after[j]) for i, j in pair_items(old, new, likeness)]


def test_an_id_counts_more_than_content() -> None:
    assert pairs(["x:one", "y:two"], ["y:one", "x:two"]) in ([("x:one", "x:two")], [("y:two", "y:one")])
    assert pairs(["x:abc", "def"], ["x:zzz", "def"]) == [("x:abc", "x:zzz"), ("def", "def")]


def test_an_id_that_stands_twice_says_nothing() -> None:
    assert pairs(["x:abc", "x:def"], ["x:def"]) == [("x:def", "x:def")]


def test_equal_content_pairs_in_order() -> None:
    assert pairs(["a", "b", "c"], ["b", "c", "a"]) == [("b", "b"), ("c", "c")]
    assert pairs(["a", "a", "b"], ["a", "b"]) in ([("a", "a"), ("b", "b")],)


def test_what_is_left_between_pairs_goes_to_what_it_is_like() -> None:
    assert pairs(["a", "bcd", "xyz", "e"], ["a", "xyw", "e"]) == [("a", "a"), ("xyz", "xyw"), ("e", "e")]
    assert pairs(["a", "bcd", "e"], ["a", "xyz", "e"]) == [("a", "a"), ("bcd", "xyz"), ("e", "e")]
    assert pairs(["a", "bcd", "e"], ["a", "BCD", "e"]) == [("a", "a"), ("e", "e")], "of another kind"


texts = st.lists(st.sampled_from(["a", "b", "ab", "abc", "xyz", "B", "i:a", "j:b", "k:XY"]), max_size=8)


@settings(max_examples=60, deadline=None)
@given(texts, texts)
def test_pairs_rise_on_both_sides_and_keep_to_their_kind(before: list[str], after: list[str]) -> None:
    old, new = items(*before), items(*after)
    found = pair_items(old, new, lambda i, j: float(old[i].print == new[j].print))
    assert found == sorted(found)
    assert len({i for i, _ in found}) == len({j for _, j in found}) == len(found)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(found))
    assert all(old[i].kind == new[j].kind for i, j in found)


@settings(max_examples=30, deadline=None)
@given(texts)
def test_a_list_pairs_with_itself(whole: list[str]) -> None:
    old = items(*whole)
    assert pair_items(old, old, lambda i, j: 0.0) == [(i, i) for i in range(len(old))]
