"""Several pipelines over one session: what each would leave, lose and cost, and which to take."""

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
    """Messages of the session that would not be sent any more."""
    words_lost: int
    """Texts of the user's own that would go."""
    only_copies_lost: int
    """Results that cannot be had again and would be shortened or dropped."""
    boundary: Boundary | None
    """The newest boundary marker that it makes and that is still there at its end."""
    broken: tuple[str, ...]
    """Names of the provider's rules that it would break, in the order of the messages."""
    waiting: tuple[str, ...]
    """Stages that wait for something they were not given, with what they said."""

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
        """Whether the provider accepts what is left as far as it accepted the session."""
        return not self.broken

    @property
    def cached_share(self) -> float:
        """The share of the present tokens that stays cached: 0 to 1."""
        return self.price.prefix / self.price.before if self.price.before else 1.0

    @property
    def regret(self) -> tuple[Any, ...]:
        """By this, outcomes sort from the one to regret least: losses first, then the tokens left."""
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
    """One pipeline by the name it was asked for: its outcome, or why there is none."""

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
    """Tries pipelines on what a workspace holds; the workspace itself is not changed.

    Pins and hand edits of the workspace hold for each, as they would if the pipeline were chosen.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._rules = RuleBook(workspace.session)

    def try_named(self, name: str) -> ComparedPipeline:
        """The outcome of a pipeline by name or path. A file that is none costs only its own row."""
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
    """The outcomes of pipelines (default: ours and the person's own), one by one, until `stop` says so."""
    comparer = Comparer(workspace)
    for name in names or known_names():
        if stop():
            return
        yield comparer.try_named(name)


def ranked(tried: Iterable[ComparedPipeline]) -> list[ComparedPipeline]:
    """The rows from the one to regret least to the one to regret most; those that failed come last."""
    return sorted(tried, key=lambda row: (row.outcome is None, *(row.outcome.regret if row.outcome else ())))


def best(tried: Iterable[ComparedPipeline]) -> Best | None:
    """The outcome to take: of those that cost the least of what cannot be had again, the smallest.

    None where no valid outcome frees anything.
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
