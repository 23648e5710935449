"""Finds and reads the manifests of exports: those that wrote a file, or hold its backup."""

from __future__ import annotations

import glob
import json
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from app.formats.source import FileSource, sha256
from app.settings import data_dir

_MOST_BYTES: Final = 32 << 20
"""Larger files are not read: no manifest comes near this size, but a session may."""


class Manifest(Struct, frozen=True):
    """The manifest of one export: its source, backup and target."""

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
    """All manifests in these folders (default: those of `looked_in`), newest first."""
    found = [
        manifest
        for folder in folders or looked_in()
        if folder.is_dir()
        for path in sorted(folder.glob("*.manifest*.json"))
        if (manifest := read_manifest(path)) is not None
    ]
    return tuple(sorted(found, key=lambda manifest: (manifest.made, str(manifest.path)), reverse=True))


def looked_in(files: Iterable[str] = ()) -> list[Path]:
    """The folders searched for backups: the data folder, and `.transcripts` here and beside `files`.

    There is no global list of backups: a file outside any agent's folder has its backup beside it.
    """
    here = (Path.cwd(), *(Path(file).resolve().parent for file in files))
    return list(dict.fromkeys((data_dir() / "backups", *(folder / ".transcripts" for folder in here))))


def read_manifest(path: Path) -> Manifest | None:
    """Read a manifest; None if the file is not one."""
    try:
        data = _small_json(path)
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


def _small_json(path: Path) -> Any:
    """Parse a file that may be a manifest. Raises OSError or ValueError if it cannot be one."""
    info = path.stat()
    if not stat.S_ISREG(info.st_mode) or info.st_size > _MOST_BYTES:
        raise ValueError("a pipe would be waited for, and a session is no note")
    try:
        return json.loads(path.read_bytes())
    except RecursionError as error:
        raise ValueError("no note is that deep") from error


def _mode(value: Any) -> int | None:
    return value & 0o777 if isinstance(value, int) else None


def manifests_of(file: Path) -> Iterator[Manifest]:
    """The manifests of exports that wrote this file, newest first."""
    wanted = file.resolve()
    folders = [data_dir() / "backups", wanted.parent / ".transcripts"]
    return (manifest for manifest in manifests(folders) if manifest.target.resolve() == wanted)


class ShareNote(Struct, frozen=True):
    """The manifest beside a shared session; it does not reveal where the session came from."""

    path: Path
    target_sha256: str


def paper_of(file: Path) -> ShareNote | None:
    """The newest manifest beside a shared session that names it; None if there is none."""
    artifacts = file.resolve().parent.glob(f"{glob.escape(file.stem)}.manifest*.json")
    for path in sorted(artifacts, reverse=True):
        try:
            data = _small_json(path)
            if data["shared"] is True and data["target"]["path"] == file.name:
                return ShareNote(path, str(data["target"]["sha256"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def backups_of(file: Path) -> Iterator[Manifest]:
    """The manifests of exports whose source was this file, newest first."""
    wanted = file.resolve()
    folders = [data_dir() / "backups", wanted.parent / ".transcripts"]
    return (manifest for manifest in manifests(folders) if manifest.source == wanted)


def is_as_written(source: FileSource) -> bool:
    """Whether a file is unchanged since the newest export that wrote it (by SHA-256)."""
    newest = next(manifests_of(source.path), None)
    return newest is not None and newest.target_sha256 == sha256(source)
