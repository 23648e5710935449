"""Giving a stage what it waits for: a memory, a summary, a provider's refusal.

Each of these is an operation like any other: it is replayed, undone and written to recipes with its
text. What is given can be given by any face; only `ask_model` lets something out, after a yes.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.errors import InputError, SummaryFailed
from app.history import Deed, Operation
from app.refusal import read_refusal
from app.stages.recover import Recover
from app.stages.summarizing import Summarizing
from app.summarizers import SummaryRequest
from app.summarizers.memory import memory_text
from app.summarizers.model import Ask, obtain
from app.summarizers.proof import Proof, prove
from app.workspace import Workspace


def sources(workspace: Workspace, step: str) -> tuple[str, ...]:
    """Where a stage's summary may come from; empty for one that writes none."""
    stage = workspace.stage(step)
    return stage.source if isinstance(stage, Summarizing) else ()


def give_summary(workspace: Workspace, step: str, source: str, text: str, key: str = "") -> None:
    """Give a stage the text of a summary from `hand`, `memory` or `model`.

    `key` is that of the request that a model answered. Raises InputError for an empty text, and where
    the stage takes no summary from there.
    """
    known = sources(workspace, step)
    if source not in known:
        where = f"it takes one from {', '.join(known)}" if known else "it writes none"
        raise InputError(f"{step} takes no summary from {source}: {where}")
    if not text.strip():
        raise InputError(f"the summary from {source} is empty: nothing would be known of what goes")
    given = (("source", source), ("text", text), *((("key", key),) if key else ()))
    workspace.do(Operation(Deed.SUMMARY, step, options=given))


def give_memory(workspace: Workspace, step: str, texts: Iterable[str]) -> None:
    """Give a stage what the project's memory files say, as much of it as may be; see `give_summary`."""
    give_summary(workspace, step, "memory", memory_text(texts, workspace.estimator))


def give_refusal(workspace: Workspace, step: str, answer: str = "") -> None:
    """Give a stage what a provider answered when it refused the conversation as too long.

    Each one is a further attempt; an empty answer supposes a refusal. Raises InputError for an answer
    of another kind, and for a stage that deals with none.
    """
    if not isinstance(workspace.stage(step), Recover):
        raise InputError(f"{step} does not deal with refusals")
    if answer.strip() and read_refusal(answer) is None:
        raise InputError("that answer does not say that the conversation is too long")
    workspace.do(Operation(Deed.REFUSAL, step, options=(("text", answer),)))


def reset(workspace: Workspace, step: str) -> None:
    """Forget a stage's failures and refusals."""
    workspace.stage(step)
    workspace.do(Operation(Deed.RESET, step))


def wanted(workspace: Workspace, step: str) -> SummaryRequest | None:
    """What a model would have to be asked for a stage, as things stand; None when nothing."""
    for walked in workspace.ahead:
        if walked.name == step:
            return walked.result.wanted
    return None


def proof_of(workspace: Workspace, step: str) -> Proof | None:
    """A stage's summary held against what it stands for; None where nobody wrote one."""
    for walked in workspace.ahead:
        if walked.name == step and walked.result.written:
            return prove(walked.result.written, walked.before)
    return None


def ask_model(workspace: Workspace, step: str, ask: Ask, *, allowed: bool) -> None:
    """Ask a model for the summary that a stage wants, and give it to the stage.

    `allowed` is the person's yes to sending what `wanted` shows. A failure is noted, since three in a
    row stop the stage, and raised as SummaryFailed. Raises InputError where nothing is wanted.
    """
    request = wanted(workspace, step)
    if request is None:
        raise InputError(f"{step} wants no summary from a model")
    try:
        answer = obtain(request, ask, allowed=allowed)
    except SummaryFailed as failure:
        if allowed:
            workspace.do(Operation(Deed.FAILURE, step, options=(("reason", str(failure)),)))
        raise
    give_summary(workspace, step, "model", answer, request.key)
