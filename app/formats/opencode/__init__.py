"""opencode's sessions: the document that `opencode export` writes and `opencode import` reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.opencode.names import NAME
from app.formats.opencode.sniffing import looks_like
from app.formats.source import Source
from app.model import Message, Session


class OpenCode:
    """The format of opencode's exports (1.18)."""

    name = NAME
    title = "opencode"
    validity = "anthropic"
    one_text = False

    def sniff(self, source: Source) -> bool:
        """Whether the content is such a document."""
        return looks_like(source)

    def read(self, source: Source, leaf: str | None = None) -> Session:
        """The session; the format has no branches, so `leaf` is ignored."""
        # Imported lazily, here and below: a run uses one format, and few runs write.
        from app.formats.opencode.reader import read

        return read(source)

    def request(self, session: Session, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The messages that the client sends, in the form of the Messages API."""
        from app.formats.opencode.request import Sender

        return Sender(session).pairs(messages)

    def rewrite(self, session: Session, rewrite: Rewrite) -> Rewriting:
        """Plan the file that holds `rewrite`, with all repairs that providers require."""
        from app.formats.opencode import writer

        return writer.rewrite(session, rewrite)

    def side_folder(self, original: PurePath) -> PurePath | None:
        """A folder for saved results beside the file; the client has none."""
        return original.with_suffix("") if original.suffix else None

    def resume_command(self, session_id: str) -> str | None:
        """The command to type in the file's folder; the session is imported into the project there."""
        return f"opencode import {session_id}.json && opencode --session {session_id}"

    def new_name(self, original: PurePath, session_id: str | None) -> str:
        """`<session id>.json`; the client itself has no file names, since it uses a database."""
        return f"{session_id}.json" if session_id else original.name
