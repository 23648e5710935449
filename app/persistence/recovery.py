"""Finds, reads and restores the steps that an earlier run left in its journal."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from app.display import counted, human_age
from app.errors import BadPipeline, HandcompactError, InputError, RefusedError
from app.export.files import discard
from app.export.locks import try_lock
from app.formats.source import Source
from app.opening import Opened
from app.persistence.journal import (
    ENDING,
    MAX_BYTES,
    VERSION,
    SourceIdentity,
    hashes_of,
    identity_of,
    journal_dir,
    stem_of,
)
from app.pipeline import Pipeline
from app.pipeline_data import from_reference
from app.work.history import Operation
from app.work.replaying import replay

HEAD_BYTES: Final = 1 << 20
"""Of the longest first line."""


class LeftoverSteps(Struct, frozen=True):
    """Steps of a session that were neither exported nor discarded."""

    path: Path
    identity: SourceIdentity
    origin: str
    """Where its pipeline came from."""
    pipeline: Mapping[str, Any]
    done: tuple[Operation, ...]
    undone: tuple[Operation, ...]
    looks: Mapping[str, str]
    """How the blocks looked that the operations name, by key."""
    modified: float
    """Seconds since 1970."""
    damage: str = ""
    """What of it could not be read, in words."""

    @property
    def words(self) -> str:
        """`12 steps from 3 h ago`."""
        return f"{counted(len(self.done), 'step')} from {human_age(time.time() - self.modified)}"

    @property
    def deeds(self) -> str:
        """`accept budget, pin 1 block (3 times)`: what the steps were, in order."""
        runs = ((words, sum(1 for _ in run)) for words, run in groupby(done.words for done in self.done))
        return ", ".join(words if times == 1 else f"{words} ({times:,} times)" for words, times in runs)

    @property
    def origin_words(self) -> str:
        """`2026-11-30 14:05:12, with react-mini`: when in local time, and with which pipeline."""
        at = datetime.fromtimestamp(self.modified).isoformat(" ", "seconds")
        return f"{at}, with {self.pipeline.get('name', 'a pipeline')}"


class Leftovers(Struct, frozen=True):
    """The leftover steps found for a session."""

    kept: tuple[LeftoverSteps, ...] = ()
    """Newest first."""
    notes: tuple[str, ...] = ()
    """What else is to be known, a line each: steps that cannot be read, another program at work."""


class RecoveredSteps(Struct, frozen=True):
    """Steps replayed in a workspace of their own."""

    opened: Opened
    lost: tuple[str, ...]
    """What no longer applies, in words."""


def find(source: Source) -> Leftovers:
    """Find the leftover steps of the open file. Changes nothing."""
    here = identity_of(source)
    kept, notes = [], []
    for path in _candidates(here):
        try:
            descriptor = os.open(path, os.O_RDWR)
        except OSError as error:
            notes.append(f"the steps saved in {path} cannot be read: {error.strerror or error}")
            continue
        try:
            if not try_lock(descriptor):
                if not path.name.startswith(f"{stem_of(here.file)}-{os.getpid()}-"):
                    notes.append("another handcompact has this file open: each saves its own steps")
                continue
        finally:
            os.close(descriptor)
        try:
            found = read(path)
        except InputError as error:
            notes.append(str(error))
            continue
        if found.done:
            kept.append(found)
    kept.sort(key=lambda found: -found.modified)
    return Leftovers(tuple(kept), tuple(dict.fromkeys(notes)))


def left_behind() -> Mapping[str, int]:
    """How many steps lie there for each file that no program works on, by its path with links followed."""
    found: dict[str, int] = {}
    for path in sorted(journal_dir().glob(f"*{ENDING}")):
        try:
            if _is_held(path):
                continue
            kept = read(path)
        except (OSError, InputError):
            continue  # what is wrong with it is told when its file is opened
        if kept.done:
            file = kept.identity.file
            found[file] = found.get(file, 0) + len(kept.done)
    return found


def _is_held(path: Path) -> bool:
    """Whether a program is at work on these steps."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)


def _candidates(here: SourceIdentity) -> Iterator[Path]:
    """Journals of the file by its path, and those of a file that is gone from where it held the same."""
    for path in sorted(journal_dir().glob(f"*{ENDING}")):
        if path.name.startswith(f"{stem_of(here.file)}-") or _moved(_identity_in(path), here):
            yield path


def _moved(there: SourceIdentity | None, here: SourceIdentity) -> bool:
    return there is not None and replace(there, file=here.file) == here and not Path(there.file).exists()


def _identity_in(path: Path) -> SourceIdentity | None:
    try:
        with path.open("rb") as file:
            head = json.loads(file.readline(HEAD_BYTES))
        return _identity(head)
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None


