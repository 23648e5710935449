"""Builds the command line equivalent to what was done on the screens."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from msgspec import Struct

from app.display import counted
from app.edits import Edit
from app.edits.base import BlockEdit
from app.edits.typed import typed
from app.errors import BadPipeline
from app.export.plan import ExportOptions
from app.export.shell_quoting import quoted
from app.formats.source import Source
from app.pipeline import load
from app.summarizers import NO_SUMMARIES
from app.views.stage_view import option_values, value_words
from app.work.workspace import Status, Step, Workspace


class Equivalent(Struct, frozen=True):
    """A command line, and what was done on the screens that it cannot express."""

    command: str
    """Quoted for a POSIX shell."""
    missing: tuple[str, ...]


def equivalent_command(
    workspace: Workspace,
    source: Source,
    options: ExportOptions,
    *,
    drop_user_words: bool = False,
    index: bool = True,
) -> Equivalent:
    """The `handcompact` command that exports what the workspace holds, as far as it can be expressed.

    It is `compact`, or `edit` if anything was pinned or edited by hand. `index` says whether the index of
    removed results is written.
    """
    # A name that begins with a dash would be parsed as an option.
    file = f"./{source.name}" if source.name.startswith("-") and source.name != "-" else source.name
    by_hand = list(_operations(workspace))
    words = ["handcompact", "edit" if by_hand else "compact", file, *_branch(workspace)]
    words += ["--pipeline", workspace.pipeline.reference]
    for setting in _settings(workspace, all_run=not by_hand):
        words += ["--set", setting]
    if workspace.state.unchanged:
        words.append("--look-at-disk")
    for operation in by_hand:
        words += ["--do", operation]
    words += _wishes(options)
    if not index:
        words.append("--no-index")
    if drop_user_words:
        words.append("--drop-user-words")
    return Equivalent(" ".join(map(quoted, words)), tuple(_missing(workspace, source)))


def _branch(workspace: Workspace) -> list[str]:
    session = workspace.session
    chosen = session.live_leaf if len(session.leaves) > 1 else None
    return [] if chosen is None else ["--leaf", chosen]


def _operations(workspace: Workspace) -> Iterator[str]:
    """The `--do` operations: pins, edits and the stages between them; none if only a pipeline was run."""
    pins, steps = workspace.state.pins, workspace.steps
    if not pins and all(step.edit is None for step in steps):
        return
    if pins:
        yield shlex.join(["pin", *sorted(pins)])
    for step in steps:
        if step.edit is None:
            yield "skip" if step.status is Status.SKIPPED else "run"
        elif step.changes:
            yield typed(_as_done(step.edit, step))


def _as_done(edit: Edit, step: Step) -> Edit:
    """The edit restricted to the blocks it changed, if pins protected some of those it was given."""
    if not isinstance(edit, BlockEdit) or not step.result.protected:
        return edit
    return edit.with_keys(change.key for change in step.changes)


def _settings(workspace: Workspace, *, all_run: bool) -> Iterator[str]:
    """The `--set` settings: options that differ from the pipeline as the command would load it.

    With `all_run` (the command runs every stage), skipped stages are disabled.
    """
    try:
        loaded = load(workspace.pipeline.reference)
    except BadPipeline:
        loaded = workspace.pipeline
    presets = {step.name: step.stage for step in loaded.steps}
    stages = [step for step in workspace.steps if step.edit is None]
    run = {step.name: step for step in stages if step.status is not Status.SKIPPED}
    for planned in workspace.pipeline.steps:
        if planned.name not in run:
            if all_run:
                yield f"{planned.name}.enabled=false"
            continue
        stage = run[planned.name].action
        for option in option_values(stage, presets.get(planned.name, planned.stage)):
            if option.is_changed:
                yield f"{planned.name}.{option.option.name}={value_words(option.value)}"


def _wishes(options: ExportOptions) -> Iterator[str]:
    if options.in_place:
        yield "--in-place"
    elif options.install:
        yield "--install"
    elif options.to_stdout or options.out is not None:
        yield from ("--out", "-" if options.out is None else str(options.out))
    if options.backup_dir is not None:
        yield from ("--backup-dir", str(options.backup_dir))
    if not options.backup and not options.in_place:
        yield "--no-backup"
    if not options.report:
        yield "--no-report"
    if options.drop_old:
        yield "--drop-old"
    if options.slim:
        yield "--slim"
    if options.title is not None:
        yield from ("--title", options.title)
    if options.share is not None:
        yield "--share"
        if options.share.addresses:
            yield "--mask-emails"
        for word in options.share.words:
            yield from ("--mask", word)


def _missing(workspace: Workspace, source: Source) -> Iterator[str]:
    state = workspace.state
    refused = sum(map(len, state.refused.values()))
    if refused:
        yield counted(refused, "rejected change")
    given = sum(summaries != NO_SUMMARIES for summaries in state.summaries.values())
    if given:
        yield "1 summary" if given == 1 else f"{given} summaries"
    if refusals := sum(map(len, state.refusals.values())):
        yield counted(refusals, "refusal")
    if source.name == "-":
        yield "standard input"
