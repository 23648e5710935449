"""The base of stages: frozen options that can be called on a conversation.

A stage is pure. It is given the live segment and a context, and returns the new messages with the
list of what it changed and why; files it wants saved are returned as planned files. The rules that
hold for every stage (`protect`, pairs, only-if-smaller) are kept by the helpers in
`app.stages.draft` so that no stage can forget one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, ClassVar, Self

from msgspec import Struct

from app.errors import BadPipeline
from app.gc_control import collector_paused
from app.model import Boundary
from app.refusal import Refusal
from app.stages.changes import Change as Change
from app.stages.changes import ChangeKind as ChangeKind
from app.stages.options import Option as Option
from app.stages.options import check_option as check_option
from app.stages.options import meant
from app.stages.options import option as option
from app.stages.protection import UNPROTECTED
from app.stages.protection import Protection as Protection
from app.stages.replay import Replay
from app.stages.survey import Messages as Messages
from app.stages.survey import Survey, Surveys
from app.summarizers.base import NO_SUMMARIES, Summaries, SummaryRequest
from app.tokens.base import Estimator


class PlannedFile(Struct, frozen=True):
    """A file that an export will write."""

    path: str
    """Relative to `root`, with slashes."""
    text: str
    root: str = ""
    """The absolute folder given to the stage; empty means `Context.root`."""
    of: str = ""
    """Key of the tool result that the file holds; empty if it holds something else."""


class StageResult(Struct, frozen=True):
    """The result of a stage. If nothing changed, `messages` is the input object and `note` says why."""

    messages: Messages
    changes: Sequence[Change] = ()
    boundary: Boundary | None = None
    trace: tuple[str, ...] = ()
    files: tuple[PlannedFile, ...] = ()
    note: str = ""
    """Why nothing was done, or what a person should know about what was done."""
    protected: int = 0
    """Number of blocks that this stage left unchanged only because they are protected."""
    size_before: int = 0
    """In the unit of the pipeline's estimator; 0 for edits of single blocks, where it is not used."""
    replay: Replay | None = None
    """What a stage that replays the model calls of the session found at each call."""
    written: str = ""
    """The summary that a model or a person wrote, without the text placed around it."""
    failed: bool = False
    """Whether the stage should have acted but could not; `note` explains why."""
    wanted: SummaryRequest | None = None
    """The request to a model that would let the stage do more; it is sent only if the person agrees."""


@dataclass(frozen=True)
class Context:
    """Everything a stage may read besides the messages. No stage reads a clock, a file or a network."""

    estimator: Estimator
    protection: Protection = UNPROTECTED
    window_tokens: int = 200_000
    now: float | None = None
    """The session's own clock: its newest time, in seconds since 1970."""
    root: str = ""
    """Absolute path of the folder for planned files; empty if not known."""
    tool_names: frozenset[str] = frozenset()
    """Names of all tools the session calls; a stage recognises another agent's session by them."""
    tokens: Estimator | None = None
    """The estimator for sizes shown to people; None means the pipeline's own."""
    cwd: str | None = None
    """The folder the agent ran in; relative paths in its tool calls are resolved against it."""
    index: str = ""
    """The file in which an export will list the removed results; empty means no list."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Files below `root` that exist or that earlier stages planned: relative path -> text."""
    unchanged: frozenset[str] = frozenset()
    """Keys of results whose file on disk is still as it was read; filled only if a person had it checked."""
    settled: bool = False
    """Whether nothing was added to the session since an export wrote it."""
    summaries: Summaries = NO_SUMMARIES
    """The summary texts supplied for this step."""
    refusal: Refusal | None = None
    """The provider's refusal that the step responds to, real or assumed by a person."""
    failures: int = 0
    """Number of consecutive failures to get a summary for this step."""

    surveys: Surveys = field(default_factory=Surveys, compare=False, repr=False)
    """Cached surveys of the conversations examined so far."""

    def survey(self, messages: Messages) -> Survey:
        """The cached survey of these messages, shared by all stages."""
        return self.surveys.of(messages, self.cwd)

    @property
    def counts(self) -> Estimator:
        """The estimator for sizes shown to people."""
        return self.tokens or self.estimator


