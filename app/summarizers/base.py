"""What a summary is made from, and what every source of one is.

A source is pure: it writes by rules, or hands on a text that somebody gave or had made beforehand.
None of them asks a model; `app.summarizers.model` says what one would be asked, and a face asks it
after a person's yes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import Final, Protocol

from msgspec import Struct

from app.model import Message
from app.secrets import count_secrets

Messages = tuple[Message, ...]


class Summaries(Struct, frozen=True):
    """Texts for the summaries of one step, as a person or a face gave them."""

    memory: str = ""
    """What the project's memory files say."""
    hand: str = ""
    """Written by the person."""
    models: tuple[tuple[str, str], ...] = ()
    """Written by models: the key of what was asked, and the answer."""

    def by_model(self, key: str) -> str:
        """The answer to the request with that key; empty if there is none."""
        return dict(self.models).get(key, "")


NO_SUMMARIES: Final = Summaries()


@dataclass(frozen=True)
class SummaryRequest:
    """The complete request to a model."""

    instructions: str
    text: str
    """The conversation, as text."""

    @cached_property
    def key(self) -> str:
        """Identifies this exact request: an answer to it fits no other."""
        whole = f"{self.instructions}\0{self.text}".encode("utf-8", "surrogatepass")
        return sha256(whole).hexdigest()[:32]

    @property
    def prompt(self) -> str:
        """Instructions and conversation as one text, for models that are given one."""
        return f"{self.instructions}\n\n{self.text}"

    @property
    def chars(self) -> int:
        """Code points that would be sent."""
        return len(self.prompt)

    @cached_property
    def secrets(self) -> int:
        """How many strings that look like keys would be sent."""
        return count_secrets(self.prompt)


class Tail(StrEnum):
    """How many of the newest messages stay beside a summary."""

    COUNT = "count"
    """A number of them; of a conversation that is not longer, none."""
    SHARE = "share"
    """A number of them, and not more than a share of all."""
    TOKENS = "tokens"
    """As many as fit into a number of tokens, and a number of them at least."""


@dataclass(frozen=True)
class Job:
    """The input of a summary."""

    messages: Messages
    """The conversation without system messages."""
    gone: Messages
    """The messages that the summary will replace."""
    removed: int
    """Messages of which nothing stays."""
    total: int
    """Messages of the whole conversation, system messages included."""
    tokens: int
    """Size of the whole conversation, in the pipeline's measure."""
    clock: str
    """The time as HH:MM:SS."""
    heading: str
    """What a model's or a person's summary begins with."""
    input_chars: int
    """Characters of the conversation that a model is given at most."""
    summaries: Summaries
    input_only_end: bool = False
    """Whether it is only the end of a longer conversation that a model is given."""
    request: str | None = None
    """The person's request to be named beside the summary; None names none."""
    transcript: str | None = None
    """The file that holds everything, as texts name it; None where none is saved."""


class Outcome(Struct, frozen=True):
    """The result of a source: the text of the summary message, or why there is none."""

    text: str = ""
    written: str = ""
    """The summary alone, where a model or a person wrote it."""
    missing: str = ""
    """Why there is no text; empty when there is one."""
    failed: bool = False
    """Whether the lack is a failure rather than an input not yet given."""
    wanted: SummaryRequest | None = None
    """The request to a model that is needed first."""


class Summarizer(Protocol):
    """A source of summaries."""

    @property
    def name(self) -> str:
        """As in a stage's `source`."""

    @property
    def strategy(self) -> str:
        """As on the boundary marker."""

    @property
    def tail(self) -> Tail:
        """What is kept beside its summary."""

    @property
    def holds_earlier(self) -> bool:
        """Whether its summary also covers an earlier summary, which it was made from."""

    def __call__(self, job: Job) -> Outcome:
        """The summary message's text, or why there is none."""


def headed(job: Job, summary: str) -> str:
    """A summary as the text of the message that replaces its source (learn-claude-code)."""
    if job.request is None:
        return job.heading + summary
    quoted = json.dumps(summary, ensure_ascii=False)
    parts = [
        f"Current user request:\n{job.request}",
        f"Conversation summary (reference only):\n{quoted}",
    ]
    if job.transcript is not None:
        parts.append(f"Full transcript: {job.transcript}")
    return job.heading + "\n\n".join(parts)
