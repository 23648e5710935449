"""The session that an export was made from, as its manifest names it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from app.errors import InputError, RefusedError
from app.export.manifests import Manifest, manifests_of, paper_of
from app.formats.source import FileSource, sha256


class Origin(Struct, frozen=True):
    """Where the source's bytes are now."""

    path: Path
    note: str = ""
    """What a person should know about it; empty if it is the source itself."""


def origin_of(export: Path) -> Origin:
    """The source of an export, or the backup of it where the source itself changed since.

    Raises InputError where no manifest names the file or neither of both is left, RefusedError where
    the source is there but changed and no backup is.
    """
    if not export.exists():
        raise InputError(f"{export} does not exist: give the path of a session file")
    manifest = next(manifests_of(export), None)
    if manifest is None and paper_of(export) is not None:
        raise InputError(
            f"{export} was made for sharing and does not name its source: give the source as well"
        )
    if manifest is None:
        raise InputError(f"{export} has no manifest naming its source: give the other session as well")
    for origin in _candidates(manifest):
        if _holds(origin.path, manifest.source_sha256):
            return origin
    source = manifest.source
    if source.is_file() and not manifest.in_place:
        raise RefusedError(
            f"{source} changed since {export} was made, and there is no backup: give another session"
        )
    raise InputError(f"{source}, the source of {export}, is gone, and so is its backup")


def _candidates(manifest: Manifest) -> Iterator[Origin]:
    if not manifest.in_place:
        yield Origin(manifest.source)
    if manifest.backup is not None:
        why = "was replaced" if manifest.in_place else "has changed or is gone"
        yield Origin(manifest.backup, f"{manifest.source} {why}: its backup is compared")


def _holds(path: Path, digest: str) -> bool:
    if not path.is_file():
        return False
    with FileSource(path) as source:
        return sha256(source) == digest
