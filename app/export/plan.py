"""The export plan: what an export would write, checked before anything is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from app.errors import InputError
from app.export.cancellation import TO_THE_END, Stopper
from app.export.checks import place_checks, rule_checks
from app.export.files import holds
from app.export.fingerprints import Fingerprints
from app.export.install import beside, installed_path
from app.export.results_index import free_name, planned_index
from app.export.resuming import Resuming, resuming_as
from app.export.share_plan import Unsealed, shared_files, shared_target, sharing_checks, unsealed
from app.formats import format_named
from app.formats.base import Format, Rewrite, Rewriting
from app.formats.notices import first_words, headline
from app.formats.source import FileSource, Source
from app.formats.text_copies import lost_words
from app.model import Boundary, Message, Session, Text
from app.settings import data_dir, in_agent_dir
from app.stages.base import Messages, PlannedFile
from app.work.checks import Check, CheckLevel, RuleBook
from app.work.pricing import Pricing, pricing
from app.work.workspace import Step, Workspace

if TYPE_CHECKING:
    from app.masking import MaskingOptions

UNSEEN_TOKENS = 40_000
"""What a client sends beside the conversation (system prompt, tools, memory files): the median over
1,325 public sessions, used where a session has no usable usage record."""


class ExportOptions(Struct, frozen=True):
    """The options of an export; by default it writes a new file beside the original."""

    out: Path | None = None
    to_stdout: bool = False
    in_place: bool = False
    install: bool = False
    """Write into the folder where the session's agent looks for it."""
    backup_dir: Path | None = None
    backup: bool = True
    report: bool = True
    drop_old: bool = False
    slim: bool = False
    title: str | None = None
    share: MaskingOptions | None = None
    """For other people: masked, without what is sealed, and with no way back to this machine."""


@dataclass(frozen=True)
class ExportPlan:
    """Everything that a write would do. Making one changes nothing on disk."""

    session: Session
    source: Source
    format: Format
    pipeline: str
    pipeline_from: str
    """`preset`, or the file that the pipeline was read from."""
    steps: tuple[Step, ...]
    rewrite: Rewrite
    rewriting: Rewriting
    fingerprints: Fingerprints
    """Fingerprints of the planned messages, compared with those of the written file."""
    target: Path | None
    """None means standard output."""
    in_place: bool
    backup_folder: Path | None
    """The folder of backup, manifest and report; None if none is wanted."""
    backup: bool
    report: bool
    files: tuple[tuple[Path, PlannedFile], ...]
    """Files of saved results, and the list of removed ones."""
    index: Path | None
    """The file among these that is the list."""
    side_folder: tuple[Path, Path] | None
    """(from, to): the session's side folder, which a new session gets a copy of."""
    tokens_before: int
    tokens_after: int
    estimator: str
    cost: Pricing
    """What it costs and saves, while the prompt cache is warm or once it is cold."""
    words_gone: tuple[Text, ...]
    checks: tuple[Check, ...]
    share: MaskingOptions | None = None
    """What is masked beside the usual; None for an export that is not for other people."""
    sealed: int = 0
    """Sealed blocks that are left out."""
    moved: tuple[tuple[str, str], ...] = ()
    """Paths that texts of a shared session name, and where its reader finds those files."""

    @property
    def broken(self) -> tuple[Check, ...]:
        """The checks that forbid the write, whatever options are set."""
        return tuple(check for check in self.checks if check.level is CheckLevel.FAIL)

    @property
    def tokens_freed(self) -> int:
        """Tokens freed from the window: of the live segment, counted the same way before and after."""
        return self.tokens_before - self.tokens_after

    def bytes_freed(self, size_after: int | None = None) -> int:
        """Bytes by which the new file is smaller than the old one; negative if it is larger.

        `size_after` is the new file's size where it is known; else it is made once without writing it.
        """
        return self.source.size - (self.size_after() if size_after is None else size_after)

    def size_after(self, stopper: Stopper = TO_THE_END) -> int:
        """Bytes of the new file; makes it once without writing it. Raises Stopped."""
        return sum(map(len, stopper.each(self.rewriting.pieces())))

    @property
    def resuming(self) -> Resuming:
        """How to resume the new session from its target path."""
        session_id = self.session.session_id if self.in_place else self.rewrite.session_id
        if session_id is None or self.share is not None:
            return Resuming(None)
        target = self.target if self.target is None else self.target.resolve()
        return resuming_as(self.session, self.format, target, session_id, in_place=self.in_place)

    @property
    def target_words(self) -> str:
        """The target as a person reads it."""
        return "standard output" if self.target is None else str(self.target)


