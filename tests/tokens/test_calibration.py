"""A session's own usage tells how far the table is off, and says so when it cannot."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app.model import Boundary, Message, Record, SendStatus, Session, Usage
from app.tokens import token_estimator
from app.tokens.calibration import Calibration, UsageReading, calibrate, calibrated, readings, weighted_median
from tests.build import assistant, conversation, result, summary, user


def replies(
    factor: float, overhead: int, between: Sequence[int], *, output: int = 300, noise: float = 0.0
) -> list[UsageReading]:
    """What a provider would report whose tokens are `factor` times our estimate."""
    source = random.Random(5)
    made: list[UsageReading] = []
    context = float(overhead)
    for size in between:
        context += factor * size * (1 + source.uniform(-noise, noise))
        made.append(UsageReading(round(context), output, output, size))
        context += output
    return made


def test_finds_factor_and_overhead() -> None:
    between = [3_000, 900, 5_000, 700, 12_000, 400, 2_500, 800, 6_000, 1_000, 950]
    found = calibrate(replies(1.3, 40_000, between))
    assert found.calibrated
    assert found.increments == 10
    assert found.factor == pytest.approx(1.3, abs=0.01)
    assert found.overhead == pytest.approx(40_000, abs=5)
    assert found.spread < 0.01
    assert found.describe() == "~ calibrated on 10 replies"


def test_noise_shows_as_spread() -> None:
    found = calibrate(replies(1.2, 40_000, [2_000] * 60, noise=0.3))
    assert found.factor == pytest.approx(1.2, rel=0.06)
    assert 0.05 < found.spread < 0.25


def test_too_few_increments_are_no_calibration() -> None:
    found = calibrate(replies(1.5, 40_000, [3_000] * 8))
    assert (found.calibrated, found.increments, found.factor) == (False, 7, 1.0)
    assert found.describe() == "not calibrated"


def test_nothing_at_all() -> None:
    found = calibrate([])
    assert (found.calibrated, found.overhead, found.increments) == (False, None, 0)


def test_increments_that_hide_something_are_left_out() -> None:
    clean = replies(1.2, 30_000, [1_000] * 20)
    shifts = {5: 40_000, 9: -25_000, 13: -100_000}  # a hidden attachment, a cut, a compaction
    shift = 0
    wild = []
    for n, reading in enumerate(clean):
        shift += shifts.get(n, 0)
        wild.append(UsageReading(reading.context + shift, reading.output, reading.reply, reading.before))
    found = calibrate(wild)
    assert found.increments == 16
    assert found.factor == pytest.approx(1.2, abs=0.01)


def test_small_growth_says_nothing() -> None:
    assert calibrate(replies(1.5, 30_000, [200] * 40)).increments == 0


def test_the_prior_holds_back_a_few_increments() -> None:
    half = replies(1.4, 0, [1_000] * 5)
    shift = half[-1].context + half[-1].output
    rest = [
        UsageReading(reading.context + shift, reading.output, reading.reply, reading.before)
        for reading in replies(1.6, 0, [1_000] * 4)
    ]
    # Four of 1.4 and four of 1.6 alone would give 1.5.
    assert calibrate([*half, *rest]).factor == pytest.approx(1.4, abs=0.01)


def test_a_streaming_snapshot_is_not_taken_for_the_output() -> None:
    made = []
    context = 30_000
    for _ in range(20):
        context += 1_200
        made.append(UsageReading(context, 1, 500, 1_000))
        context += 600
    found = calibrate(made)
    assert found.factor == pytest.approx(1.2, abs=0.01)


TOKENS = st.integers(0, 10**6)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.builds(UsageReading, TOKENS, TOKENS, TOKENS, TOKENS), max_size=40))
def test_no_readings_break_it(made: list[UsageReading]) -> None:
    found = calibrate(made)
    assert 0.4 < found.factor < 2.5
    assert found.spread >= 0
    assert found.overhead is None or found.overhead >= 0


def test_weighted_median() -> None:
    assert weighted_median([3.0, 1.0, 2.0], [1.0, 1.0, 1.0]) == 2.0
    assert weighted_median([1.0, 2.0], [1.0, 1.0]) == 1.5
    assert weighted_median([1.0, 9.0], [1.0, 5.0]) == 9.0


class _NoRecords:
    def __len__(self) -> int:
        return 0

    def __getitem__(self, index: int) -> Record:
        raise IndexError(index)

    def raw(self, index: int) -> bytes:
        raise IndexError(index)

    def value(self, index: int) -> Any:
        raise IndexError(index)


def _session(*messages: Message) -> Session:
    return Session("test", "-", _NoRecords(), conversation(*messages))


def _reply(context: int, output: int, **more: Any) -> Message:
    return assistant("Done.", usage=Usage(10, output, context - 10), **more)


def _size(message: Message) -> int:
    return 100 * len(message.blocks)


def test_readings_are_the_replies_with_usage_and_what_came_between() -> None:
    session = _session(
        user("a"),
        _reply(1_000, 50),
        user(result("x"), result("y")),
        user("b"),
        _reply(1_400, 60),
    )
    assert readings(session, _size) == [UsageReading(1_000, 50, 100, 100), UsageReading(1_400, 60, 100, 300)]


def test_usage_that_cannot_be_trusted_is_passed_over() -> None:
    session = _session(
        user("a"),
        _reply(1_000, 50),
        _reply(1_000, 50),
        _reply(5_000, 1, model="<synthetic>"),
        assistant("No usage.", usage=Usage()),
        user("b"),
        _reply(1_500, 60),
    )
    assert [(r.context, r.before) for r in readings(session, _size)] == [(1_000, 100), (1_500, 400)]


def test_sidechains_do_not_count() -> None:
    side = replace(_reply(9_000, 9), standing=SendStatus.SIDECHAIN)
    session = _session(user("a"), _reply(1_000, 50), side, user("b"), _reply(1_300, 50))
    assert [r.context for r in readings(session, _size)] == [1_000, 1_300]


def test_a_reply_kept_over_a_boundary_has_the_usage_of_the_old_context() -> None:
    boundary = Boundary("b", "manual", record=10)
    head = summary("What was done.", boundary=boundary)
    kept = replace(_reply(150_000, 50), records=(8,))
    new = replace(_reply(20_000, 50), records=(12,))
    session = _session(head, kept, user("go on"), new)
    assert [(r.context, r.before) for r in readings(session, _size)] == [(20_000, 300)]


def test_a_session_corrects_its_estimator() -> None:
    measure = token_estimator("claude-opus-4-7")
    words = "Please look at the login page once more, the cookie is lost after the redirect. " * 30
    context, messages = 35_000, []
    for n in range(12):
        asked = user(f"{n}: {words}")
        context += round(1.25 * measure.message(asked))
        messages += [asked, _reply(context, 40)]
        context += 40
    session = _session(*messages)

    corrected, found = calibrated(session, measure)

    assert found.factor == pytest.approx(1.25, abs=0.02)
    assert found.overhead == pytest.approx(35_000, rel=0.02)
    assert corrected.describe() == "~ calibrated on 11 replies"
    assert corrected.total(session.live) == pytest.approx(1.25 * measure.total(session.live), rel=0.02)


def test_it_is_told_with_its_spread_and_what_no_message_shows() -> None:
    known = Calibration(factor=1.037, overhead=38_210, spread=0.028, increments=63)
    assert known.told() == (
        "calibrated on 63 replies: the count times 1.04, half of them within 3%;"
        " about 38,210 tokens more in every request"
    )
    assert "more in every request" not in replace(known, overhead=None).told()
    assert replace(known, increments=3).told().startswith("not calibrated: 3 replies")
    assert replace(known, increments=1).short() == "not calibrated: 1 reply"
    assert replace(known, increments=3).margin is None


def test_a_short_session_leaves_its_estimator_alone() -> None:
    measure = token_estimator("claude-opus-4-7")
    same, found = calibrated(_session(user("a"), _reply(1_000, 50)), measure)
    assert same is measure
    assert found.describe() == "not calibrated"
