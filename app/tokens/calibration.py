"""Calibrating the factor table for one session, from the usage that its provider reported.

From one reply to the next the context grows by the first reply's output and by what came between:

    U(i+1) = U(i) + output(i) + s * x(i)

U is all input tokens of a call, x our estimate of what came between. So each pair of replies gives a
ratio of growth to estimate, and the median ratio is this session's factor. Ratios are taken on growth,
never on totals: the system prompt and the tools, which no session file holds, cancel in a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from msgspec import Struct

from app.display import counted
from app.model import Message, Role, Session, Usage
from app.tokens.model_tokens import Correction, TokenEstimator

ENOUGH = 8
"""Fewer increments than this give no calibration."""

_LEAST_GROWTH = 200
_RATIOS = (0.4, 2.5)
_MOST_WEIGHT = 8_000
_PRIOR = 4
"""Increments of ratio 1 that are added, so that a few outliers have little effect."""
_FIRST_REPLIES = 3


class UsageReading(Struct, frozen=True):
    """One reply with usage. Sizes are estimates, in tokens."""

    context: int
    """All input tokens of its call, as reported."""
    output: int
    """Output tokens, as reported."""
    reply: int
    """The reply itself."""
    before: int
    """Everything between the previous reply (or the start) and this one."""

    @property
    def final(self) -> bool:
        """Whether `output` covers the whole reply: older clients record what was streamed so far."""
        return 2 * self.output >= self.reply

    @property
    def written(self) -> int:
        """Tokens that the reply itself added to the context, if known, else 0."""
        return self.output if self.final else 0

    @property
    def unknown(self) -> int:
        """Tokens of the reply that have to be estimated."""
        return 0 if self.final else self.reply


class Increment(Struct, frozen=True):
    """The growth from one reply to the next: `grown` tokens where `estimated` were expected."""

    grown: int
    estimated: int

    @property
    def ratio(self) -> float:
        return self.grown / self.estimated

    @property
    def weight(self) -> int:
        return min(self.estimated, _MOST_WEIGHT)


class Calibration(Struct, frozen=True):
    """The correction of the estimate by a session's own usage."""

    factor: float
    """The estimate times this is the provider's count; 1.0 while not calibrated."""
    overhead: int | None
    """Tokens of every call that no message has (system prompt, tools, memory files); None if unknown."""
    spread: float
    """Half of the increments, by weight, are within this share of the factor."""
    increments: int
    """Number of usable increments."""

    @property
    def calibrated(self) -> bool:
        return self.increments >= ENOUGH

    def describe(self) -> str:
        """`~ calibrated on 63 replies`, or `not calibrated`."""
        return f"~ calibrated on {self.increments} replies" if self.calibrated else "not calibrated"

    def short(self) -> str:
        """`calibrated on 63 replies: x 1.04, +-4 %`, or the number of replies if there are too few."""
        if not self.calibrated:
            return f"not calibrated: {counted(self.increments, 'reply', 'replies')}"
        replies = counted(self.increments, "reply", "replies")
        return f"calibrated on {replies}: x {self.factor:.2f}, +-{100 * self.spread:.0f} %"

    @property
    def margin(self) -> float | None:
        """The share by which the estimate may be off, judged by the session's usage; None if unknown."""
        return abs(self.factor - 1) + self.spread if self.calibrated else None

    def told(self) -> str:
        """The calibration in a sentence: factor, spread, and the overhead that no message shows."""
        if not self.calibrated:
            return f"not calibrated: {self.increments} replies show how the context grew, {ENOUGH} are needed"
        unseen = "" if not self.overhead else f"; about {self.overhead:,} tokens more in every request"
        return (
            f"calibrated on {self.increments} replies: the count times {self.factor:.2f},"
            f" half of them within {self.spread:.0%}{unseen}"
        )


def calibrate(replies: Sequence[UsageReading]) -> Calibration:
    """The calibration from the replies of one segment, in order."""
    used = [increment for increment in increments(replies) if _usable(increment)]
    factor, spread = 1.0, 0.0
    if len(used) >= ENOUGH:
        weights = [float(increment.weight) for increment in used]
        usual = sum(weights) / len(weights)
        ratios = [increment.ratio for increment in used]
        factor = weighted_median([*ratios, *[1.0] * _PRIOR], [*weights, *[usual] * _PRIOR])
        spread = weighted_median([abs(ratio / factor - 1) for ratio in ratios], weights)
    return Calibration(factor, _overhead(replies, factor), spread, len(used))


def increments(replies: Sequence[UsageReading]) -> list[Increment]:
    """All increments between neighbours, usable or not."""
    return [
        Increment(after.context - before.context - before.written, after.before + before.unknown)
        for before, after in pairwise(replies)
    ]


def _usable(increment: Increment) -> bool:
    """Not if the context shrank (it was compacted) or the ratio is extreme (a cause not in the file)."""
    low, high = _RATIOS
    return increment.estimated > _LEAST_GROWTH and increment.grown > 0 and low < increment.ratio < high


def _overhead(replies: Sequence[UsageReading], factor: float) -> int | None:
    """Median over the first replies of the tokens in their context beyond the messages before them."""
    levels: list[float] = []
    known, estimated = 0, 0
    for reading in replies[:_FIRST_REPLIES]:
        estimated += reading.before
        levels.append(reading.context - known - factor * estimated)
        known += reading.written
        estimated += reading.unknown
    return max(round(weighted_median(levels, [1.0] * len(levels))), 0) if levels else None


def weighted_median(values: Sequence[float], weights: Sequence[float]) -> float:
    """The value below which half of the weight is; between two values their mean. Needs one value."""
    pairs = sorted(zip(values, weights, strict=True))
    half = sum(weights) / 2
    below = 0.0
    for place, (value, weight) in enumerate(pairs):
        below += weight
        if below > half:
            return value
        if below == half and place + 1 < len(pairs):
            return (value + pairs[place + 1][0]) / 2
    return pairs[-1][0]


def readings(session: Session, size: Callable[[Message], int]) -> list[UsageReading]:
    """The replies of the live segment with reliable usage, each API message once.

    A reply without it (made by the client, with repeated or empty usage, or kept from before a boundary)
    counts as part of what came between.
    """
    oldest = _first_record(session)
    found: list[UsageReading] = []
    between = 0
    for message in session.live:
        tokens = size(message)
        usage = _usable_usage(message, oldest)
        if usage is None or (found and _repeats(usage, found[-1])):
            between += tokens
        else:
            found.append(UsageReading(usage.context, usage.output_tokens, tokens, between))
            between = 0
    return found


def _usable_usage(message: Message, oldest: int) -> Usage | None:
    """The usage of a model's reply within this segment, which starts at record `oldest`; else None."""
    if message.role is not Role.ASSISTANT or message.model == "<synthetic>" or message.usage is None:
        return None
    kept = bool(message.records) and message.records[0] < oldest
    return None if kept or message.usage.context <= 0 else message.usage


def _repeats(usage: Usage, last: UsageReading) -> bool:
    return (usage.context, usage.output_tokens) == (last.context, last.output)


def _first_record(session: Session) -> int:
    """Index of the newest boundary's record: messages kept from before it report the old context."""
    boundary = session.live[0].boundary if session.live else None
    return boundary.record if boundary is not None and boundary.record is not None else 0


def calibrated(session: Session, estimator: TokenEstimator) -> tuple[TokenEstimator, Calibration]:
    """The estimator corrected by the session's usage, or unchanged if there is too little of it."""
    result = calibrate(readings(session, estimator.message))
    if not result.calibrated:
        return estimator, result
    return estimator.corrected(Correction(result.factor, result.describe())), result
