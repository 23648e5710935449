"""The session formats: detecting a file's format and opening it."""

from __future__ import annotations

import sys
import uuid
from pathlib import Path
from typing import Final

from app.errors import InputError, UnknownFormat, UnreadableFile
from app.formats.anthropic import Anthropic
from app.formats.base import Format
from app.formats.claude_code import ClaudeCode
from app.formats.codex import Codex
from app.formats.copilot import Copilot
from app.formats.first_bytes import Glance
from app.formats.gemini import GeminiCli
from app.formats.gemini_json import GeminiJson
from app.formats.openai_chat import OpenAIChat
from app.formats.openai_responses import OpenAIResponses
from app.formats.opencode import OpenCode
from app.formats.opencode.ids import fresh_session_id
from app.formats.opencode.names import PREFIX
from app.formats.pi import Pi
from app.formats.qwen import QwenCode
from app.formats.source import BytesSource, FileSource, Source, chunks
from app.formats.swe_agent import SweAgent
from app.formats.unknown_format import what_is_seen
from app.model import Session
from app.settings import opencode_store

FORMATS: Final[tuple[Format, ...]] = (
    ClaudeCode(),
    Codex(),
    Pi(),
    QwenCode(),
    Copilot(),
    GeminiCli(),
    OpenCode(),
    GeminiJson(),
    OpenAIResponses(),
    SweAgent(),
    Anthropic(),
    OpenAIChat(),
)
"""Every format, in the order in which they are tried."""

STDIN: Final = "-"


def format_named(name: str) -> Format:
    """The format with that name; raises InputError listing the known ones."""
    for known in FORMATS:
        if known.name == name:
            return known
    raise InputError(f"unknown format {name!r}; available: {', '.join(known.name for known in FORMATS)}")


def fresh_id(session: Session) -> str | None:
    """An id for a new session made from this one, in its agent's style; None if the format has no ids."""
    if session.session_id is None:
        return None
    return fresh_session_id() if session.format == OpenCode.name else str(uuid.uuid4())


def detect(source: Source) -> Format:
    """The format of a file, detected by its content.

    Raises UnreadableFile for an empty file, UnknownFormat, describing the content, for an unknown one.
    """
    glance = Glance(source)
    found = next((known for known in FORMATS if known.sniff(glance)), None)
    if found is not None:
        return found
    if not any(chunk.strip(b" \t\r\n\0\xef\xbb\xbf") for chunk in chunks(source)):
        what = "empty (0 bytes)" if source.size == 0 else f"blank ({source.size:,} bytes of white space)"
        raise UnreadableFile(f"{source.name} is {what}: expected a session file")
    supported = ", ".join(known.title for known in FORMATS)
    raise UnknownFormat(f"{source.name} is {what_is_seen(source)}; supported: {supported}")


def open_source(path: str | Path) -> Source:
    """The bytes of a file, of standard input (`-`), or of `opencode:<session id>`. Raises UnreadableFile."""
    if str(path) == STDIN:
        return BytesSource(sys.stdin.buffer.read())
    if str(path).startswith(PREFIX):
        # Imported lazily: opening a file needs no database.
        from app.formats.opencode.database import exported

        return BytesSource(exported(opencode_store(), str(path).removeprefix(PREFIX)), str(path))
    try:
        return FileSource(Path(path))
    except ValueError as error:
        raise UnreadableFile(f"{str(path)!r} cannot be a file name ({error}): give a session file") from error


def open_session(path: str | Path, leaf: str | None = None) -> tuple[Session, Source]:
    """The session in a file (`-` is standard input), on the branch that ends at `leaf`, and its source.

    Raises UnreadableFile, UnknownFormat or InputError with a line for the person.
    """
    source = open_source(path)
    return read_branch(detect(source), source, leaf), source


def read_branch(kind: Format, source: Source, leaf: str | None) -> Session:
    """The session on the branch that ends at `leaf`; raises InputError if the format has no branches."""
    session = kind.read(source, leaf)
    if leaf is not None and session.messages and session.live_leaf is None:
        raise InputError(f"{session.name} is {kind.title}, which has no branches: leave out --leaf")
    return session
