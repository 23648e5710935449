"""Exports for the clients to resume, made as the program makes them, without a screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.formats import detect, fresh_id, open_session, open_source
from app.formats.base import Rewrite
from app.model import Author, Boundary, Held, Message, Role, Session, Text, ToolResult
from app.opening import open_workspace
from app.operation_text import do_typed
from app.pipeline import FIRST, Pipeline, PipelineStep
from app.stages import stage_named
from app.work.stage_inputs import give_refusal

SUMMARY: Final = "What was done so far: the cart was mended and its tests pass."

Pairs = list[tuple[str, dict[str, Any]]]
ByHand: TypeAlias = Callable[[Session], Iterable[str]]

LOW: Final[Mapping[str, Any]] = {
    "head_chars": 80,
    "head_messages": 2,
    "keep_recent": 1,
    "keep_turns": 0,
    "max_batch_chars": 500,
    "max_messages": 6,
    "max_result_chars": 300,
    "max_total_chars": 1_000,
    "min_chars": 20,
    "min_messages": 4,
    "open_at_tokens": 0,
    "preview_chars": 100,
    "save_over_chars": 300,
    "source": ("structured",),
    "tail_chars": 40,
    "target_chars": 1_000,
    "target_share": 0.0,
    "target_tokens": 0,
    "trigger_tokens": 0,
    "views": 1,
    "window_tokens": 1_000,
}
"""Options under which every stage finds something to do in a small session."""


def pipeline_of(stage: str, **options: Any) -> Pipeline:
    """A pipeline of one stage."""
    return Pipeline(stage, stage, "", "utf16", (PipelineStep(stage, stage_named(stage).build(options)),))


def lowered(pipeline: Pipeline) -> Pipeline:
    """The same pipeline with every limit low."""
    known = {step.name: {option.name for option in step.stage.options()} for step in pipeline.steps}
    low = {name: {option: LOW[option] for option in LOW if option in names} for name, names in known.items()}
    return pipeline.with_options(low)


@dataclass(frozen=True, slots=True)
class Exported:
    """A session for a client to resume, and the conversation that it must send then."""

    file: Path
    session_id: str
    original: Pairs
    planned: Pairs
    changes: int
    """How many blocks the pipeline changed."""
    context_before: int
    """Tokens of the context as the original's newest usage has them."""
    context_after: int

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The planned conversation without its keys."""
        return [message for _, message in self.planned]


def export(
    session: Path,
    pipeline: Pipeline | None = None,
    *,
    leaf: str | None = None,
    in_place: bool = False,
    slim: bool = False,
    refusal: str = "",
    by_hand: ByHand | None = None,
) -> Exported:
    """Export a session beside itself through a pipeline; without one, unchanged under a new id.

    `leaf` chooses a branch; `refusal` is what the provider said, for a stage that answers that;
    `by_hand` gives operations that a person types.
    The planned conversation is the plan's own; where writing mended something it is what the new file
    holds, and the writer's own tests say what mending does.
    """
    opened = open_workspace(str(session), leaf=leaf, pipeline=FIRST, exact=False)
    workspace = opened.workspace
    if pipeline is not None:
        workspace.choose(pipeline)
        if refusal:
            give_refusal(workspace, pipeline.steps[-1].name, refusal)
        workspace.run_all()
    for typed in by_hand(workspace.session) if by_hand else ():
        do_typed(workspace, typed, allow_words=True)
    plan = make_plan(
        workspace, opened.source, ExportOptions(in_place=in_place, slim=slim, backup=False, report=False)
    )
    written = write(plan, drop_user_words=True)
    session_id = plan.rewrite.session_id or plan.session.session_id
    assert written.target is not None and session_id is not None
    holder, messages = plan.session, plan.rewrite.messages
    if plan.rewriting.repairs:
        holder, _ = open_session(written.target)
        messages = holder.live
    last = plan.session.last_usage
    before = 0 if last is None else last.context
    return Exported(
        file=written.target,
        session_id=session_id,
        original=list(plan.format.request(plan.session, plan.session.live)),
        planned=list(plan.format.request(holder, messages)),
        changes=len(workspace.changes),
        context_before=before,
        context_after=plan.rewrite.context_tokens or before,
    )


def summarised(session: Path, *, drop_old: bool = False) -> Exported:
    """Export a session as a boundary, a summary, and the tail from the person's newest words on.

    Of a session of one turn the tail is the newest reply.
    """
    source = open_source(session)
    kind = detect(source)
    opened = kind.read(source)
    prompts = (i for i, message in enumerate(opened.live) if _is_prompt(message))
    start = max(prompts, default=0) or _newest_reply(opened)
    boundary = Boundary(
        "made/boundary", "manual", "structured", tokens_before=9_000, tokens_after=900, removed=start
    )
    words = Text("made/summary/0", Held(SUMMARY), Author.SUMMARY)
    summary = Message("made/summary", Role.USER, (words,), boundary=boundary)
    messages = (summary, *opened.live[start:])
    session_id = fresh_id(opened)
    assert session_id is not None
    wish = Rewrite(messages, boundary, session_id, context_tokens=9_000, drop_old=drop_old)
    target = session.parent / kind.new_name(session, session_id)
    rewriting = kind.rewrite(opened, wish)
    target.write_bytes(b"".join(rewriting.pieces()))
    holder, planned = opened, messages
    if rewriting.repairs:
        holder, _ = open_session(target)
        planned = holder.live
    return Exported(
        file=target,
        session_id=session_id,
        original=list(kind.request(opened, opened.live)),
        planned=list(kind.request(holder, planned)),
        changes=start,
        context_before=opened.last_usage.context if opened.last_usage else 0,
        context_after=9_000,
    )


def _is_prompt(message: Message) -> bool:
    """Whether a message holds words of the person; not one that answers calls too, which belongs to these."""
    if any(isinstance(block, ToolResult) for block in message.blocks):
        return False
    return any(isinstance(block, Text) and block.author is Author.USER for block in message.blocks)


def _newest_reply(session: Session) -> int:
    return max(i for i, message in enumerate(session.live) if message.role is Role.ASSISTANT)
