"""The artifacts of an export: the original's backup, the manifest that describes it, and the report.

A backup is synced before anything else is written, but gets its final name only after its manifest, at the
last moment before the original can change. So `restore` lists every backup that has its final name.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from app.errors import NameTaken
from app.export.files import (
    StagedFile,
    discard,
    make_folder,
    names_of,
    publish_free,
    publish_new,
    remove_if_empty,
    stage,
)
from app.export.locks import uninterrupted
from app.formats.source import Source, chunks
from app.json_out import json_bytes


def stamp() -> str:
    """The present in UTC, as `20260101T120000Z`."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


class Backup(Struct, frozen=True):
    """The original's bytes in another place, synced, under an unfinished name."""

    staged: StagedFile
    extension: str


class ArtifactNames(Struct, frozen=True):
    """The names that backup and manifest have."""

    manifest: Path
    backup: Path | None

    def discard(self) -> None:
        """Take both away: nothing came of what they were made for."""
        for path in filter(None, (self.manifest, self.backup)):
            discard(path)


class ExportArtifacts:
    """Where the artifacts of one export lie, and what they are called."""

    def __init__(self, folder: Path, stem: str) -> None:
        self.folder = folder
        self.made = stamp()
        self._stem = f"{stem}.{self.made}"
        self._new: list[Path] = []
        """Folders that were made for these artifacts, the outermost first."""

    def back_up(self, source: Source, pieces: Iterable[bytes] | None = None) -> Backup:
        """The original's bytes as read, synced; `pieces` are all of them. Raises WriteFailed."""
        with uninterrupted():
            self._new += make_folder(self.folder)
        extension = Path(source.name).suffix if source.name != "-" else ""
        return Backup(stage(self.folder, chunks(source) if pieces is None else pieces), extension)

    def keep(self, backup: Backup | None, manifest: dict[str, Any]) -> ArtifactNames:
        """Write the manifest, then rename the backup to the unused name recorded in it.

        Raises WriteFailed; neither file exists then.
        """
        extension = "" if backup is None else backup.extension
        backups = names_of(self.folder, self._stem, extension)
        for paper, path in zip(self._names("manifest"), backups, strict=False):
            if backup is not None and os.path.lexists(path):
                continue
            told = {**manifest, "backup": None if backup is None else str(path)}
            try:
                publish_new(self._staged(told), paper)
            except NameTaken:
                continue
            if backup is not None:
                _name(backup, path, paper)
            return ArtifactNames(paper, None if backup is None else path)
        raise AssertionError("counting does not end")

    def write(self, kind: str, data: dict[str, Any]) -> Path:
        """Write one of the artifacts; raises WriteFailed."""
        return publish_free(self._staged(data), self._names(kind))

    def _staged(self, data: dict[str, Any]) -> StagedFile:
        self._new += make_folder(self.folder)
        return stage(self.folder, json_bytes(data))

    def _names(self, kind: str) -> Iterator[Path]:
        return names_of(self.folder, f"{self._stem}.{kind}", ".json")

    def remove_folders(self) -> None:
        """Remove the folders that were made for these artifacts and that nothing lies in."""
        for folder in reversed(self._new):
            remove_if_empty(folder)


def _name(backup: Backup, path: Path, paper: Path) -> None:
    try:
        publish_new(backup.staged, path)
    except BaseException:
        discard(paper)
        raise
