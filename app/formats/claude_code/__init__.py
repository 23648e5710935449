"""Claude Code's sessions: a tree of records, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.claude_code.names import NAME
from app.formats.claude_code.sniffing import looks_like
from app.formats.source import Source
from app.model import Message, Session


class ClaudeCode:
    """The format of Claude Code (2.0 and 2.1): main sessions and sub-agents' transcripts."""

    name = NAME
    title = "Claude Code"
    validity = "anthropic"
    one_text = False

    def sniff(self, source: Source) -> bool:
        """Whether the head of the file holds records of Claude Code's tree, or only its metadata."""
        return looks_like(source)

    def read(self, source: Source, leaf: str | None = None) -> Session:
        """The session on the branch that ends at `leaf`; raises InputError if there is no such record."""
        # Imported lazily, here and below: a run uses one format, and few runs write.
        from app.formats.claude_code.reader import read

        return read(source, leaf)

    def request(self, session: Session, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The messages as the client sends them: consecutive user messages are joined."""
        from app.formats.claude_code.request import pairs
        from app.formats.claude_code.transcript import transcript_of

        return pairs(transcript_of(session), messages)

    def live_request(self, source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
        """What `request` yields for a file's live messages; see `app.formats.base.StreamingFormat`."""
        from app.formats.claude_code.streaming import sent

        return sent(source)

    def rewrite(self, session: Session, rewrite: Rewrite) -> Rewriting:
        """Plan the file that holds `rewrite`, with all repairs that the provider's rules require."""
        from app.formats.claude_code import writer

        return writer.rewrite(session, rewrite)

    def side_folder(self, original: PurePath) -> PurePath | None:
        """The folder of sub-agents and saved results: the session file's name without its suffix."""
        return original.with_suffix("") if original.suffix else None

    def resume_command(self, session_id: str) -> str | None:
        """The command to type in the session's working directory."""
        return f"claude --resume {session_id}"

    def new_name(self, original: PurePath, session_id: str | None) -> str:
        """`<session id>.jsonl`, where the client looks for it."""
        return f"{session_id}.jsonl" if session_id else original.name


CLAUDE_CODE = ClaudeCode()
