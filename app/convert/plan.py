"""A move worked out and proved in memory, and then written under a name of its own."""

from __future__ import annotations

import hashlib
import os
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path, PurePath
from typing import Any

from msgspec import Struct

from app.convert.losses import Loss, Losses
from app.convert.moving import moved
from app.convert.targets import Target
from app.display import counted
from app.errors import InputError, RefusedError
from app.export.files import StagedFile, discard, make_folder, publish_new, stage
from app.export.install import installed_path
from app.formats import format_named
from app.formats.base import Rewrite
from app.formats.new_file import SessionHeader
from app.formats.plain.anthropic_blocks import as_object
from app.formats.source import BytesSource, FileSource, Source
from app.model import Image, Message, Notice, Role, Session, Text, ToolResult, ToolUse, blocks_of, text_of
from app.settings import data_dir, in_agent_dir
from app.validity import check, errors

_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")


class Destination(Struct, frozen=True):
    """Where a person wants the new file; nothing set means beside the original."""

    out: Path | None = None
    to_stdout: bool = False
    install: bool = False
    """Into the folder where the target's agent looks for it."""
    cwd: str | None = None
    """The folder that the new session works in, where it is not the old one's."""
    title: str | None = None


@dataclass(frozen=True)
class Conversion:
    """A new file, whole and proved, that does not lie anywhere yet."""

    session: Session
    target: Target
    heading: SessionHeader
    data: bytes
    path: Path | None
    """None is standard output."""
    messages: int
    losses: tuple[Loss, ...]
    repairs: tuple[Notice, ...]
    """What the target's rules asked to be mended beside that."""
    foreign_cwd: bool
    """Whether the session named no folder of its own, so that another one was taken."""
    installed: bool = False

    @property
    def session_id(self) -> str | None:
        """The new session's id, where its format has one."""
        return self.heading.session_id if self.target.agent else None

    @property
    def resume_command(self) -> str | None:
        """What resumes it, when it lies where its agent looks for it."""
        found = self.installed or (self.path is not None and in_agent_dir(self.path))
        return self.target.kind.resume_command(self.heading.session_id) if found else None

    @property
    def path_words(self) -> str:
        """The new file as a person reads it."""
        return "standard output" if self.path is None else str(self.path)

    def as_json(self) -> dict[str, Any]:
        """The object that `convert --json` prints, but for `written`."""
        return {
            "source": self.session.name,
            "from": self.session.format,
            "to": self.target.format,
            "target": None if self.path is None else str(self.path),
            "session_id": self.session_id,
            "cwd": self.heading.cwd if self.target.agent else None,
            "cwd_from_session": not self.foreign_cwd,
            "messages": self.messages,
            "size": len(self.data),
            "losses": [{"word": loss.word, "count": loss.count, "text": loss.text} for loss in self.losses],
            "repairs": [{"word": n.word, "line": n.line, "detail": n.detail} for n in self.repairs],
            "resume": self.resume_command,
        }


def plan_conversion(session: Session, source: Source, target: Target, place: Destination) -> Conversion:
    """The new file for the session's live messages; nothing is written.

    Raises InputError when there is nothing to move or no place for it, RefusedError when what was made
    does not hold what it should.
    """
    losses = Losses()
    if hidden := len(session.messages) - len(session.live):
        losses.add("not-live", hidden)
    messages = moved(session.live, target, losses)
    if all(message.role is Role.SYSTEM for message in messages):
        raise InputError(f"{session.name} contains no conversation: there is nothing to convert")
    heading = _heading(session, messages, place)
    data, repairs = _made(target, messages, heading)
    again = target.kind.read(BytesSource(data, session.name))
    return Conversion(
        session=session,
        target=target,
        heading=heading,
        data=data,
        path=_path(session, source, again, target, place, heading),
        messages=len(messages),
        losses=losses.all(),
        repairs=repairs,
        foreign_cwd=place.cwd is not None or session.cwd is None,
        installed=place.install,
    )


def _heading(session: Session, messages: Sequence[Message], place: Destination) -> SessionHeader:
    times = [message.time for message in messages if message.time is not None]
    cwd = place.cwd or session.cwd or str(Path.cwd())
    title = place.title or session.title or "Session"
    return SessionHeader(str(uuid.uuid4()), cwd, title, times[0] if times else time.time())


def _made(
    target: Target, messages: Sequence[Message], heading: SessionHeader
) -> tuple[bytes, tuple[Notice, ...]]:
    """The new file, mended where a rule of its provider demands more than a plain form can know."""
    data = b"".join(target.fresh(messages, heading))
    first = target.kind.read(BytesSource(data))
    _compare(messages, first.live)
    if not _broken(first):
        return data, ()
    rewriting = target.kind.rewrite(first, Rewrite(messages=first.live))
    data = b"".join(rewriting.pieces())
    if broken := _broken(target.kind.read(BytesSource(data))):
        raise RefusedError(f"the converted session would break {broken}: nothing was written")
    return data, rewriting.repairs


