"""Qwen Code's sessions: a tree of records whose messages are contents of the Gemini API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.qwen.names import NAME
from app.formats.qwen.sniffing import looks_like
from app.formats.source import Source
from app.model import Message, Session


class QwenCode:
    """The format of Qwen Code (0.24)."""

    name = NAME
    title = "Qwen Code"
    validity = "gemini"
    one_text = False

    def sniff(self, source: Source) -> bool:
        """Whether the head of the file holds records of Qwen Code's tree."""
        return looks_like(source)

    def read(self, source: Source, leaf: str | None = None) -> Session:
        """The session on the branch that ends at `leaf`; raises InputError if there is no such record."""
        # Imported lazily, here and below: a run uses one format, and few runs write.
        from app.formats.qwen.reader import read

        return read(source, leaf)

    def request(self, session: Session, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The contents as the client holds them, before it converts them to its provider's form."""
        from app.formats.qwen.chat import chat_of
        from app.formats.qwen.request import Sender

        return Sender(chat_of(session)).pairs(messages)

    def rewrite(self, session: Session, rewrite: Rewrite) -> Rewriting:
        """Plan the file that holds `rewrite`, with all repairs that the provider's rules require."""
        from app.formats.qwen import writer

        return writer.rewrite(session, rewrite)

    def side_folder(self, original: PurePath) -> PurePath | None:
        """A folder for saved results beside the file; the client itself has none and ignores it."""
        return original.with_suffix("") if original.suffix else None

    def resume_command(self, session_id: str) -> str | None:
        """The command to type in the session's own folder: the client finds no sessions of other folders."""
        return f"qwen --resume {session_id}"

    def new_name(self, original: PurePath, session_id: str | None) -> str:
        """`<session id>.jsonl`, where the client looks for it."""
        return f"{session_id}.jsonl" if session_id else original.name
