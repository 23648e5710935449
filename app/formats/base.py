"""What a session format is: one object that recognises, reads and writes the files of one agent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, Protocol, TypeVar, runtime_checkable

from msgspec import Struct, field

from app.formats.source import Source
from app.model import Boundary, Message, Notice, Session

Thing = TypeVar("Thing")


def nothing() -> None:
    """What is done where nobody has to be asked."""


class Rewrite(Struct, frozen=True):
    """What an export asks a format to write."""

    messages: tuple[Message, ...]
    """The live segment as it shall be: kept blocks are the session's own objects."""
    boundary: Boundary | None = None
    """A boundary that this run made; it hides all live messages that are not in `messages`."""
    session_id: str | None = None
    """The new session's id; None keeps the old one (writing in place)."""
    title: str | None = None
    context_tokens: int | None = None
    """The estimate that replaces the newest recorded usage, at least 1; None leaves it."""
    drop_old: bool = False
    """Leave out what lies before the boundary."""
    slim: bool = False
    """Empty the second copies of results that did not change, too: they are never sent."""
    alternate: bool = False
    """The target takes strict alternation only: join messages of one role in a row (plain JSON only)."""
    faulty: frozenset[str] | None = None
    """Keys of the messages in which `Format.request` breaks a rule: only they and those beside them can
    need mending. None where that is not known, or where mending takes a look at the whole conversation."""
    look: Callable[[], object] = nothing
    """Called again and again while the rewriting is worked out; what it raises ends that."""

    def looked(self, things: Iterable[Thing]) -> Iterator[Thing]:
        """The same things, with a look before each."""
        for thing in things:
            self.look()
            yield thing


class Rewriting(Struct, frozen=True):
    """How a rewritten file is made, known before a byte is written."""

    pieces: Callable[[], Iterator[bytes]]
    """The new file's bytes, streamed; may be called again."""
    kept: int
    """Records written byte for byte (but for the session id)."""
    changed: int
    added: int
    dropped: int
    repairs: tuple[Notice, ...] = field(default=())
    """What had to be mended because a rule demands it, or was left out as damaged."""


@runtime_checkable
class StreamingFormat(Protocol):
    """A format that can tell what a file would send without holding it as a session."""

    def live_request(self, source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
        """What `Format.request` gives of the live messages of a file, each read when its turn comes."""


class Format(Protocol):
    """One agent's files. Implementations hold no state."""

    name: str
    """The name in reports: `claude-code`, `anthropic`, `openai-chat` ..."""
    title: str
    """For people: `Claude Code`."""
    validity: str
    """Which provider's rules hold: `anthropic` or `openai-chat`."""
    one_text: bool
    """Whether a record has room for one text, so that how a message's texts are divided is not written."""

    def sniff(self, source: Source) -> bool:
        """Whether the content is of this format, judged by a head of the file, never by its name."""

    def read(self, source: Source, leaf: str | None = None) -> Session:
        """The session, on the branch that ends at `leaf` (default: the one the agent would take).

        Never raises on damaged content: damage becomes notices and unreadable records.
        """

    def request(self, session: Session, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each message's key with the message in its provider's form, as the agent would send it.

        Blocks that nobody changed are given as the file has them, so that a checker sees every field.
        """

    def rewrite(self, session: Session, rewrite: Rewrite) -> Rewriting:
        """The file that holds `rewrite`."""

    def side_folder(self, original: PurePath) -> PurePath | None:
        """The folder that belongs to a session file (subagents, saved results), if the format has one."""

    def resume_command(self, session_id: str) -> str | None:
        """The command that resumes a session in its agent, for a person to type; None if none does."""

    def new_name(self, original: PurePath, session_id: str | None) -> str:
        """The file name of a new session that lies beside `original`."""