def _broken(session: Session) -> str | None:
    kind = format_named(session.format)
    found = errors(check(kind.validity, kind.request(session, session.live)))
    return f"{found[0].rule} at {found[0].where}" if found else None


def _compare(wanted: Sequence[Message], found: Sequence[Message]) -> None:
    """Raise RefusedError unless both say the same, block by block."""
    for number, (one, other) in enumerate(zip_longest(_said(wanted), _said(found)), 1):
        if one != other:
            raise RefusedError(f"read back, block {number} differs from the original: nothing was written")


def _said(messages: Sequence[Message]) -> Iterator[tuple[Any, ...]]:
    for message, block in blocks_of(messages):
        if message.role is Role.SYSTEM:
            continue
        match block:
            case ToolUse():
                yield block.kind, block.id, block.name, as_object(block.input)
            case ToolResult():
                pictures = sum(isinstance(part, Image) for part in block.parts)
                yield block.kind, block.tool_use_id, text_of(block), pictures
            case Text():
                yield block.kind, message.role is Role.ASSISTANT, text_of(block)
            case _:
                yield (block.kind,)


def _path(
    session: Session,
    source: Source,
    again: Session,
    target: Target,
    place: Destination,
    heading: SessionHeader,
) -> Path | None:
    if place.to_stdout:
        return None
    if place.install:
        return installed_path(again, target.kind, PurePath("session"), heading.session_id)
    if place.out is not None:
        return place.out
    if not isinstance(source, FileSource):
        where = "standard input" if source.name == "-" else source.name
        raise InputError(f"a session from {where} needs --out PATH (or --out - for standard output)")
    folder = source.path.resolve().parent
    if in_agent_dir(folder):
        raise InputError(
            f"{folder} belongs to an agent, which treats every file there as a session:"
            " give --install or --out PATH"
        )
    return folder / _name(source.path, target, heading)


def _name(original: PurePath, target: Target, heading: SessionHeader) -> str:
    if target.agent:
        return target.kind.new_name(PurePath("session"), heading.session_id)
    stem = original.stem if original.suffix.lower() in _JSON_ENDINGS else original.name
    return f"{stem}.{target.name}.json"


def why_not(plan: Conversion) -> str | None:
    """What is in the way of the new file, as far as can be seen now."""
    path = plan.path
    if path is None:
        return None
    if os.path.lexists(path):
        return f"refused: {path} already exists: choose another name"
    if not path.parent.is_dir() and not in_agent_dir(path):
        return f"refused: {path.parent} does not exist: create it or choose another place"
    return None


def write_conversion(plan: Conversion) -> None:
    """Write the new file, read it back and give it its name.

    Raises RefusedError or WriteFailed; no file is replaced, and nothing half written is left.
    """
    if reason := why_not(plan):
        raise RefusedError(reason)
    if plan.path is None:
        sys.stdout.buffer.write(plan.data)
        sys.stdout.buffer.flush()
        return
    folder = plan.path.parent
    if in_agent_dir(plan.path):
        # An unfinished file there could be taken for a session.
        make_folder(folder)
        folder = data_dir() / "staging"
        make_folder(folder)
    staged = stage(folder, [plan.data])
    try:
        _prove(staged, plan)
        publish_new(staged, plan.path)
    except BaseException:
        discard(staged.path)
        raise


def _prove(staged: StagedFile, plan: Conversion) -> None:
    """Raise RefusedError unless the file holds the very bytes that were proved, and reads as they did."""
    with FileSource(staged.path) as source:
        broken = _broken(plan.target.kind.read(source))
    if broken or staged.sha256 != hashlib.sha256(plan.data).hexdigest():
        raise RefusedError(f"{plan.path_words} was not written: read back, it differs from the plan")


def report_lines(plan: Conversion) -> list[str]:
    """The move as a person reads it, a line a fact."""
    kind = plan.target.kind
    lines = [
        f"Source    {plan.session.name}  ({format_named(plan.session.format).title})",
        f"Target    {plan.path_words}  ({kind.title})",
        f"Converted {counted(plan.messages, 'message')}, {len(plan.data):,} bytes",
    ]
    if plan.target.agent:
        lines.append(f"Folder    {plan.heading.cwd}" + (_CHOSEN if plan.foreign_cwd else ""))
    lines += [f"Lost      {loss.count:>5,}  {loss.text}" for loss in plan.losses]
    lines += [f"Repair    {notice.word}  {notice.detail}".rstrip() for notice in plan.repairs]
    if plan.resume_command:
        lines.append(f"Resume    {plan.resume_command}")
    elif plan.target.agent:
        lines.append("Resume    --install writes a session where its agent looks for sessions")
    return lines


_CHOSEN = "  (not the session's own)"
