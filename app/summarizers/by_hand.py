"""A summary that the person wrote."""

from __future__ import annotations

from msgspec import Struct

from app.summarizers.base import Job, Outcome, Tail, headed


class ByHand(Struct, frozen=True):
    """The person's own words."""

    name: str = "hand"
    strategy: str = "summarize"
    tail: Tail = Tail.COUNT
    holds_earlier: bool = True

    def __call__(self, job: Job) -> Outcome:
        written = job.summaries.hand.strip()
        return Outcome(headed(job, written), written) if written else Outcome(missing="none written by hand")
