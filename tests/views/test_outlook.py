"""What is done and what is ahead, told without a screen."""

from __future__ import annotations

from app.compactability import Verdict
from app.display import short_number
from app.pipeline import load
from app.views.listing import states_of
from app.views.outlook import outlook
from app.work.workspace import Workspace
from tests.work.test_workspace import busy_session


def workspace() -> Workspace:
    return Workspace(busy_session(), load("react-mini"), exact=False)


def test_the_sentence_says_what_can_go_and_what_went() -> None:
    work = workspace()
    seen = outlook(work)
    figures = seen.figures()
    freed = short_number(figures.before - figures.ahead)
    of = f"~{freed} of ~{short_number(figures.before)} tokens"
    assert seen.sentence(figures) == f"react-mini: frees {of}, keeps all your messages"
    work.advance()
    half = outlook(work)
    at_half = half.figures()
    gone, more = short_number(at_half.before - at_half.now), short_number(at_half.now - at_half.ahead)
    whole = short_number(figures.before)
    words = f"~{gone} of ~{whole} freed; react-mini: ~{more} more, keeps all your messages"
    assert half.sentence(at_half) == words
    work.run_all()
    done = outlook(work)
    assert done.sentence(done.figures()) == f"react-mini: freed {of}, kept all your messages"


def test_a_pipeline_with_nothing_to_do_says_so() -> None:
    work = Workspace(busy_session(turns=1), load("react-mini"), exact=False)
    work.set_options("tool_result_budget", {"max_result_chars": 1_000_000})
    seen = outlook(work)
    assert seen.sentence(seen.figures()) == "react-mini finds nothing to remove"


def test_the_one_reason_of_all_stages_is_said_at_once() -> None:
    work = Workspace(busy_session(), load("gentle"), exact=False)
    seen = outlook(work)
    size = work.tokens(work.session.live)
    reason = f"{size:,} tokens are within the target of 100,000"
    assert seen.sentence(seen.figures()) == f"gentle frees nothing: {reason}"
    work.run_all()
    done = outlook(work)
    assert done.sentence(done.figures()) == f"gentle freed nothing: {reason}"


def test_looking_ahead_accepts_nothing() -> None:
    work = workspace()
    seen = outlook(work)
    assert work.steps == () and seen.changes == {} and not seen.is_done
    figures = seen.figures()
    assert figures.ahead < figures.now == figures.before == work.tokens(work.session.live)


def test_each_block_knows_which_stages_touch_it() -> None:
    work = workspace()
    work.advance()
    seen = outlook(work)
    key = work.steps[0].changes[0].key
    assert [(step.name, change.kind.value) for step, change in seen.touches[key]] == [
        ("tool_result_budget", "cut"),
        ("microcompact", "cleared"),
    ]


def test_what_was_shortened_is_counted_as_compacted_and_what_was_dropped_not_at_all() -> None:
    work = workspace()
    before = outlook(work).figures().by_verdict
    assert before[Verdict.COMPACTED] == 0 and sum(before.values()) > 0
    work.advance()
    after = outlook(work).figures().by_verdict
    assert after[Verdict.COMPACTED] > 0 and after[Verdict.USER] == before[Verdict.USER]
    dropped = {change.key for change in outlook(work).changes.values() if change.after is None}
    assert not dropped and sum(after.values()) < sum(before.values())


def test_results_that_the_gate_froze_are_shown_so() -> None:
    work = Workspace(
        busy_session(), load("gate-8k").with_options({"result_gate": {"open_at_tokens": 10_000}}), exact=False
    )
    seen = outlook(work)
    states = {row.key: states_of(row, seen) for row in work.rows}
    assert states["m3/0"] == ("frozen",) and "frozen" not in states["m95/0"]
