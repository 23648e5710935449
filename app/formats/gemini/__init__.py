"""Gemini CLI's sessions: a log of patches, one JSON object a line, or the older single document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, Final

from app.formats.base import Rewrite, Rewriting
from app.formats.gemini.names import NAME
from app.formats.gemini.sniffing import shape_of
from app.formats.source import Source
from app.model import Message, Session

_TIMED: Final = re.compile(r"(session-\d{4}-\d\d-\d\dT\d\d-\d\d-).*")
_SHORT: Final = 8
"""Characters of the id at the end of a file name: the client deletes files that share them together."""


class GeminiCli:
    """The format of Gemini CLI (0.61, and the documents of older versions)."""

    name = NAME
    title = "Gemini CLI"
    validity = "gemini"
    one_text = False

    def sniff(self, source: Source) -> bool:
        """Whether the head of the file holds records of such a log, or such a document."""
        return shape_of(source) is not None

    def read(self, source: Source, leaf: str | None = None) -> Session:
        """The session; a log has no branches, so `leaf` is ignored."""
        # Imported lazily, here and below: a run uses one format, and few runs write.
        from app.formats.gemini.reader import read

        return read(source)

    def request(self, session: Session, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The contents that the client sends, each result once."""
        from app.formats.gemini.chat import chat_of
        from app.formats.gemini.request import Sender

        return Sender(session, chat_of(session)).request(messages)

    def rewrite(self, session: Session, rewrite: Rewrite) -> Rewriting:
        """Plan the file that holds `rewrite`, with all repairs that the provider's rules require."""
        from app.formats.gemini import writer

        return writer.rewrite(session, rewrite)

    def side_folder(self, original: PurePath) -> PurePath | None:
        """A folder for saved results beside the file; the client itself has none and ignores it."""
        return original.with_suffix("") if original.suffix else None

    def resume_command(self, session_id: str) -> str | None:
        """The command to type in the project's folder."""
        return f"gemini --resume {session_id}"

    def new_name(self, original: PurePath, session_id: str | None) -> str:
        """`session-<minute>-<first characters of the id>`, with the original's minute and suffix."""
        if session_id is None:
            return original.name
        timed = _TIMED.fullmatch(original.name)
        start = timed[1] if timed else f"session-{datetime.now(UTC):%Y-%m-%dT%H-%M}-"
        return f"{start}{session_id[:_SHORT]}{'.json' if original.suffix == '.json' else '.jsonl'}"


def project_of(session: Session) -> tuple[str | None, str | None]:
    """The folder that a session names, and the SHA-256 of its project's folder; None for either if absent."""
    from app.formats.gemini.chat import chat_of

    heading = chat_of(session).heading
    return heading.folder, heading.word("projectHash")
