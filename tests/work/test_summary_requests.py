"""What a person or a model wrote is put in its place, proved, and can be made whole by one key."""

from __future__ import annotations

import pytest

from app.edits.summarise_range import SummariseRange
from app.errors import InputError, RefusedError
from app.model import text_of
from app.summarizers.rules import Rule
from app.work.stage_inputs import give_summary
from app.work.summary_requests import ForRange, ForStage
from app.work.workspace import Workspace
from tests.work.test_stage_inputs import WORK, working

MISSING = [
    "Question 1: never change the public names of module 1.",
    "Question 2: never change the public names of module 2.",
]


def stage(turns: int = 3) -> tuple[Workspace, ForStage]:
    workspace = working(turns)
    workspace.set_options("summarize", {"when": "always"})
    return workspace, ForStage(workspace, "summarize")


def missing(wish: ForStage | ForRange) -> list[Rule]:
    found, _ = wish.written()
    assert found is not None
    return list(found.proof().missing)


def test_a_stages_summary_is_held_against_what_it_stands_for() -> None:
    workspace, wish = stage()
    assert wish.written()[0] is None
    give_summary(
        workspace, "summarize", "hand", "Never change the public names of module 0. 77 files were read."
    )
    found, _ = wish.written()
    assert found is not None and [item.text for item in found.proof().invented] == ["77"]
    assert [rule.text for rule in missing(wish)] == MISSING
    wish.add_rules(missing(wish))
    assert not missing(wish)
    with pytest.raises(InputError, match="none of your rules is missing"):
        wish.add_rules(missing(wish))


def test_what_a_stage_took_out_before_is_not_made_up() -> None:
    workspace, wish = stage(12)
    give_summary(workspace, "summarize", "hand", "Every file says `line of a file`, not line_of_no_file.")
    found, _ = wish.written()
    assert found is not None
    assert not any(WORK in text_of(block) for m in found.before[:20] for block in m.blocks)
    assert [item.text for item in found.proof().invented] == ["line_of_no_file"]


def test_rules_that_an_earlier_stage_took_out_are_missed_too() -> None:
    workspace, wish = stage(16)
    workspace.set_options("snip", {"max_messages": 12, "head_messages": 3})
    give_summary(workspace, "summarize", "hand", "All is answered.")
    found, _ = wish.written()
    assert found is not None and len(found.before) < 20
    assert len(missing(wish)) == 16


def test_giving_up_leaves_the_options_as_they_were() -> None:
    workspace = working()
    wish = ForStage(workspace, "summarize")
    wish.begin()
    assert workspace.state.options
    wish.give_up()
    wish.give_up()
    assert not workspace.history.done


def rows(workspace: Workspace, first: int, last: int) -> ForRange:
    live = workspace.session.live
    keys = (live[first].key, live[last].key)
    return ForRange(workspace, SummariseRange(keys=keys, allow_words=True))


def test_a_range_takes_an_answer_as_one_step_and_its_rules_into_the_same() -> None:
    workspace = working(6)
    wish = rows(workspace, 4, 11)
    request, _ = wish.request()
    assert request is not None and "Question 1" in request.text and "Question 3" not in request.text
    wish.take("It was read.", request)
    assert [rule.text for rule in missing(wish)] == MISSING, "what stays outside is still there"
    wish.add_rules(missing(wish))
    assert not missing(wish) and len(workspace.history.done) == 1
    workspace.undo()
    assert workspace.messages == workspace.session.live


def test_a_range_is_not_summarised_behind_something_else_that_was_done() -> None:
    workspace = working(6)
    wish = rows(workspace, 4, 11)
    request, _ = wish.request()
    assert request is not None
    workspace.pin([workspace.session.live[6].key])
    with pytest.raises(RefusedError, match="you have made other changes"):
        wish.take("It was read.", request)


def test_rules_that_would_make_a_range_longer_are_not_added() -> None:
    workspace = working(6)
    wish = rows(workspace, 5, 7)
    request, _ = wish.request()
    assert request is not None
    wish.take("It was read.", request)
    before = workspace.history.done
    with pytest.raises(RefusedError, match="not be shorter"):
        wish.add_rules([Rule("Never do that. " * 900, "k")])
    assert workspace.history.done == before
