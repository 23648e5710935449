"""Giving a stage what it waits for: a memory, a summary, a provider's refusal.

Each of these is an operation like any other: it is replayed, undone and written to recipes with its
text. What is given can be given by any face; only `ask_model` lets something out, after a yes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from app.display import counted
from app.errors import InputError, SummaryFailed
from app.model import Author, Held, Text, blocks_of
from app.refusal import read_refusal
from app.stages.recover import Recover
from app.stages.summarize import Summarize
from app.stages.summarizing import Summarizing
from app.stages.survey import Survey
from app.summarizers import SummaryRequest
from app.summarizers.asking import Ask
from app.summarizers.memory import MEMORY_TOKENS, memory_files, memory_text
from app.summarizers.model import obtain
from app.summarizers.structured import structured_summary
from app.work.history import Operation, OpKind
from app.work.workspace import Step, Workspace

MEMORY_BYTES: Final = 1 << 20
"""Of the largest file that is taken for a memory or a summary."""
REFUSAL_CHARS: Final = 2_000
"""Code points of the longest message of a session that is looked at as an error it was told."""


def sources(workspace: Workspace, step: str) -> tuple[str, ...]:
    """Where a stage's summary may come from; empty for one that writes none."""
    stage = workspace.stage(step)
    return stage.source if isinstance(stage, Summarizing) else ()


def summarizing_steps(workspace: Workspace) -> tuple[str, ...]:
    """The names of the steps that write a summary."""
    return tuple(
        planned.name for planned in workspace.pipeline.steps if isinstance(planned.stage, Summarizing)
    )


def recovering_step(workspace: Workspace) -> str | None:
    """The name of the step that deals with refusals; None where the pipeline has none."""
    steps = (planned.name for planned in workspace.pipeline.steps if isinstance(planned.stage, Recover))
    return next(steps, None)


def prefer(workspace: Workspace, step: str, source: str) -> bool:
    """Let a stage take its summary from this source first, now and not only when it is due.

    It is an operation on the stage's options. False where they say so already.
    """
    stage = workspace.stage(step)
    if not isinstance(stage, Summarizing):
        raise InputError(f"{step} does not write a summary")
    options: dict[str, Any] = {}
    if stage.source[:1] != (source,):
        options["source"] = (source, *(name for name in stage.source if name != source))
    if isinstance(stage, Summarize) and stage.when != "always" and not _writes(workspace, step):
        options["when"] = "always"
    if options:
        workspace.set_options(step, options)
    return bool(options)


def _writes(workspace: Workspace, step: str) -> bool:
    """Whether a stage writes a summary as things stand, or would if it had a text."""
    found = walked(workspace, step)
    return found is not None and (found.result.boundary is not None or found.result.wanted is not None)


def walked(workspace: Workspace, step: str) -> Step | None:
    """A step as it was walked, or as it would be if all before it were accepted."""
    return next((found for found in workspace.ahead if found.name == step and found.edit is None), None)


def starting_text(workspace: Workspace, step: str) -> str:
    """What a person's own summary may start from: the one they gave, else the one by rules."""
    given = workspace.state.given(step).summaries.hand
    found = walked(workspace, step)
    if given or found is None:
        return given
    return structured_summary(Survey(found.before).rest)


def offered_memories(workspace: Workspace) -> tuple[Path, ...]:
    """The memory files of the session's project that lie on this machine."""
    folder = workspace.session.cwd
    return memory_files(Path(folder)) if folder and Path(folder).is_absolute() else ()


