"""Several pipelines over one session: what each would leave, lose and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from app.checks import words_gone
from app.compactability import Verdict
from app.formats import format_named
from app.model import Message
from app.pipeline import Pipeline, load, preset_names
from app.prompt_cache import PRICES, Price, price
from app.workspace import Workspace


@dataclass(frozen=True)
class Outcome:
    """What one pipeline would make of a session."""

    pipeline: str
    title: str
    price: Price
    messages_before: int
    messages_after: int
    words_lost: int
    """Texts of the user's own that would go."""
    only_copies_lost: int
    """Results that cannot be had again and would be shortened or dropped."""
    waiting: tuple[str, ...]
    """Stages that wait for something they were not given, with what they said."""

    @property
    def freed(self) -> int:
        """Tokens freed from the window."""
        return self.price.before - self.price.after

    def as_json(self) -> dict[str, Any]:
        """The outcome as `compare --json` gives it."""
        return {
            "pipeline": self.pipeline,
            "title": self.title,
            "tokens_before": self.price.before,
            "tokens_after": self.price.after,
            "tokens_freed": self.freed,
            "messages_before": self.messages_before,
            "messages_after": self.messages_after,
            "messages_lost": max(0, self.messages_before - self.messages_after),
            "user_words_lost": self.words_lost,
            "only_copies_lost": self.only_copies_lost,
            "first_changed": self.price.first_changed,
            "prefix_tokens": self.price.prefix,
            "rewritten_tokens": self.price.rewritten,
            "turns_to_pay_back": self.price.turns,
            "cache": self.price.told(),
            "waiting": list(self.waiting),
        }


def compare(
    workspace: Workspace, names: Iterable[str] = (), stop: Callable[[], bool] = lambda: False
) -> Iterator[Outcome]:
    """The outcomes of pipelines (default: all presets), one by one; the workspace itself is not changed.

    Pins of the workspace hold for each. Raises BadPipeline for a name or file that is none.
    """
    for name in names or preset_names():
        if stop():
            return
        yield outcome(workspace, load(name))


def outcome(workspace: Workspace, pipeline: Pipeline) -> Outcome:
    """What one pipeline would make of the session as it was opened."""
    tried = workspace.fork(pipeline)
    tried.run_all()
    before, after = workspace.session.live, tried.messages
    changed = [key for key, change in tried.changes.items() if change.before is not None]
    judgements = workspace.judgements
    prices = PRICES.get(format_named(workspace.session.format).validity, PRICES["anthropic"])
    return Outcome(
        pipeline=pipeline.name,
        title=pipeline.title,
        price=price(before, after, _measure(workspace), prices),
        messages_before=len(before),
        messages_after=len(after),
        words_lost=len(words_gone(before, after)),
        only_copies_lost=sum(
            key in judgements and judgements[key].verdict is Verdict.ONLY_COPY for key in changed
        ),
        waiting=tuple(f"{step.name}: {step.result.note}" for step in tried.steps if not step.changes),
    )


def _measure(workspace: Workspace) -> Callable[[Sequence[Message]], int]:
    return lambda messages: workspace.tokens(messages)
