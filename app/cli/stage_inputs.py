"""What a stage waits for, given on the command line: a summary, a memory, a refusal, a model."""

from __future__ import annotations

from argparse import Namespace

from app.cli.output import Told, complain
from app.cli.summaries import ask_of, path_of, proved, provider_of
from app.errors import InputError
from app.work.stage_inputs import (
    ask_model,
    give_memory,
    give_refusal,
    give_summary,
    prefer,
    read_small_file,
    recovering_step,
    summarizing_steps,
)
from app.work.summary_requests import ForStage
from app.work.workspace import Workspace


def give(workspace: Workspace, args: Namespace) -> Told:
    """Give the pipeline's stages what the arguments hold, and hold what was written against the session.

    Raises InputError for what no stage of the pipeline takes, NotSent for a prompt without a yes, and
    SummaryFailed where the model gave nothing.
    """
    for answer in args.refusal:
        step = recovering_step(workspace)
        if step is None:
            raise InputError(f"{workspace.pipeline.name} has no stage that handles a refusal")
        give_refusal(workspace, step, _text_or_file(answer))
    if args.memory:
        step = _summarizing(workspace, args)
        prefer(workspace, step, "memory")
        if left_out := give_memory(workspace, step, map(read_small_file, map(path_of, args.memory))):
            complain(f"! memory: {left_out}")
    provider = provider_of(args)
    if provider is None and not args.summary_file:
        return ()
    wish = ForStage(workspace, _summarizing(workspace, args))
    if args.summary_file:
        prefer(workspace, wish.title, "hand")
        give_summary(workspace, wish.title, "hand", read_small_file(path_of(args.summary_file)))
    if provider is not None:
        wish.begin()
        request, _ = wish.request()
        if request is None:
            raise InputError(f"{wish.title} needs no summary from a model here")
        ask = ask_of(workspace, wish.title, request, provider, args)
        ask_model(workspace, wish.title, ask, allowed=True)
    return proved(wish, args)


def _summarizing(workspace: Workspace, args: Namespace) -> str:
    """The stage that a summary is for: the one that recovers if a refusal is given, else the first."""
    steps = summarizing_steps(workspace)
    recovering = recovering_step(workspace)
    if args.refusal and recovering is not None:
        return recovering
    if not steps:
        raise InputError(f"{workspace.pipeline.name} has no stage that writes a summary")
    return steps[0]


def _text_or_file(text: str) -> str:
    return read_small_file(path_of(text[1:])) if text.startswith("@") else text
