"""What steps cost, computed by hand for a conversation whose sizes are known; one token a character."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from app.edits import make_edit
from app.export.plan import ExportOptions, make_plan
from app.export.plan_json import plan_as_json
from app.export.plan_text import plan_lines
from app.model import Block, Message, Session, Usage, chars_of
from app.opening import open_workspace
from app.pipeline import load
from app.work.pricing import pricing
from app.work.workspace import Workspace
from tests.build import assistant, conversation, result, use, user
from tests.work.test_workspace import session

NOON = 1_800_000_000.0


class Plain(Workspace):
    """Counts characters, so that a price can be worked out on paper."""

    def tokens(self, messages: Iterable[Message]) -> int:
        return sum(chars_of(block) for message in messages for block in message.blocks)

    def block_tokens(self, block: Block) -> int:
        return chars_of(block)


def talk(hour: int = 0, time: float | None = NOON) -> Session:
    """Ten characters each but for three results: 400 early, 100,000 later, 4,000 last; all in one turn."""
    usage = Usage(10, 10, 0, 500, hour)
    return session(
        *conversation(
            user("0123456789", time=time),
            assistant(use("a", "Read", {"file_path": "a"}), time=time),
            user(result("a", "x" * 400), time=time),
            assistant(use("b", "Read", {"file_path": "b"}), time=time),
            user(result("b", "y" * 100_000), time=time),
            assistant(use("c", "Read", {"file_path": "c"}), time=time),
            user(result("c", "z" * 4_000), time=time),
            assistant("0123456789", time=time, usage=usage),
        )
    )


def workspace(given: Session | None = None) -> Plain:
    return Plain(given or talk(), load("gentle"), exact=False)


def cut(made: Workspace, *keys: str, head: int = 0) -> None:
    for key in keys:
        made.edit(make_edit("cut", [key], {"unit": "characters", "head": head, "tail": 0, "force": True}))


def test_nothing_done_costs_nothing() -> None:
    found = pricing(workspace(), now=NOON)
    assert found.facts() == ((False, "nothing changes, so the prompt cache stays valid"),)
    assert found.short() == "the prompt cache stays valid" and found.is_worth_it


def test_a_price_is_as_worked_out_on_paper() -> None:
    made = workspace()
    call = made.tokens(made.session.live[1:2])
    cut(made, "m5/0", head=90_000)
    left = made.tokens(made.messages[4:5])
    found = pricing(made, now=NOON)
    # 10 asked, two calls, the early result: cached. Behind it the cut result, a call, 4,000 and 10.
    prefix, again = 10 + 2 * call + 400, left + call + 4_010
    saved = 0.1 * (100_000 - left)
    assert (found.price.prefix, found.price.rewritten, found.number) == (prefix, again, 4)
    assert found.price.per_turn == pytest.approx(saved)
    assert found.price.once == pytest.approx(1.25 * again - 0.1 * (100_000 + call + 4_010))
    assert found.price.turns == pytest.approx(found.price.once / saved)
    assert found.facts()[0] == (
        False,
        f"from #4 on: ~{again:,} tokens cached again once, ~{prefix:,} stay cached",
    )
    assert found.facts()[1][0] and found.facts()[1][1].endswith(" turns: not worth it")
    assert found.short() == f"not worth it: pays back after {found.price.turns:.0f} turns (first change #4)"


def test_an_hour_long_cache_is_dearer_to_write_and_lasts_longer() -> None:
    hour, minutes = workspace(talk(hour=500)), workspace()
    for made in (hour, minutes):
        cut(made, "m5/0", head=90_000)
    assert pricing(hour, now=NOON).price.once > pricing(minutes, now=NOON).price.once
    assert not pricing(hour, now=NOON + 1_800).is_cold and pricing(minutes, now=NOON + 1_800).is_cold
    assert pricing(hour, now=NOON + 3_700).is_cold


def test_once_the_cache_is_cold_less_is_cheaper_at_once() -> None:
    made = workspace()
    cut(made, "m3/0", head=10)
    warm, cold = pricing(made, now=NOON + 200), pricing(made, now=NOON + 3 * 3_600)
    assert not warm.is_worth_it and cold.is_worth_it
    freed = made.tokens(made.session.live) - made.tokens(made.messages)
    amount = round(1.25 * freed)
    assert cold.facts()[1] == (
        False,
        f"cold by now (last reply 3 h ago): next turn cheaper by ~{amount}",
    )
    assert cold.facts()[2][1].startswith("if still warm: ")
    assert cold.short() == "the cache is cold: cheaper at once (first change #2)"
    assert warm.facts()[1][0] and "not worth it" in warm.told()


@pytest.mark.parametrize("time", [None, NOON + 86_400])
def test_a_time_that_is_missing_or_to_come_is_no_cold_cache(time: float | None) -> None:
    made = workspace(talk(time=time))
    cut(made, "m5/0")
    assert not pricing(made, now=NOON).is_cold


def test_what_breaks_the_cache_early_for_little_is_named() -> None:
    made = workspace()
    cut(made, "m3/0", "m7/0", head=10)
    early = pricing(made, now=NOON).early
    assert early is not None
    assert (early.keys, early.first, early.last) == (("m3/0",), 2, 2)
    assert early.prefix == made.tokens(made.session.live[:6])
    assert early.turns < 2
    assert early.told().startswith("1 change in #2 (cut) frees only ~3")
    assert early.told().endswith("~100k stay cached and the next turn is cheaper")
    assert pricing(made, now=NOON).facts()[-1] == (True, early.told())


def test_without_the_early_change_the_price_is_as_promised() -> None:
    made, without = workspace(), workspace()
    cut(made, "m3/0", "m7/0", head=10)
    cut(without, "m7/0", head=10)
    early, plain = pricing(made, now=NOON).early, pricing(without, now=NOON).price
    assert early is not None and early.turns == pytest.approx(plain.turns) and early.prefix == plain.prefix


def test_nothing_is_early_that_frees_most_of_it_or_stands_alone() -> None:
    made = workspace()
    cut(made, "m5/0", "m7/0")
    assert pricing(made, now=NOON).early is None
    alone = workspace()
    cut(alone, "m3/0", head=10)
    assert pricing(alone, now=NOON).early is None


def test_what_a_summary_stands_for_goes_with_it_or_not_at_all() -> None:
    made = workspace()
    made.edit(make_edit("drop_before", ["m6/0"], {"allow_words": True, "force": True}))
    cut(made, "m7/0", head=10)
    assert pricing(made, now=NOON).early is None


def test_a_change_of_the_end_alone_has_no_first_message() -> None:
    given = session(*talk().live, user("more"), assistant("and more", key="m10"))
    shorter = Plain(given, load("gentle"), exact=False)
    assert pricing(shorter, now=NOON).number is None


def test_numbers_are_those_of_the_rows_also_behind_a_boundary() -> None:
    file = Path(__file__).parents[2] / "sample_sessions" / "claude-code-long.jsonl"
    opened = open_workspace(str(file), pipeline="gentle", exact=False).workspace
    row = next(row for row in opened.rows if row.number == 122 and row.block.kind == "tool_result")
    opened.edit(make_edit("clear", [row.key]))
    assert pricing(opened).number == 122


def test_a_plan_tells_it_as_lines_and_as_json() -> None:
    made = workspace()
    cut(made, "m3/0", "m7/0", head=10)
    data = pricing(made, now=NOON).as_json()
    assert data["worth_it"] is False and data["first_changed"] == 2 and data["seconds_cold"] is None
    assert data["early"]["keys"] == ["m3/0"] and data["turns_to_pay_back"] > 40
    file = Path(__file__).parents[2] / "sample_sessions" / "anthropic-messages.json"
    opened = open_workspace(str(file), pipeline="react-mini", exact=False)
    opened.workspace.run_all()
    plan = make_plan(opened.workspace, opened.source, ExportOptions())
    assert plan_as_json(plan)["cache"]["told"] == "; ".join(text for _, text in plan.cost.facts())
    assert any(line.startswith("Cache     ") for line in plan_lines(plan))
    assert any(line.startswith("Freed     ~") for line in plan_lines(plan))