@dataclass(frozen=True, kw_only=True)
class Action:
    """Base of stages and hand edits: options that can be called on messages to change them."""

    sort: ClassVar[str]
    """`stage` or `edit`, as errors call it."""
    name: ClassVar[str]
    """Its own word in pipelines, commands and reports."""
    title: ClassVar[str]
    """Two or three words for people."""
    local: ClassVar[tuple[str, ...]] = ()
    """Options that only flags and settings may set: a pipeline file can come from a stranger."""
    spoken: ClassVar[tuple[str, ...]] = ()
    """Options whose text is inserted into the conversation: in a pipeline file one plain line each."""
    common: ClassVar[tuple[str, ...]] = ()
    """Options shared by all actions of the sort; they are listed last."""

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        """Return the changed conversation; the input is never modified."""
        raise NotImplementedError

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """Every option, its own first."""
        own = [f for f in fields(cls) if f.name not in cls.common]
        common = [f for f in fields(cls) if f.name in cls.common]
        return tuple(
            Option(
                name=f.name,
                type=str(f.type),
                default=None if f.default is MISSING else f.default,
                about=f.metadata["about"],
                unit=f.metadata["unit"],
                minimum=f.metadata["minimum"],
                maximum=f.metadata["maximum"],
                choices=f.metadata["choices"],
            )
            for f in own + common
            if f.metadata
        )

    @classmethod
    def build(cls, values: Mapping[str, Any]) -> Self:
        """Create one with these options; raises BadPipeline naming the option that does not fit."""
        return cls(**cls._checked(values))

    def with_options(self, values: Mapping[str, Any]) -> Self:
        """The same with some options changed; raises BadPipeline naming the option that does not fit."""
        return replace(self, **self._checked(values))

    @classmethod
    def _checked(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        known = {o.name: o for o in cls.options()}
        for key in values:
            if key not in known:
                raise BadPipeline(
                    f"{cls.sort} {cls.name} has no option {key!r}{meant(key, known)};"
                    f" it has: {', '.join(sorted(known))}"
                )
        return {key: check_option(cls.name, known[key], value) for key, value in values.items()}


@dataclass(frozen=True, kw_only=True)
class Stage(Action):
    """Base of all stages: the options that each has. To run one, use `run_stage`."""

    sort: ClassVar[str] = "stage"
    common: ClassVar[tuple[str, ...]] = (
        "enabled",
        "only_if_smaller",
        "protect",
        "target_tokens",
        "target_share",
    )

    enabled: bool = option(True, "whether this stage runs")
    only_if_smaller: bool = option(True, "make only replacements that are shorter than what they replace")
    protect: bool = option(True, "leave protected blocks alone (pinned ones always stay)")
    target_tokens: int = option(
        0, "stop as soon as the conversation is this small; 0: never", unit="tokens", minimum=0
    )
    target_share: float = option(
        0.0,
        "stop as soon as the conversation fills only this share of the window; 0: never",
        minimum=0,
        maximum=1,
    )

    def target(self, context: Context) -> int:
        """Size in tokens (whatever the pipeline's unit) at which this stage stops; 0 means no target."""
        return max(self.target_tokens, int(self.target_share * context.window_tokens))


def run_stage(stage: Stage, messages: Messages, context: Context) -> StageResult:
    """Run a stage, unless it is disabled or its target is already met."""
    if not stage.enabled:
        return StageResult(messages, note="switched off")
    target = stage.target(context)
    if target:
        survey = context.survey(messages)
        tokens = survey.total(context.counts)
        if tokens <= target:
            within = f"{tokens:,} {context.counts.unit} are within the target of {target:,}"
            return StageResult(messages, note=within, size_before=survey.total(context.estimator))
    # Stages create no reference cycles, and collecting a large session's objects would be slow.
    with collector_paused():
        return stage(messages, context)
