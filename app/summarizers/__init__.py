"""Where a summary comes from: rules, the project's memory, a model, the person.

base        what a summary is made from; the protocol
structured  rules alone
memory      the project's memory files
model       what a model is asked, and a guarded way to ask it
asking      what all ways to ask have in common: time, a stop, a bounded answer
program     asking a program; service, streamed, service_errors: asking a service
provider    which model the settings name
by_hand     the person's own words
transcript  a conversation as text
texts       the texts of messages, as facts are searched in them
rules       the rules that a user gave, and whether a summary tells them
mentions    what a text mentions that can be looked up
proof       what a summary says that its source does not, and which rules it left out
"""

from __future__ import annotations

from typing import Final

from app.summarizers.base import NO_SUMMARIES, Job, Outcome, Summaries, Summarizer, SummaryRequest, Tail
from app.summarizers.by_hand import ByHand
from app.summarizers.memory import Memory
from app.summarizers.model import ByModel
from app.summarizers.structured import Structured

SUMMARIZERS: Final[tuple[Summarizer, ...]] = (Memory(), Structured(), ByModel(), ByHand())
"""Every source, by its name in a stage's `source`."""

SOURCES: Final = tuple(source.name for source in SUMMARIZERS)

__all__ = [
    "NO_SUMMARIES",
    "SOURCES",
    "SUMMARIZERS",
    "Job",
    "Outcome",
    "Summaries",
    "Summarizer",
    "SummaryRequest",
    "Tail",
    "summarizer_named",
]


def summarizer_named(name: str) -> Summarizer:
    """The source of that name."""
    return next(source for source in SUMMARIZERS if source.name == name)
