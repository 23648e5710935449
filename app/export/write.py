"""Executes an export plan: back up the original, write and verify a temp file, rename it into place.

The order guarantees that a crash at any point leaves either the original or the new file intact:

1. check that the original is still what was opened (in place: by hash too);
2. write and fsync the backup to a temp file;
3. write the new file to a temp file, read it back and compare it with the plan; then write saved results;
4. write the manifest that describes the backup, and give the backup its final name;
5. rename the new file into place atomically; carry over what an agent appended to the old one meanwhile;
6. write the report.

An error or a cancellation before step 5 removes everything written so far; a crash leaves only temp files.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import __version__
from app.errors import FileChanged, RefusedError, WriteFailed
from app.export.artifacts import Backup, ExportArtifacts
from app.export.cancellation import Stop, Stopper, never
from app.export.files import (
    PRIVATE,
    StagedFile,
    beside,
    copy_folder,
    discard,
    encoded,
    holds,
    make_folder,
    publish_new,
    remove_if_empty,
    stage,
)
from app.export.locks import held, uninterrupted
from app.export.plan import ExportPlan
from app.export.plan_json import plan_as_json
from app.export.readback import compare_with_plan
from app.export.replacing import Replaced, put_over
from app.formats.source import FileSource, chunks, identity_of, sha256
from app.settings import data_dir, in_agent_dir

if TYPE_CHECKING:
    from app.export.sharing import Sharing

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Written:
    """What an export wrote."""

    plan: ExportPlan
    target: Path | None
    backup: Path | None
    manifest: Path | None
    report: Path | None
    files: tuple[Path, ...]
    size: int
    sha256: str
    no_report: str | None = None
    """Why there is no report although one was wanted: the session itself is in place then."""
    shared: Sharing | None = None
    """What was masked; None for an export that is not for other people."""
    carried: int = 0
    """Bytes that an agent appended to the original during the replacement; they now end the new file."""
    still_open: tuple[str, ...] = ()
    """Programs that still have the replaced file open for writing: their further writes are lost."""

    def as_json(self) -> dict[str, Any]:
        """The object that `compact --json` prints."""
        return {
            **plan_as_json(self.plan, self.size),
            "backup": None if self.backup is None else str(self.backup),
            "manifest": None if self.manifest is None else str(self.manifest),
            "report": None if self.report is None else str(self.report),
            "no_report": self.no_report,
            "files": [str(path) for path in self.files],
            "size": self.size,
            "sha256": self.sha256,
            "share": None if self.shared is None else self.shared.as_json(),
            "carried_over": self.carried,
            "still_open": list(self.still_open),
            "written": True,
        }


def why_refused(plan: ExportPlan, *, drop_user_words: bool) -> str | None:
    """Why this plan may not be written, or None if it may."""
    if obstacle := _obstacle(plan):
        return f"refused: {obstacle}"
    if plan.broken:
        return f"refused: {plan.broken[0].text}; undo the step that does it"
    if plan.words_gone and not drop_user_words:
        return (
            f"refused: {len(plan.words_gone)} of your messages would be lost;"
            " allow it with --drop-user-words (or tick the line in the export dialog)"
        )
    return None


def _obstacle(plan: ExportPlan) -> str | None:
    """Why the target path cannot be used, as far as can be checked before writing; None if it can."""
    target = plan.target
    if target is None or plan.in_place:
        return None
    if _is_folder(target):
        return f"{target} is a folder: give a file name"
    if os.path.lexists(target):
        return f"{target} already exists: choose another name"
    if plan.share is not None and plan.side_folder is not None and os.path.lexists(plan.side_folder[1]):
        return f"{plan.side_folder[1]} already exists, from another export: choose another name"
    if not _is_folder(target.parent) and not in_agent_dir(target):
        if os.path.lexists(target.parent):
            return f"{target.parent} is not a folder: choose another place"
        return f"{target.parent} does not exist: create it or choose another place"
    return None


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def write(
    plan: ExportPlan,
    *,
    drop_user_words: bool = False,
    progress: Progress | None = None,
    stop: Stop = never,
) -> Written:
    """Execute a plan.

    Raises RefusedError, FileChanged, WriteFailed or Stopped; the original is then unchanged and everything
    written so far is removed, the backup included.
    """
    reason = why_refused(plan, drop_user_words=drop_user_words)
    if reason:
        raise RefusedError(reason)
    _check_unchanged(plan)
    with ExitStack() as undo:
        export = _Export(plan, undo, progress or (lambda _: None), stop)
        export.back_up()
        written = export.to_stdout() if plan.target is None else export.to_file(plan.target)
    return export.with_report(written)


class _Export:
    """One export in progress.

    `undo` removes everything written so far; it is emptied once the new session is in place.
    """

    def __init__(self, plan: ExportPlan, undo: ExitStack, say: Progress, stop: Stop) -> None:
        self.plan = plan
        self._undo = undo
        self._say = say
        words = f"{plan.target_words} was not written, the original is untouched"
        self._stopper = Stopper(stop, words)
        self._sharing = _sharing_of(plan)
        self._papers = _papers(plan)
        self._backup: Backup | None = None

    def back_up(self) -> None:
        """Write the backup to a temp file; `_with_papers` gives it its final name."""
        artifacts = self._papers
        if artifacts is not None:
            self._undo.callback(artifacts.remove_folders)
            if self.plan.backup:
                self._say("Backing up")
                source = self.plan.source
                self._backup = artifacts.back_up(source, self._stopper.each(chunks(source)))
                self._undo.callback(discard, self._backup.staged.path)

    def to_file(self, target: Path) -> Written:
        """Write the new file, verify it and rename it into place."""
        plan = self.plan
        self._say("Writing")
        if in_agent_dir(target):
            self._make_folder(target.parent)
        staged = self._proved(target)
        _check_unchanged(plan)
        files = tuple(self._files())
        written = Written(
            plan, target, None, None, None, files, staged.size, staged.sha256, shared=self._sharing
        )
        self._stopper.look()
        with uninterrupted():
            written = self._with_papers(written)
            if plan.in_place:
                replaced = self._replace(target, staged)
                self._undo.pop_all()
                writers = replaced.settle()
                return replace(written, carried=replaced.carried, still_open=writers)
            publish_new(staged, target)
            self._undo.pop_all()
        return written

    def _proved(self, target: Path) -> StagedFile:
        """Write the new file to a temp file, compare it with the plan, and mask it if it is shared."""
        plan, sharing = self.plan, self._sharing
        mode = plan.source.identity.mode if plan.in_place and isinstance(plan.source, FileSource) else PRIVATE
        staged = stage(_staging_folder(plan, target), self._stopper.each(plan.rewriting.pieces()), mode)
        self._undo.callback(discard, staged.path)
        self._say("Reading back")
        compare_with_plan(staged, plan, self._stopper)
        if sharing is not None:
            self._say("Masking")
            staged = sharing.staged(staged, self._stopper)
            self._undo.callback(discard, staged.path)
        return staged

    def _files(self) -> Iterator[Path]:
        """Write the files that accompany the new session; yields each path written."""
        # The session's folder comes first: it is renamed into place whole, so its name must not exist yet.
        if self.plan.side_folder is not None:
            old, new = self.plan.side_folder
            with uninterrupted():
                made = copy_folder(old, new, None if self._sharing is None else self._sharing.copy)
                if made:
                    self._undo.callback(shutil.rmtree, new, ignore_errors=True)
            yield from made
        for path, file in self.plan.files:
            text = file.text if self._sharing is None else self._sharing.text(file.text, path)
            # A file with other content is never overwritten.
            if not holds(path, text):
                self._make_folder(path.parent)
                with uninterrupted():
                    publish_new(stage(path.parent, [encoded(text)]), path)
                    self._undo.callback(discard, path)
                yield path

    def _make_folder(self, folder: Path) -> None:
        with uninterrupted():
            for made in make_folder(folder):
                self._undo.callback(remove_if_empty, made)

    def _with_papers(self, written: Written) -> Written:
        """Give the backup its final name and write the manifest; a shared session gets its own manifest."""
        if self._sharing is not None:
            paper = self._sharing.write_manifest(written.size, written.sha256, written.files)
            if paper is not None:
                self._undo.callback(discard, paper)
            return replace(written, manifest=paper)
        if self._papers is None:
            return written
        kept = self._papers.keep(self._backup, _manifest(written, self._papers.made, self._backup))
        self._undo.callback(kept.discard)
        return replace(written, backup=kept.backup, manifest=kept.manifest)

    def _replace(self, target: Path, staged: StagedFile) -> Replaced:
        source = self.plan.source
        assert isinstance(source, FileSource), "nothing else has a place"
        with held(target):
            local = beside(staged, target)
            self._undo.callback(discard, local.path)
            _check_unchanged(self.plan)
            _check_same_bytes(self.plan, self._backup)
            replaced = put_over(local, target, source, carries=True)
            replaced.carry_over()
        return replaced

    def to_stdout(self) -> Written:
        """Print the new session."""
        if self._sharing is not None:
            return self._shared_to_stdout(self._sharing)
        written = _printed(self.plan, self.plan.rewriting.pieces(), None)
        with uninterrupted():
            written = self._with_papers(written)
            self._undo.pop_all()
        return written

    def _shared_to_stdout(self, sharing: Sharing) -> Written:
        # A shared session is verified before its first byte is printed, so it is staged in a temp file.
        folder = data_dir() / "staging"
        make_folder(folder)
        whole = stage(folder, self.plan.rewriting.pieces())
        self._undo.callback(discard, whole.path)
        compare_with_plan(whole, self.plan)
        staged = sharing.staged(whole)
        self._undo.callback(discard, staged.path)
        with FileSource(staged.path) as source:
            return _printed(self.plan, chunks(source), sharing)

    def with_report(self, written: Written) -> Written:
        """Write the report beside the backup; a failure is noted in `no_report` instead of raised."""
        if self._papers is None or not self.plan.report or self.plan.share is not None:
            return written
        try:
            return replace(written, report=self._papers.write("report", written.as_json()))
        except WriteFailed as error:
            return replace(written, no_report=str(error))


def _printed(plan: ExportPlan, pieces: Iterator[bytes], sharing: Sharing | None) -> Written:
    digest, size = hashlib.sha256(), 0
    for piece in pieces:
        digest.update(piece)
        size += sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
    return Written(plan, None, None, None, None, (), size, digest.hexdigest(), shared=sharing)


def _staging_folder(plan: ExportPlan, target: Path) -> Path:
    """The folder of the temp file: never an agent's, which might take the temp file for a session.

    Nor the target's when sharing: a crash would leave an unmasked file among those to be shared.
    """
    if plan.share is not None or in_agent_dir(target):
        folder = data_dir() / "staging"
        make_folder(folder)
        return folder
    return target.parent


def _check_unchanged(plan: ExportPlan) -> None:
    """Raise FileChanged if the original is no longer the file that was opened."""
    source = plan.source
    if not isinstance(source, FileSource):
        return
    if not source.is_whole():
        raise FileChanged(f"{source.path} was rewritten since it was opened: reopen it")
    try:
        now = identity_of(source.path.stat())
    except OSError as error:
        if not plan.in_place:
            return
        raise FileChanged(f"{source.path} is gone, so it cannot be replaced") from error
    if plan.in_place and now != source.identity:
        raise FileChanged(
            f"{source.path} changed since it was opened: reopen it, or write a new file instead"
        )


def _check_same_bytes(plan: ExportPlan, backup: Backup | None) -> None:
    """Raise FileChanged if the file's hash differs from the backup's, even if size and time are equal."""
    source = plan.source
    if isinstance(source, FileSource):
        with FileSource(source.path) as now:
            if sha256(now) != (sha256(source) if backup is None else backup.staged.sha256):
                raise FileChanged(f"{source.path} no longer has the content that was opened: reopen it")


def _stem(plan: ExportPlan) -> str:
    return "stdin" if plan.source.name == "-" else Path(plan.source.name).stem[:100] or "session"


def _sharing_of(plan: ExportPlan) -> Sharing | None:
    if plan.share is None:
        return None
    # Imported lazily: most exports are not shared.
    from app.export.sharing import sharing_of

    return sharing_of(plan)


def _papers(plan: ExportPlan) -> ExportArtifacts | None:
    """The artifacts of this export; None if it has no backup folder."""
    if plan.backup_folder is None:
        return None
    return ExportArtifacts(plan.backup_folder, _stem(plan))


def _manifest(written: Written, made: str, backup: Backup | None) -> dict[str, Any]:
    """Hashes, modes and places, by which `verify` compares and `restore` finds its way back."""
    plan, source = written.plan, written.plan.source
    return {
        "handcompact": __version__,
        "made": made,
        "in_place": plan.in_place,
        "pipeline": plan.pipeline,
        "format": plan.format.name,
        "source": {
            "path": source.name if source.name == "-" else str(Path(source.name).resolve()),
            "size": source.size,
            "sha256": sha256(source) if backup is None else backup.staged.sha256,
            "mode": source.identity.mode if isinstance(source, FileSource) else None,
        },
        "backup": None,
        "target": {"path": plan.target_words, "size": written.size, "sha256": written.sha256},
        "session_id": plan.rewrite.session_id,
        "files": [str(path) for path in written.files],
    }
