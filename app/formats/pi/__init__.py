"""pi's sessions: a tree of entries, one JSON object a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, Final

from app.formats.base import Rewrite, Rewriting
from app.formats.pi.names import FORMAT
from app.formats.pi.sniffing import looks_like
from app.formats.source import Source
from app.model import Message, Session

_TIMED: Final = re.compile(r"(\d{4}-\d\d-\d\dT[\d-]+Z_).*")


class Pi:
    """The format of pi (version 3, and 1 and 2 as pi itself reads them)."""

    name = FORMAT
    title = "pi"
    validity = "anthropic"
    one_text = False

    def sniff(self, source: Source) -> bool:
        """Whether the head of the file holds a session header of pi, or its entries."""
        return looks_like(source)

    def read(self, source: Source, leaf: str | None = None) -> Session:
        """The session on the branch that ends at `leaf`; raises InputError if there is no such entry."""
        # Imported lazily, here and below: a run uses one format, and few runs write.
        from app.formats.pi.reader import read

        return read(source, leaf)

    def request(self, session: Session, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The messages as pi sends them to Anthropic's models, which have the strictest rules."""
        from app.formats.pi.log import log_of
        from app.formats.pi.request import pairs

        return pairs(log_of(session), messages)

    def rewrite(self, session: Session, rewrite: Rewrite) -> Rewriting:
        """Plan the file that holds `rewrite`; in place, cleared results become entries at its end."""
        from app.formats.pi import writer

        return writer.rewrite(session, rewrite)

    def side_folder(self, original: PurePath) -> PurePath | None:
        """A folder for saved results beside the file; pi itself has none and ignores it."""
        return original.with_suffix("") if original.suffix else None

    def resume_command(self, session_id: str) -> str | None:
        """The command to type in the session's working directory."""
        return f"pi --session {session_id}"

    def new_name(self, original: PurePath, session_id: str | None) -> str:
        """`<time>_<session id>.jsonl`, with the original's time."""
        if session_id is None:
            return original.name
        timed = _TIMED.fullmatch(original.name)
        start = timed[1] if timed else f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S-000Z}_"
        return f"{start}{session_id}.jsonl"
