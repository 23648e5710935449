"""The session format protocol: one object that detects, reads and writes the files of one agent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, Protocol, TypeVar, runtime_checkable

from msgspec import Struct, field

from app.formats.source import Source
from app.model import Boundary, Message, Notice, Session

Thing = TypeVar("Thing")


def nothing() -> None:
    """The default of `Rewrite.look`: does nothing."""


class Rewrite(Struct, frozen=True):
    """The request of an export to a format: what to write."""

    messages: tuple[Message, ...]
    """The new live segment; unchanged blocks are the session's own objects."""
    boundary: Boundary | None = None
    """A boundary made by this run; it hides all live messages that are not in `messages`."""
    session_id: str | None = None
    """The new session's id; None keeps the old one (writing in place)."""
    title: str | None = None
    context_tokens: int | None = None
    """The estimate that replaces the newest recorded usage, at least 1; None leaves it."""
    drop_old: bool = False
    """Leave out what comes before the boundary."""
    slim: bool = False
    """Also empty the second copies of unchanged results: they are never sent."""
    alternate: bool = False
    """The target requires strict alternation: join consecutive messages of one role (plain JSON only)."""
    faulty: frozenset[str] | None = None
    """Keys of the messages that break a rule in `Format.request`: only they and their neighbours can need
    repair. None if that is not known, or if repairing has to look at the whole conversation."""
    look: Callable[[], object] = nothing
    """Called repeatedly while the rewriting is planned; raise from it to cancel."""

    def looked(self, things: Iterable[Thing]) -> Iterator[Thing]:
        """The same items, calling `look` before each."""
        for thing in things:
            self.look()
            yield thing


class Rewriting(Struct, frozen=True):
    """A planned file, known before a byte is written."""

    pieces: Callable[[], Iterator[bytes]]
    """The new file's bytes, streamed; may be called again."""
    kept: int
    """Records written byte for byte (except for the session id)."""
    changed: int
    added: int
    dropped: int
    repairs: tuple[Notice, ...] = field(default=())
    """Repairs that a rule required, and what was left out as damaged."""


@runtime_checkable
class StreamingFormat(Protocol):
    """A format that can stream what a file would send without building a session."""

    def live_request(self, source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
        """What `Format.request` yields for the live messages of a file, each read lazily."""


class Format(Protocol):
    """The files of one agent. Implementations are stateless."""

    name: str
    """The name in reports: `claude-code`, `anthropic`, `openai-chat` ..."""
    title: str
    """The display name: `Claude Code`."""
    validity: str
    """Name of the provider's rules that apply: `anthropic`, `openai-chat` ..."""
    one_text: bool
    """Whether a record holds only one text, so that the division of a message into texts is lost."""

    def sniff(self, source: Source) -> bool:
        """Whether the content is of this format, judged by the file's head, never by its name."""

    def read(self, source: Source, leaf: str | None = None) -> Session:
        """The session, on the branch that ends at `leaf` (default: the one the agent would resume).

        Never raises on damaged content: damage becomes notices and unreadable records.
        """

    def request(self, session: Session, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each message's key with the message in its provider's form, as the agent would send it.

        Unchanged blocks are yielded as they are in the file, so that a checker sees every field.
        """

    def rewrite(self, session: Session, rewrite: Rewrite) -> Rewriting:
        """Plan the file that holds `rewrite`."""

    def side_folder(self, original: PurePath) -> PurePath | None:
        """The folder beside a session file for its subagents and saved results, if the format has one."""

    def resume_command(self, session_id: str) -> str | None:
        """The command for a person to type to resume a session in its agent; None if there is none."""

    def new_name(self, original: PurePath, session_id: str | None) -> str:
        """The file name for a new session in the folder of `original`."""