def typed_path(text: str) -> Path:
    """A path as typed, with `~` expanded; raises InputError if it is not a possible path."""
    try:
        os.fsencode(text)
        path = Path(text).expanduser()
    except (UnicodeError, RuntimeError) as error:
        raise InputError(f"{text!r} cannot be a file name ({error}): choose another one") from error
    if "\0" in text:
        raise InputError(f"{text!r} cannot be a file name: choose another one")
    return path


def make_plan(
    workspace: Workspace, source: Source, options: ExportOptions, stopper: Stopper = TO_THE_END
) -> ExportPlan:
    """The plan for what the workspace holds now.

    Raises InputError when nothing can be exported, or Stopped.
    """
    session = workspace.session
    _check(session, options)
    kind = format_named(session.format)
    session_id = None if options.in_place else workspace.new_id
    target = _target(source, kind, options, session_id, session)
    listed = _index(workspace, source, options, target)
    stopper.look()
    files = (*_planned_files(workspace, target), *((listed,) if listed else ()))
    moved: tuple[tuple[str, str], ...] = ()
    if options.share is not None and target is not None:
        files, moved = shared_files(files, listed, kind, target)
    kept = Unsealed(workspace.messages, 0) if options.share is None else unsealed(workspace.messages)
    before, after = workspace.tokens(session.live), workspace.tokens(kept.messages)
    fingerprints = Fingerprints()
    faults = RuleBook(session).faults(
        kept.messages,
        goes_on=options.share is None,
        watched=fingerprints.taken,
        looked=stopper.each,
    )
    rewrite = _rewrite(workspace, options, kept.messages, session_id)
    rewrite = replace(rewrite, faulty=faults.places, look=stopper.look)
    rewriting = kind.rewrite(session, rewrite)
    stopper.look()
    if not options.in_place:
        rewriting = replace(rewriting, pieces=partial(_ended, rewriting.pieces))
    return ExportPlan(
        session=session,
        source=source,
        format=kind,
        pipeline=workspace.pipeline.name,
        pipeline_from=workspace.pipeline.origin,
        steps=workspace.steps,
        rewrite=rewrite,
        rewriting=rewriting,
        fingerprints=fingerprints,
        target=target,
        in_place=options.in_place,
        backup_folder=_backup_folder(source, options),
        backup=options.backup or options.in_place,
        report=options.report,
        files=files,
        index=files[-1][0] if listed else None,
        side_folder=_side_folder(source, kind, target),
        tokens_before=before,
        tokens_after=after,
        estimator=workspace.estimator.describe(),
        cost=pricing(workspace),
        words_gone=workspace.words_gone,
        checks=(
            *workspace.checks(),
            *rule_checks(kind, faults, rewriting),
            *place_checks(source, kind, in_place=options.in_place),
            *(() if options.share is None else sharing_checks(session, kept.left_out)),
        ),
        share=options.share,
        sealed=kept.left_out,
        moved=moved,
    )


def _check(session: Session, options: ExportOptions) -> None:
    if not session.live:
        raise InputError(f"{session.name} contains no conversation: there is nothing to export")
    if options.share is not None and (options.in_place or options.install):
        raise InputError(
            "a shared session is for other people: write it to a new file outside the agents' folders"
        )


