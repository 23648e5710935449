"""Compares pipelines on one session: what each would leave, lose and cost, and which is best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from app.compactability import Verdict
from app.display import counted
from app.errors import HandcompactError
from app.model import Boundary, Message
from app.pipeline import Pipeline, known_names, load
from app.prompt_cache import Price
from app.validity import RULES, errors
from app.work.checks import RuleBook, words_gone
from app.work.history import Edited
from app.work.pricing import Pricing, pricing
from app.work.workspace import Workspace


@dataclass(frozen=True)
class Outcome:
    """What one pipeline would make of a session."""

    pipeline: str
    title: str
    cost: Pricing
    messages_before: int
    messages_after: int
    messages_lost: int
    """Number of messages that would no longer be sent."""
    words_lost: int
    """Number of the user's own texts that would be lost."""
    only_copies_lost: int
    """Results that cannot be had again and would be shortened or dropped."""
    boundary: Boundary | None
    """The newest boundary marker it makes that is still there at its end."""
    broken: tuple[str, ...]
    """Names of the provider's rules that it would break, in the order of the messages."""
    waiting: tuple[str, ...]
    """Stages that lack an input, with their notes."""

    @property
    def price(self) -> Price:
        """The price alone, without what is known of the session."""
        return self.cost.price

    @property
    def freed(self) -> int:
        """Tokens freed from the window."""
        return self.price.before - self.price.after

    @property
    def is_valid(self) -> bool:
        """Whether the result breaks no provider rule that the session did not break."""
        return not self.broken

    @property
    def cached_share(self) -> float:
        """The share of the present tokens that stays cached: 0 to 1."""
        return self.price.prefix / self.price.before if self.price.before else 1.0

    @property
    def regret(self) -> tuple[Any, ...]:
        """Sort key, least regret first: losses, then the tokens left."""
        return (not self.is_valid, self.freed <= 0, self.words_lost, self.only_copies_lost, self.price.after)

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
            "messages_lost": self.messages_lost,
            "user_words_lost": self.words_lost,
            "only_copies_lost": self.only_copies_lost,
            "boundary": _boundary_json(self.boundary),
            "first_changed": self.cost.number,
            "prefix_tokens": self.price.prefix,
            "prefix_share": round(self.cached_share, 4),
            "rewritten_tokens": self.price.rewritten,
            "turns_to_pay_back": self.price.turns,
            "cache": self.cost.told(),
            "valid": self.is_valid,
            "broken_rules": list(self.broken),
            "waiting": list(self.waiting),
        }


@dataclass(frozen=True)
class ComparedPipeline:
    """One pipeline by its requested name: its outcome, or why there is none."""

    name: str
    """As `load` takes it."""
    pipeline: Pipeline | None = None
    outcome: Outcome | None = None
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        """The row as `compare --json` gives it; one that failed has `problem`."""
        if self.outcome is None:
            return {"pipeline": self.name, "problem": self.problem}
        return self.outcome.as_json()


@dataclass(frozen=True)
class Best:
    """The outcome to take, with the reason."""

    pipeline: str
    reason: str


class Comparer:
    """Tries pipelines on a workspace's session without changing the workspace.

    Its pins and hand edits apply to each, as they would if the pipeline were chosen.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._rules = RuleBook(workspace.session)

    def try_named(self, name: str) -> ComparedPipeline:
        """The outcome of a pipeline by name or path; an invalid file fails only its own row."""
        pipeline = None
        try:
            pipeline = load(name)
            return ComparedPipeline(name, pipeline, self.outcome(pipeline))
        except (HandcompactError, OSError) as error:
            return ComparedPipeline(name, pipeline, problem=str(error))

    def outcome(self, pipeline: Pipeline) -> Outcome:
        """What one pipeline would make of the session."""
        workspace = self._workspace
        tried = workspace.fork(pipeline)
        for step in workspace.state.path:
            if isinstance(step, Edited) and tried.try_edit(step.edit).changes:
                tried.do(step.operation)
        tried.run_all()
        before, after = workspace.session.live, tried.messages
        changed = [key for key, change in tried.changes.items() if change.before is not None]
        judgements = workspace.judgements
        kept = {message.key for message in after}
        broken = errors(self._rules.faults(after).broken_by_edit) if after is not before else ()
        return Outcome(
            pipeline=pipeline.name,
            title=pipeline.title,
            cost=pricing(tried),
            messages_before=len(before),
            messages_after=len(after),
            messages_lost=sum(message.key not in kept for message in before),
            words_lost=len(words_gone(before, after)),
            only_copies_lost=sum(
                key in judgements and judgements[key].verdict is Verdict.ONLY_COPY for key in changed
            ),
            boundary=_made_boundary(tried, after),
            broken=tuple(dict.fromkeys(violation.rule for violation in broken)),
            waiting=tuple(f"{step.name}: {step.result.note}" for step in tried.steps if not step.changes),
        )


def compare(
    workspace: Workspace, names: Iterable[str] = (), stop: Callable[[], bool] = lambda: False
) -> Iterator[ComparedPipeline]:
    """Yield the outcomes of pipelines (default: built-in and the person's own) until `stop` returns true."""
    comparer = Comparer(workspace)
    for name in names or known_names():
        if stop():
            return
        yield comparer.try_named(name)


def ranked(tried: Iterable[ComparedPipeline]) -> list[ComparedPipeline]:
    """The rows sorted by regret, least first; failed ones come last."""
    return sorted(tried, key=lambda row: (row.outcome is None, *(row.outcome.regret if row.outcome else ())))


def best(tried: Iterable[ComparedPipeline]) -> Best | None:
    """The best outcome: the smallest of those that lose the least that cannot be had again.

    None if no valid outcome frees anything.
    """
    outcomes = [row.outcome for row in tried if row.outcome is not None]
    useful = [outcome for outcome in outcomes if outcome.is_valid and outcome.freed > 0]
    if not useful:
        return None
    found = min(useful, key=lambda outcome: outcome.regret)
    return Best(found.pipeline, _reason(found, useful))


def _reason(found: Outcome, useful: Sequence[Outcome]) -> str:
    alike = sum(
        (other.words_lost, other.only_copies_lost) == (found.words_lost, found.only_copies_lost)
        for other in useful
    )
    if not found.words_lost and not found.only_copies_lost:
        what = "loses nothing for good"
    elif not found.words_lost:
        what = f"keeps all your words, loses {counted(found.only_copies_lost, 'only copy', 'only copies')}"
    else:
        what = f"loses the fewest of your messages ({found.words_lost:,})"
    if len(useful) == 1:
        return f"{what}; no other frees anything"
    return (
        f"{what}; frees the most of the {alike:,} that do" if alike > 1 else f"{what}; every other loses more"
    )


def rule_words(rule: str) -> str:
    """What a broken rule says, with its name."""
    return f"{RULES[rule].text} ({rule})"


def _made_boundary(tried: Workspace, after: Sequence[Message]) -> Boundary | None:
    there = {message.boundary.key for message in after if message.boundary is not None}
    made = (step.result.boundary for step in reversed(tried.steps))
    return next((boundary for boundary in made if boundary and boundary.key in there), None)


def _boundary_json(boundary: Boundary | None) -> dict[str, Any] | None:
    if boundary is None:
        return None
    return {
        "strategy": boundary.strategy,
        "trigger": boundary.trigger,
        "removed": boundary.removed,
        "hides": boundary.hides,
    }
