"""Backups and their manifests: finding them, comparing a file with one, restoring one."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

from app import __version__
from app.errors import FileChanged, InputError, RefusedError
from app.export.artifacts import Backup, ExportArtifacts
from app.export.files import StagedFile, beside, discard, make_folder, publish_new, stage
from app.export.locks import held, uninterrupted
from app.export.manifests import Manifest, backups_of, manifests, read_manifest
from app.export.replacing import put_over
from app.formats.source import FileSource, chunks, identity_of, sha256
from app.running import workers_on
from app.settings import data_dir, in_agent_dir

RESTORE = "restore"
"""Takes the pipeline's place in the manifest of a file that a restore replaced."""


def manifest_of_backup(backup: Path) -> Manifest:
    """The manifest that names this backup (or that is this file); raises InputError."""
    as_manifest = read_manifest(backup)
    if as_manifest is not None:
        return as_manifest
    if not backup.is_file():
        raise InputError(f"{backup} does not exist: give a backup that `handcompact restore` lists")
    wanted = backup.resolve()
    for manifest in manifests([wanted.parent]):
        if manifest.backup is not None and manifest.backup.resolve() == wanted:
            return manifest
    newest = next(backups_of(backup), None)
    if newest is not None and newest.backup is not None:
        raise InputError(f"{backup} is not a backup, but has one: give {newest.backup}")
    raise InputError(f"{backup} has no manifest beside it: give a backup that `handcompact restore` lists")


class State(StrEnum):
    """How a backup compares with the file that is now at its original path."""

    SAME = "same"
    DIFFERS = "differs"
    GONE = "gone"
    """There is no file there any more."""
    LOST = "no backup"
    """The backup itself is gone, or none was made."""


def state_of(manifest: Manifest) -> State:
    """Compare the backup with the file there now; reads the file only if the sizes agree."""
    if manifest.backup is None or not manifest.backup.is_file():
        return State.LOST
    if not manifest.source.is_file():
        return State.GONE
    if manifest.source.stat().st_size != manifest.source_size:
        return State.DIFFERS
    with FileSource(manifest.source) as there:
        return State.SAME if sha256(there) == manifest.source_sha256 else State.DIFFERS


class Restored(Struct, frozen=True):
    """The result of a restore."""

    target: Path
    backup: Path
    replaced_backup: Path | None
    """Backup of the file that was replaced; it can be restored like any other."""
    changed: bool
    still_open: tuple[str, ...] = ()
    """Programs that have the replaced file open for writing: what they write from now on is lost."""


def why_not_restore(manifest: Manifest, *, force: bool = False) -> str | None:
    """The reason why a backup may not be restored now; None if it may.

    `force` allows replacing the file of a running agent, or one that a program has open for writing.
    """
    if manifest.backup is None or not manifest.backup.is_file():
        return f"the backup {manifest.backup or ''} is gone: nothing was restored".replace("  ", " ")
    if manifest.source_mode is None:
        return f"{manifest.source} was not a file when it was backed up: read {manifest.backup} instead"
    if not force and (workers := workers_on(manifest.source)):
        return (
            f"{', '.join(workers)} is using {manifest.source}: quit it first, or use --force;"
            " nothing was restored"
        )
    return None


def restore(manifest: Manifest, *, force: bool = False) -> Restored:
    """Restore a backup's bytes and mode to its original path, backing up the file there now.

    Raises RefusedError if the backup is gone or its bytes have changed, or if another program is using
    the file (unless `force`), FileChanged if the file was written meanwhile, WriteFailed if it cannot be
    written.
    """
    if reason := why_not_restore(manifest, force=force):
        raise RefusedError(reason)
    backup, target, mode = manifest.backup, manifest.source, manifest.source_mode
    assert backup is not None and mode is not None, "why_not_restore has looked"
    with FileSource(backup) as source:
        if sha256(source) != manifest.source_sha256:
            raise RefusedError(f"{backup} does not match its recorded hash: nothing was restored")
        if not target.is_file():
            make_folder(target.parent)
            publish_new(_staged(source, target, mode), target)
            return Restored(target, backup, None, changed=True)
        with FileSource(target) as there:
            if sha256(there) == manifest.source_sha256:
                return Restored(target, backup, None, changed=_set_mode(there, mode))
            kept, writers = _replace(there, _staged(source, target, mode), manifest)
    return Restored(target, backup, kept, changed=True, still_open=writers)


def _replace(
    there: FileSource, staged: StagedFile, manifest: Manifest
) -> tuple[Path | None, tuple[str, ...]]:
    """Replace a file by the staged backup, backing it up first so that this can be undone.

    Returns that backup, and who still has the replaced file open for writing.
    """
    target = there.path
    artifacts = ExportArtifacts(manifest.path.parent, f"{target.stem[:100]}.replaced")
    with ExitStack() as undo:
        undo.callback(discard, staged.path)
        kept = artifacts.back_up(there)
        undo.callback(discard, kept.staged.path)
        with uninterrupted():
            with held(target):
                named = artifacts.keep(kept, _manifest(there, kept, manifest, artifacts.made))
                undo.callback(named.discard)
                local = beside(staged, target)
                undo.callback(discard, local.path)
                if identity_of(target.stat()) != there.identity:
                    raise FileChanged(f"{target} was written to meanwhile: nothing was restored, try again")
                # Lines appended at that moment do not belong in the older session, so none are carried over.
                replaced = put_over(local, target, there, carries=False)
                replaced.carry_over()
                undo.pop_all()
            writers = replaced.settle()
    return named.backup, writers


def _staged(source: FileSource, target: Path, mode: int) -> StagedFile:
    """The backup's bytes in a temp file: never in an agent's folder, where the agent might read it."""
    folder = target.parent
    if in_agent_dir(target):
        folder = data_dir() / "staging"
        make_folder(folder)
    return stage(folder, chunks(source), mode)


def _set_mode(there: FileSource, mode: int) -> bool:
    """Set the mode of a file that has the right bytes; False if it is already set."""
    if there.identity.mode & 0o777 == mode:
        return False
    there.path.chmod(mode)
    return True


def _manifest(there: FileSource, kept: Backup, manifest: Manifest, made: str) -> dict[str, Any]:
    """The manifest of a file that a restore replaces."""
    return {
        "handcompact": __version__,
        "made": made,
        "in_place": True,
        "pipeline": RESTORE,
        "format": manifest.format,
        "source": {
            "path": str(manifest.source),
            "size": there.size,
            "sha256": kept.staged.sha256,
            "mode": there.identity.mode,
        },
        "backup": None,
        "target": {
            "path": str(manifest.source),
            "size": manifest.source_size,
            "sha256": manifest.source_sha256,
        },
        "session_id": None,
        "files": [],
    }
