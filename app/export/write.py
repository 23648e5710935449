"""Carrying out an export plan: backup first, then a staged file that is read back, then its name.

Order, so that a crash at any point leaves the original whole or the new file whole:

1. the original is compared with what was opened (in place: by its hash too);
2. backup and manifest are written and synced;
3. saved results and the new file are written under unfinished names and synced;
4. the new file is read back and compared with the plan;
5. the new file gets its name at once; the report follows.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msgspec import Struct

from app import __version__
from app.errors import FileChanged, RefusedError, Stopped, WriteFailed
from app.export.as_json import plan_as_json
from app.export.files import (
    PRIVATE,
    append,
    copy_folder,
    discard,
    encoded,
    holds,
    make_folder,
    publish_free,
    publish_new,
    publish_over,
    stage,
)
from app.export.guard import held
from app.export.plan import ExportPlan
from app.export.readback import compare_with_plan
from app.export.sharing import Sharing, sharing_of
from app.formats.source import FileSource, chunks, identity_of, sha256
from app.settings import data_dir, in_agent_dir

Progress = Callable[[str], None]
Stop = Callable[[], bool]
"""Asked again and again while a file is written; true ends it."""


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
            "written": True,
        }


def why_refused(plan: ExportPlan, *, drop_user_words: bool) -> str | None:
    """Why this plan may not be written as it is; None when it may."""
    if obstacle := _obstacle(plan):
        return f"refused: {obstacle}"
    if plan.broken:
        return f"refused: {plan.broken[0].text}; undo the step that does it"
    if plan.words_gone and not drop_user_words:
        return (
            f"refused: {len(plan.words_gone)} of your own messages would go;"
            " allow it with --drop-user-words (or tick the line in the export dialog)"
        )
    return None


def _obstacle(plan: ExportPlan) -> str | None:
    """What is in the way of the new file, as far as can be seen now."""
    target = plan.target
    if target is None or plan.in_place:
        return None
    if _is_folder(target):
        return f"{target} is a folder: name a file"
    if os.path.lexists(target):
        return f"{target} exists already: choose another name"
    if plan.share is not None and plan.side_folder is not None and os.path.lexists(plan.side_folder[1]):
        return f"{plan.side_folder[1]} exists already, from another export: choose another name"
    if not _is_folder(target.parent) and not in_agent_dir(target):
        return f"{target.parent} does not exist: make it, or choose another place"
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
    stop: Stop = lambda: False,
) -> Written:
    """Carry out a plan; raises RefusedError, FileChanged, WriteFailed or Stopped, and leaves nothing half
    written. A backup that was made before stays."""
    say = progress or (lambda _: None)
    reason = why_refused(plan, drop_user_words=drop_user_words)
    if reason:
        raise RefusedError(reason)
    _check_unchanged(plan)
    papers = Papers(plan, f"{_stem(plan)}.{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")
    if plan.backup_folder is not None:
        say("Backing up")
    backup = papers.back_up()
    if plan.target is None:
        written = _to_stdout(plan)
    else:
        written = _to_file(plan, plan.target, backup, papers, say, stop)
    return papers.report(replace(written, backup=None if backup is None else backup.path))


def _to_file(
    plan: ExportPlan, target: Path, backup: Backup | None, papers: Papers, say: Progress, stop: Stop
) -> Written:
    say("Writing")
    is_new_folder = in_agent_dir(target) and not target.parent.exists()
    if is_new_folder:
        make_folder(target.parent)
    mode = plan.source.identity.mode if plan.in_place and isinstance(plan.source, FileSource) else PRIVATE
    staged = stage(_staging_folder(plan, target), _until(stop, plan), mode)
    made: list[Path] = []
    manifest = None
    sharing = sharing_of(plan)
    try:
        say("Reading back")
        compare_with_plan(staged, plan)
        if sharing is not None:
            say("Masking")
            staged = sharing.staged(staged, lambda: _go_on_unless(stop, plan))
        _check_unchanged(plan)
        # First the folder: it comes whole under its new name, which must not be taken by then.
        made += _copy_side_folder(plan, sharing)
        for path in _write_files(plan, sharing):
            made.append(path)
        written = Written(
            plan, target, None, None, None, tuple(made), staged.size, staged.sha256, shared=sharing
        )
        if sharing is None:
            manifest = papers.manifest(written, backup)
        else:
            manifest = sharing.write_manifest(staged, made)
        _go_on_unless(stop, plan)
        if plan.in_place:
            with held(target):
                _check_unchanged(plan)
                _check_same_bytes(plan, backup)
                publish_over(staged, target)
            _carry_over(plan, target)
        else:
            publish_new(staged, target)
    except BaseException:
        for path in (staged.path, *made, *((manifest,) if manifest else ())):
            discard(path)
        if is_new_folder:
            with suppress(OSError):
                target.parent.rmdir()
        raise
    return replace(written, manifest=manifest)


def _carry_over(plan: ExportPlan, target: Path) -> None:
    """What an agent wrote between the last look at the file and its replacement goes behind the new one.

    An agent opens its file for every record it appends, so this is a matter of microseconds; one that keeps
    the file open (and is warned of) goes on writing to the old one, which has no name any more.
    """
    source = plan.source
    if isinstance(source, FileSource) and (late := source.appended()):
        try:
            append(target, late)
        except OSError as error:
            raise WriteFailed(
                f"{target} was replaced, but {len(late):,} bytes that came meanwhile could not be added to it"
                f" ({error.strerror or error}): restore the backup, then try again"
            ) from error


def _until(stop: Stop, plan: ExportPlan) -> Iterator[bytes]:
    for piece in plan.rewriting.pieces():
        _go_on_unless(stop, plan)
        yield piece


def _go_on_unless(stop: Stop, plan: ExportPlan) -> None:
    if stop():
        raise Stopped(f"stopped: {plan.target_words} was not written, the original is untouched")


def _to_stdout(plan: ExportPlan) -> Written:
    sharing = sharing_of(plan)
    if sharing is None:
        return _printed(plan, plan.rewriting.pieces(), None)
    # What is shared is proved before the first byte goes out, so it needs a place to lie meanwhile.
    folder = data_dir() / "staging"
    make_folder(folder)
    whole = stage(folder, plan.rewriting.pieces())
    try:
        compare_with_plan(whole, plan)
    except BaseException:
        discard(whole.path)
        raise
    staged = sharing.staged(whole)
    try:
        with FileSource(staged.path) as source:
            return _printed(plan, chunks(source), sharing)
    finally:
        discard(staged.path)


def _printed(plan: ExportPlan, pieces: Iterator[bytes], sharing: Sharing | None) -> Written:
    digest, size = hashlib.sha256(), 0
    for piece in pieces:
        digest.update(piece)
        size += sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
    return Written(plan, None, None, None, None, (), size, digest.hexdigest(), shared=sharing)


def _staging_folder(plan: ExportPlan, target: Path) -> Path:
    """Where the unfinished file lies: never in an agent's folder, where it could be taken for a session.

    What is not masked yet never lies where a crash could leave it among what is to be shared.
    """
    if plan.share is not None or in_agent_dir(target):
        folder = data_dir() / "staging"
        make_folder(folder)
        return folder
    return target.parent


def _check_unchanged(plan: ExportPlan) -> None:
    """Refuse when the original is not what was opened; raises FileChanged."""
    source = plan.source
    if not isinstance(source, FileSource):
        return
    if not source.is_whole():
        raise FileChanged(f"{source.path} changed since it was opened (it was written anew): open it again")
    try:
        now = identity_of(source.path.stat())
    except OSError as error:
        if not plan.in_place:
            return
        raise FileChanged(f"{source.path} is gone: it was to be replaced in place") from error
    if plan.in_place and now != source.identity:
        raise FileChanged(
            f"{source.path} changed since it was opened: open it again, or write a new file instead"
        )


def _check_same_bytes(plan: ExportPlan, backup: Backup | None) -> None:
    """Refuse when the file holds other bytes than the backup, whatever its size and time say."""
    source = plan.source
    if isinstance(source, FileSource):
        with FileSource(source.path) as now:
            if sha256(now) != (sha256(source) if backup is None else backup.sha256):
                raise FileChanged(f"{source.path} holds other bytes than were opened: open it again")


def _stem(plan: ExportPlan) -> str:
    return "stdin" if plan.source.name == "-" else Path(plan.source.name).stem[:100] or "session"


def _write_files(plan: ExportPlan, sharing: Sharing | None) -> Iterator[Path]:
    """The results that stages save; a file with other content is never overwritten. Raises WriteFailed."""
    for path, file in plan.files:
        text = file.text if sharing is None else sharing.text(file.text, path)
        if holds(path, text):
            continue
        make_folder(path.parent)
        publish_new(stage(path.parent, [encoded(text)]), path)
        yield path


def _copy_side_folder(plan: ExportPlan, sharing: Sharing | None) -> list[Path]:
    if plan.side_folder is None:
        return []
    old, new = plan.side_folder
    return list(copy_folder(old, new, None if sharing is None else sharing.copy))


class Backup(Struct, frozen=True):
    """The original's bytes in another place."""

    path: Path
    sha256: str