def read_small_file(path: Path) -> str:
    """The text of a memory, a summary or an error; raises InputError for what cannot be one."""
    try:
        if not path.is_file():
            raise InputError(f"{path} is not a file")
        if path.stat().st_size > MEMORY_BYTES:
            raise InputError(f"{path} is larger than {MEMORY_BYTES >> 20} MiB: expected a short text file")
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def give_summary(workspace: Workspace, step: str, source: str, text: str, key: str = "") -> None:
    """Give a stage the text of a summary from `hand`, `memory` or `model`.

    `key` is that of the request that a model answered. Raises InputError for an empty text, and where
    the stage takes no summary from there.
    """
    known = sources(workspace, step)
    if source not in known:
        where = f"use {', '.join(known)}" if known else "it writes none"
        raise InputError(f"{step} does not take a summary from {source}: {where}")
    if not text.strip():
        raise InputError(f"the summary from {source} is empty: the removed messages would leave no trace")
    given = (("source", source), ("text", text), *((("key", key),) if key else ()))
    workspace.do(Operation(OpKind.SUMMARY, step, options=given))


def give_memory(workspace: Workspace, step: str, texts: Iterable[str]) -> str:
    """Give a stage what the project's memory files say, as much of it as may be; see `give_summary`.

    Tells what was left out of it, in words; empty for nothing.
    """
    text, left_out = memory_text(texts, workspace.estimator)
    limit = f"{MEMORY_TOKENS:,} tokens"
    if left_out and not text:
        raise InputError(f"the first line of the memory alone exceeds the limit of {limit}")
    give_summary(workspace, step, "memory", text)
    return f"the last {counted(left_out, 'line')} did not fit in {limit}" if left_out else ""


def give_refusal(workspace: Workspace, step: str, answer: str = "") -> None:
    """Give a stage what a provider answered when it refused the conversation as too long.

    Each one is a further attempt; an empty answer supposes a refusal. Raises InputError for an answer
    of another kind, and for a stage that deals with none.
    """
    if not isinstance(workspace.stage(step), Recover):
        raise InputError(f"{step} does not handle refusals")
    if answer.strip() and read_refusal(answer) is None:
        raise InputError("this error does not say that the conversation is too long")
    workspace.do(Operation(OpKind.REFUSAL, step, options=(("text", answer),)))


def told_refusals(workspace: Workspace) -> tuple[str, ...]:
    """The refusals that the session itself tells of, as agents note them: the newest first, each once."""
    told: dict[str, None] = {}
    for _, block in reversed(tuple(blocks_of(workspace.session.messages))):
        if not isinstance(block, Text) or block.author is Author.USER or block.content.chars > REFUSAL_CHARS:
            continue
        if read_refusal(block.content.preview) and read_refusal(text := block.content.read()):
            told[text] = None
    return tuple(told)


def reset(workspace: Workspace, step: str) -> None:
    """Forget a stage's failures and refusals."""
    workspace.stage(step)
    workspace.do(Operation(OpKind.RESET, step))


def note_failure(workspace: Workspace, step: str, reason: str) -> None:
    """Note that a summary could not be had: three in a row stop the stage."""
    workspace.do(Operation(OpKind.FAILURE, step, options=(("reason", reason),)))


def wanted(workspace: Workspace, step: str) -> SummaryRequest | None:
    """What a model would have to be asked for a stage, as things stand; None when nothing."""
    found = walked(workspace, step)
    return None if found is None else found.result.wanted


def prompt_tokens(workspace: Workspace, request: SummaryRequest) -> int:
    """Tokens of what a model would be sent, counted as the session's own are."""
    return workspace.estimator.block(Text("", Held(request.prompt), Author.INJECTED))


def ask_model(workspace: Workspace, step: str, ask: Ask, *, allowed: bool) -> None:
    """Ask a model for the summary that a stage wants, and give it to the stage.

    `allowed` is the person's yes to sending what `wanted` shows. A failure is noted, since three in a
    row stop the stage, and raised as SummaryFailed. Raises InputError where nothing is wanted.
    """
    request = wanted(workspace, step)
    if request is None:
        raise InputError(f"{step} does not need a summary from a model")
    try:
        answer = obtain(request, ask, allowed=allowed)
    except SummaryFailed as failure:
        if allowed:
            note_failure(workspace, step, str(failure))
        raise
    give_summary(workspace, step, "model", answer, request.key)
