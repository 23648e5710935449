"""Backups and their manifests: listing them, comparing a file with them, putting one back."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import InputError, RefusedError
from app.export.files import make_folder, publish_free, publish_new, publish_over, stage
from app.formats.source import FileSource, chunks, sha256
from app.settings import data_dir


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an export noted about itself."""

    path: Path
    made: str
    """UTC, as `20260101T120000Z`."""
    in_place: bool
    pipeline: str
    format: str
    source: Path
    source_sha256: str
    source_size: int
    source_mode: int | None
    backup: Path | None
    target: Path
    target_sha256: str


def manifests(folders: list[Path] | None = None) -> tuple[Manifest, ...]:
    """All manifests in these folders (default: the data folder and `.transcripts` here), newest first."""
    looked = folders or [data_dir() / "backups", Path.cwd() / ".transcripts"]
    found = [
        manifest
        for folder in looked
        if folder.is_dir()
        for path in sorted(folder.glob("*.manifest*.json"))
        if (manifest := read_manifest(path)) is not None
    ]
    return tuple(sorted(found, key=lambda manifest: (manifest.made, str(manifest.path)), reverse=True))


def read_manifest(path: Path) -> Manifest | None:
    """A manifest; None for a file that is none."""
    try:
        data = json.loads(path.read_bytes())
        source, target = data["source"], data["target"]
        return Manifest(
            path=path,
            made=str(data["made"]),
            in_place=bool(data["in_place"]),
            pipeline=str(data["pipeline"]),
            format=str(data["format"]),
            source=Path(source["path"]),
            source_sha256=str(source["sha256"]),
            source_size=int(source["size"]),
            source_mode=_mode(source.get("mode")),
            backup=Path(data["backup"]) if data["backup"] else None,
            target=Path(target["path"]),
            target_sha256=str(target["sha256"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _mode(value: Any) -> int | None:
    return value & 0o777 if isinstance(value, int) else None


def manifests_of(file: Path) -> Iterator[Manifest]:
    """The manifests of exports that wrote this file, newest first."""
    wanted = file.resolve()
    folders = [data_dir() / "backups", wanted.parent / ".transcripts"]
    return (manifest for manifest in manifests(folders) if manifest.target.resolve() == wanted)


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
    raise InputError(f"{backup} has no manifest beside it: give a backup that `handcompact restore` lists")


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did."""

    target: Path
    backup: Path
    replaced_backup: Path | None
    """Where the file that stood there before was kept."""
    changed: bool


def restore(manifest: Manifest) -> Restored:
    """Put a backup's bytes and mode back where they came from, keeping what stands there now.

    Raises RefusedError when the backup is gone or is not the bytes it was; WriteFailed when it
    cannot be written.
    """
    backup = manifest.backup
    if backup is None or not backup.is_file():
        raise RefusedError(f"the backup {backup} is gone: nothing was restored")
    target = manifest.source
    with FileSource(backup) as source:
        if sha256(source) != manifest.source_sha256:
            raise RefusedError(f"{backup} is not what was backed up (its hash differs): nothing was restored")
        if target.is_file():
            with FileSource(target) as there:
                if sha256(there) == manifest.source_sha256:
                    return Restored(target, backup, None, changed=False)
                kept = _keep(there, manifest)
        else:
            kept = None
            make_folder(target.parent)
        mode = manifest.source_mode if manifest.source_mode is not None else 0o600
        staged = stage(target.parent, chunks(source), mode)
        (publish_over if kept else publish_new)(staged, target)
    return Restored(target, backup, kept, changed=True)


def _keep(source: FileSource, manifest: Manifest) -> Path:
    folder = manifest.path.parent
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    return publish_free(
        stage(folder, chunks(source)),
        folder,
        f"{manifest.source.stem[:100]}.replaced.{stamp}",
        manifest.source.suffix,
    )