@dataclass(frozen=True)
class Papers:
    """The backup, the manifest and the report of one export; none of them where no folder is wanted."""

    plan: ExportPlan
    stem: str

    def back_up(self) -> Backup | None:
        """The transcript: the original's bytes as read, synced, under a name that never existed."""
        folder = self.plan.backup_folder
        if folder is None or not self.plan.backup:
            return None
        make_folder(folder)
        source = self.plan.source
        extension = Path(source.name).suffix if source.name != "-" else ""
        staged = stage(folder, chunks(source))
        return Backup(publish_free(staged, folder, self.stem, extension), staged.sha256)

    def manifest(self, written: Written, backup: Backup | None) -> Path | None:
        """Hashes, modes and places, by which `verify` compares and `restore` finds its way back."""
        plan, source = self.plan, self.plan.source
        return self._write_json(
            "manifest",
            {
                "handcompact": __version__,
                "made": self.stem.rsplit(".", 1)[-1],
                "in_place": plan.in_place,
                "pipeline": plan.pipeline,
                "format": plan.format.name,
                "source": {
                    "path": source.name if source.name == "-" else str(Path(source.name).resolve()),
                    "size": source.size,
                    "sha256": sha256(source) if backup is None else backup.sha256,
                    "mode": source.identity.mode if isinstance(source, FileSource) else None,
                },
                "backup": None if backup is None else str(backup.path),
                "target": {"path": plan.target_words, "size": written.size, "sha256": written.sha256},
                "session_id": plan.rewrite.session_id,
                "files": [str(path) for path in written.files],
            },
        )

    def report(self, written: Written) -> Written:
        """What was done and why, kept beside the backup."""
        if not self.plan.report or self.plan.share is not None:
            return written
        try:
            return replace(written, report=self._write_json("report", written.as_json()))
        except WriteFailed as error:
            return replace(written, no_report=str(error))

    def _write_json(self, kind: str, data: dict[str, Any]) -> Path | None:
        folder = self.plan.backup_folder
        if folder is None:
            return None
        make_folder(folder)
        text = json.dumps(data, ensure_ascii=True, indent=1) + "\n"
        return publish_free(stage(folder, [text.encode()]), folder, f"{self.stem}.{kind}", ".json")
