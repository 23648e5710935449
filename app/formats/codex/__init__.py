"""Codex's sessions: a log of records, one JSON object a line, from which the history is replayed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, Final

from app.formats.base import Rewrite, Rewriting
from app.formats.codex.names import NAME
from app.formats.codex.sniffing import looks_like
from app.formats.source import Source
from app.model import Message, Session

_TIMED: Final = re.compile(r"(rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-).*")


class Codex:
    """The format of Codex's rollouts (0.98 and 0.171)."""

    name = NAME
    title = "Codex"
    validity = "openai-responses"
    one_text = False

    def sniff(self, source: Source) -> bool:
        """Whether the head of the file holds records of a rollout."""
        return looks_like(source)

    def read(self, source: Source, leaf: str | None = None) -> Session:
        """The session; a log has no branches, so `leaf` is ignored."""
        # Imported lazily, here and below: a run uses one format, and few runs write.
        from app.formats.codex.reader import read

        return read(source)

    def request(self, session: Session, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The items that the client sends, each with the key of its message."""
        from app.formats.codex.rollout import rollout_of
        from app.formats.responses.outgoing import Sender

        return Sender(session, rollout_of(session)).pairs(messages)

    def live_request(self, source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
        """What `request` yields for a file's live messages; see `app.formats.base.StreamingFormat`."""
        from app.formats.codex.streaming import sent

        return sent(source)

    def rewrite(self, session: Session, rewrite: Rewrite) -> Rewriting:
        """Plan the file that holds `rewrite`, with all repairs that the provider's rules require."""
        from app.formats.codex import writer

        return writer.rewrite(session, rewrite)

    def side_folder(self, original: PurePath) -> PurePath | None:
        """A folder for saved results beside the file; Codex itself has none and ignores it."""
        return original.with_suffix("") if original.suffix else None

    def resume_command(self, session_id: str) -> str | None:
        """The command to type; the picker does not list the new session before its first resume."""
        return f"codex resume {session_id}"

    def new_name(self, original: PurePath, session_id: str | None) -> str:
        """`rollout-<time>-<session id>.jsonl`, with the original's time: the client finds it by the id."""
        if session_id is None:
            return original.name
        timed = _TIMED.fullmatch(original.name)
        start = timed[1] if timed else f"rollout-{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}-"
        return f"{start}{session_id}.jsonl"