def _identity(head: Mapping[str, Any]) -> SourceIdentity:
    return SourceIdentity(str(head["file"]), int(head["size"]), str(head["begins"]), str(head["ends"]))


def read(path: Path) -> LeftoverSteps:
    """The steps in a journal, as far as it is whole; raises InputError, in a line, for one that is none."""
    try:
        info = path.stat()
        if info.st_size > MAX_BYTES:
            raise InputError(f"the steps saved in {path} are too many to read: {info.st_size:,} bytes")
        lines = path.read_bytes().split(b"\n")
        head = json.loads(lines[0])
        if head["journal"] != VERSION:
            other = f"handcompact {str(head.get('program'))[:20]}"
            raise InputError(f"steps kept in {path} are of {other}, in another form: that can take them up")
        identity, pipeline = _identity(head), dict(head["pipeline"])
        origin = str(head["origin"])
    except OSError as error:
        raise InputError(f"the steps saved in {path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"the steps saved in {path} cannot be read: the file is damaged at its beginning"
        ) from error
    steps = _Steps()
    # Bytes after the last line end were being written when the program ended.
    damage = steps.take(lines[1:-1])
    done, undone = tuple(steps.operations[: steps.done]), tuple(steps.operations[steps.done :])
    return LeftoverSteps(path, identity, origin, pipeline, done, undone, steps.looks, info.st_mtime, damage)


class _Steps:
    """Rebuilds a history from the lines of a journal."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.done = 0
        self.looks: dict[str, str] = {}

    def take(self, lines: Iterable[bytes]) -> str:
        """Read lines until one cannot be; gives what is wrong with it, in words, or nothing."""
        for number, line in enumerate(lines, 2):
            try:
                self._take(json.loads(line))
            except (ValueError, RecursionError, KeyError, TypeError, AttributeError, HandcompactError):
                return f"line {number:,} and what follows it cannot be read"
        return ""

    def _take(self, data: Mapping[str, Any]) -> None:
        if "do" in data:
            place = int(data["number"])
            if not 0 <= place <= len(self.operations):
                raise ValueError(place)
            operation = Operation.from_json(data["do"])
            looks = {str(key): str(look) for key, look in data["looks"].items()}
            self.operations[place:] = [operation]
            self.done = place + 1
            self.looks |= looks
        else:
            total, done = int(data["total"]), int(data["done"])
            if not 0 <= done <= total <= len(self.operations):
                raise ValueError(done)
            del self.operations[total:]
            self.done = done


def take_up(opened: Opened, kept: LeftoverSteps) -> RecoveredSteps:
    """Do the steps again on the session as it is now, as far as they fit, in a workspace of their own.

    The journal stays: it goes with `forget`, once the steps are kept anew. Raises RefusedError where
    another program took them up, InputError where their pipeline cannot be used.
    """
    _refuse_if_gone(kept.path)
    pipeline, lost = _pipeline(opened, kept)
    workspace = opened.workspace.fork(pipeline)
    misfits = list(replay(kept.done, kept.looks, workspace))
    lost += [misfit.told for misfit in misfits]
    if not lost:
        workspace.history.begin_with(kept.done, kept.undone)
    if kept.damage:
        lost.append(kept.damage)
    return RecoveredSteps(replace(opened, workspace=workspace), tuple(lost))


def _refuse_if_gone(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError as error:
        raise RefusedError("these steps are gone: another handcompact reapplied them") from error
    try:
        if not try_lock(descriptor):
            raise RefusedError("another handcompact is using these steps")
    finally:
        os.close(descriptor)


def _pipeline(opened: Opened, kept: LeftoverSteps) -> tuple[Pipeline, list[str]]:
    try:
        pipeline, lost = from_reference(kept.pipeline, kept.origin, local=True)
    except BadPipeline as error:
        return opened.workspace.pipeline, [str(error)]
    return pipeline, lost


def forget(kept: LeftoverSteps) -> None:
    """Delete leftover steps. Raises RefusedError if that is not possible."""
    try:
        discard(kept.path)
    except OSError as error:
        raise RefusedError(f"{kept.path} cannot be removed: {error.strerror or error}") from error


def state_of(source: Source, kept: LeftoverSteps) -> str:
    """How the file changed since the steps were made, in words; empty if it is unchanged."""
    there = kept.identity
    if source.size == there.size and hashes_of(source, there.size) == (there.begins, there.ends):
        return ""
    grew = source.size > there.size and hashes_of(source, there.size) == (there.begins, there.ends)
    return "the file grew since" if grew else "the file changed since"
