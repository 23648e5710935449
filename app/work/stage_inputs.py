"""Supplies a stage with what it waits for: a memory, a summary, a provider's refusal.

Each input is an operation like any other: it is replayed, undone and written to recipes with its text.
Only `ask_model` sends anything out of the program, once the person agrees.
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
"""Maximum size of a file read as a memory or a summary."""
REFUSAL_CHARS: Final = 2_000
"""Maximum code points of a session message that is examined as an error message."""


def sources(workspace: Workspace, step: str) -> tuple[str, ...]:
    """The possible sources of a stage's summary; empty if the stage writes none."""
    stage = workspace.stage(step)
    return stage.source if isinstance(stage, Summarizing) else ()


def summarizing_steps(workspace: Workspace) -> tuple[str, ...]:
    """The names of the steps that write a summary."""
    return tuple(
        planned.name for planned in workspace.pipeline.steps if isinstance(planned.stage, Summarizing)
    )


def recovering_step(workspace: Workspace) -> str | None:
    """The name of the step that handles refusals; None if the pipeline has none."""
    steps = (planned.name for planned in workspace.pipeline.steps if isinstance(planned.stage, Recover))
    return next(steps, None)


def prefer(workspace: Workspace, step: str, source: str) -> bool:
    """Make a stage prefer this source for its summary, and run now rather than when its trigger is met.

    Recorded as an operation on the stage's options. False if they are already set so.
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
    """Whether a stage writes a summary now, or would if it had a text."""
    found = walked(workspace, step)
    return found is not None and (found.result.boundary is not None or found.result.wanted is not None)


def walked(workspace: Workspace, step: str) -> Step | None:
    """A step as it was run, or as it would be if all before it were accepted."""
    return next((found for found in workspace.ahead if found.name == step and found.edit is None), None)


def starting_text(workspace: Workspace, step: str) -> str:
    """The initial text for a person's own summary: the one they gave, else the rule-based one."""
    given = workspace.state.given(step).summaries.hand
    found = walked(workspace, step)
    if given or found is None:
        return given
    return structured_summary(Survey(found.before).rest)


def offered_memories(workspace: Workspace) -> tuple[Path, ...]:
    """The memory files of the session's project that exist on this machine."""
    folder = workspace.session.cwd
    return memory_files(Path(folder)) if folder and Path(folder).is_absolute() else ()


def read_small_file(path: Path) -> str:
    """Read the text of a memory, a summary or an error; raises InputError if it cannot be one."""
    try:
        if not path.is_file():
            raise InputError(f"{path} is not a file")
        if path.stat().st_size > MEMORY_BYTES:
            raise InputError(f"{path} is larger than {MEMORY_BYTES >> 20} MiB: expected a short text file")
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def give_summary(workspace: Workspace, step: str, source: str, text: str, key: str = "") -> None:
    """Supply a stage with a summary from `hand`, `memory` or `model`.

    `key` is the key of the request that the model answered. Raises InputError if the text is empty, or if
    the stage does not accept that source.
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
    """Supply a stage with the texts of the project's memory files, up to the limit; see `give_summary`.

    Returns what was left out, in words; empty if nothing was.
    """
    text, left_out = memory_text(texts, workspace.estimator)
    limit = f"{MEMORY_TOKENS:,} tokens"
    if left_out and not text:
        raise InputError(f"the first line of the memory alone exceeds the limit of {limit}")
    give_summary(workspace, step, "memory", text)
    return f"the last {counted(left_out, 'line')} did not fit in {limit}" if left_out else ""


def give_refusal(workspace: Workspace, step: str, answer: str = "") -> None:
    """Give a stage the provider's error message that refused the conversation as too long.

    Each call counts as a further attempt; an empty answer assumes a refusal. Raises InputError if the
    message is another error, or if the stage does not handle refusals.
    """
    if not isinstance(workspace.stage(step), Recover):
        raise InputError(f"{step} does not handle refusals")
    if answer.strip() and read_refusal(answer) is None:
        raise InputError("this error does not say that the conversation is too long")
    workspace.do(Operation(OpKind.REFUSAL, step, options=(("text", answer),)))


def told_refusals(workspace: Workspace) -> tuple[str, ...]:
    """The refusals recorded in the session by its agent, newest first, without duplicates."""
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
    """Record a failure to get a summary: three in a row stop the stage."""
    workspace.do(Operation(OpKind.FAILURE, step, options=(("reason", reason),)))


def wanted(workspace: Workspace, step: str) -> SummaryRequest | None:
    """The request to a model that a stage wants now; None if it wants none."""
    found = walked(workspace, step)
    return None if found is None else found.result.wanted


def prompt_tokens(workspace: Workspace, request: SummaryRequest) -> int:
    """Tokens of a request, counted with the session's own counter."""
    return workspace.estimator.block(Text("", Held(request.prompt), Author.INJECTED))


def ask_model(workspace: Workspace, step: str, ask: Ask, *, allowed: bool) -> None:
    """Ask a model for the summary that a stage wants, and supply it to the stage.

    `allowed` is the person's consent to sending what `wanted` returns. A failure is recorded (three in a
    row stop the stage) and raised as SummaryFailed. Raises InputError if no summary is wanted.
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