def _ended(pieces: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    """The pieces with a newline at the end of the file, as agents and line tools expect of a new one."""
    last = b""
    for piece in pieces():
        last = piece or last
        yield piece
    if not last.endswith(b"\n"):
        yield b"\n"


def _target(
    source: Source, kind: Format, options: ExportOptions, session_id: str | None, session: Session
) -> Path | None:
    if options.to_stdout:
        return None
    if options.install:
        return installed_path(session, kind, PurePath(source.name), session_id)
    if options.in_place:
        if not isinstance(source, FileSource):
            where = "standard input" if source.name == "-" else source.name
            raise InputError(f"{where} cannot be replaced in place: give --out PATH")
        return source.path.resolve()
    if options.share is not None:
        return shared_target(source, options.out)
    if options.out is not None:
        return options.out
    if not isinstance(source, FileSource):
        where = "standard input" if source.name == "-" else source.name
        raise InputError(f"a session from {where} needs --out PATH (or --out - for standard output)")
    return beside(source.path, kind.new_name(source.path, session_id))


def _with_title(rewrite: Rewrite, session: Session, options: ExportOptions) -> Rewrite:
    """The rewrite of a new session with its title; a shared one keeps its own unless told.

    A title that quotes words which were rewritten or taken out becomes that of what is left.
    """
    if options.title or options.share is not None:
        return replace(rewrite, title=options.title)
    title = session.title
    if any(title == headline(text) for text in lost_words(rewrite, session.live)):
        title = first_words(rewrite.messages)
    return replace(rewrite, title=f"{title or 'Session'} (compacted)")


def _rewrite(
    workspace: Workspace, options: ExportOptions, messages: Messages, session_id: str | None
) -> Rewrite:
    """The request to the format's writer, as far as it is known before the rules are checked."""
    rewrite = Rewrite(
        messages=messages,
        boundary=_boundary(workspace),
        session_id=session_id,
        context_tokens=_context_tokens(workspace) if workspace.changes else None,
        drop_old=options.drop_old,
        slim=options.slim,
    )
    return rewrite if session_id is None else _with_title(rewrite, workspace.session, options)


def _boundary(workspace: Workspace) -> Boundary | None:
    """The newest boundary that the steps made and that hides what came before.

    One whose message a later step took out again hides nothing.
    """
    there = {message.boundary.key for message in workspace.messages if message.boundary is not None}
    made = [step.result.boundary for step in workspace.steps if step.result.boundary]
    return next((b for b in reversed(made) if b.hides and b.key in there), None)


def _context_tokens(workspace: Workspace) -> int:
    """What the newest usage record is set to, so that the agent does not compact at once.

    A usage tells of what stood before its reply, so only what was freed there is taken from it, and
    the result is never less than what stays there.
    """
    session = workspace.session
    last = session.last_usage
    if last is None or last.context <= 0:
        return max(1, workspace.tokens(workspace.messages) + UNSEEN_TOKENS)
    before = workspace.tokens(_up_to_usage(session.live))
    after = workspace.tokens(_up_to_usage(workspace.messages))
    return max(1, after, last.context - (before - after))


def _up_to_usage(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages before the newest reply that reports a context size; all if none does."""
    for place in range(len(messages) - 1, -1, -1):
        usage = messages[place].usage
        if usage is not None and usage.context:
            return messages[:place]
    return messages


def _backup_folder(source: Source, options: ExportOptions) -> Path | None:
    if options.share is not None:
        return None
    if options.backup_dir is not None or not isinstance(source, FileSource):
        return options.backup_dir
    path = source.path.resolve()
    return data_dir() / "backups" if in_agent_dir(path) else path.parent / ".transcripts"


def _planned_files(workspace: Workspace, target: Path | None) -> tuple[tuple[Path, PlannedFile], ...]:
    files = [file for step in workspace.steps for file in step.result.files]
    if not files:
        return ()
    root = _root(workspace, target)
    if not all(file.root or root for file in files):
        raise InputError(
            "this export also saves results to files, so it cannot go to standard output: give --out PATH"
        )
    return tuple((Path(file.root or root) / file.path, file) for file in files)


def _index(
    workspace: Workspace, source: Source, options: ExportOptions, target: Path | None
) -> tuple[Path, PlannedFile] | None:
    """The list of the removed results; it never replaces another file.

    Where an earlier export put another list there, this one and what names it move on.
    """
    if target is None:
        return None
    where = f"{Path(source.name).resolve()}" if isinstance(source, FileSource) else "the session as it was"
    if options.share is not None:
        where = "the session as it was"
    if options.in_place:
        where = f"the backup in {_backup_folder(source, options)}"
    planned = planned_index(workspace, _root(workspace, target), where)
    if planned is None:
        return None
    path = Path(planned.root) / planned.path
    if holds(path, planned.text) or free_name(path) == str(path):
        return path, planned
    workspace.list_results_in(free_name(path))
    return _index(workspace, source, options, target)


def _root(workspace: Workspace, target: Path | None) -> str:
    """The folder below which results are saved."""
    return workspace.root or (str(target.parent) if target else "")


def _side_folder(source: Source, kind: Format, target: Path | None) -> tuple[Path, Path] | None:
    if target is None or not isinstance(source, FileSource) or target == source.path.resolve():
        return None
    old, new = kind.side_folder(source.path.resolve()), kind.side_folder(target)
    if old is None or new is None or not Path(old).is_dir():
        return None
    return Path(old), Path(new)
