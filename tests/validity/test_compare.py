"""Whose fault a violation is: there before, broken by the edit, or mended by it."""

from __future__ import annotations

from app.validity import Comparison, Violation, check_anthropic, compare, errors
from tests.validity.made import assistant, call, result, text, user

ORPHAN, OPEN, SPLIT = "anthropic.orphan-result", "anthropic.open-call", "anthropic.split-turn"


def violation(rule: str, key: str, where: str = "messages[0]") -> Violation:
    return Violation(rule, key, where)


def test_a_violation_that_moved_is_the_same() -> None:
    before, after = violation(ORPHAN, "m7", "messages[7]"), violation(ORPHAN, "m7", "messages[2]")
    assert compare([before], [after]) == Comparison((after,), (), ())


def test_another_rule_or_another_message_is_another_violation() -> None:
    old, new, other = violation(ORPHAN, "m7"), violation(OPEN, "m7"), violation(ORPHAN, "m8")
    assert compare([old], [new, other]) == Comparison((), (new, other), (old,))


def test_one_more_of_a_kind_in_a_message_is_the_edits() -> None:
    first = violation(ORPHAN, "m7", "messages[7].content[0]")
    second = violation(ORPHAN, "m7", "messages[7].content[1]")
    assert compare([first], [first, second]) == Comparison((first,), (second,), ())
    assert compare([first, second], [second]) == Comparison((second,), (), (second,))


def test_a_cut_that_parts_a_pair_is_told_from_the_pair_that_was_parted_before() -> None:
    messages = {
        "m1": user(text(), result("lost")),
        "m2": assistant(call("a")),
        "m3": user(result("a")),
        "m4": assistant(text("Done.")),
    }
    kept = {key: message for key, message in messages.items() if key != "m2"}
    comparison = compare(check_anthropic(messages.items()), check_anthropic(kept.items()))
    assert [(v.rule, v.key) for v in comparison.already_broken] == [(ORPHAN, "m1")]
    assert [(v.rule, v.key) for v in comparison.broken_by_edit] == [(SPLIT, "m3"), (ORPHAN, "m3")]
    assert [v.key for v in errors(comparison.broken_by_edit)] == ["m3"]
    assert comparison.mended == ()
