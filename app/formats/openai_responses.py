"""Sessions in the form of OpenAI's Responses API: a list of items, a request, or one item a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from app.formats.base import Rewrite, Rewriting
from app.formats.plain.session import compacted_name
from app.formats.plain.sniffing import HeadFacts, first_look
from app.formats.responses.names import KNOWN, LIST, kind_of
from app.formats.source import Source
from app.model import Message, Session


class OpenAIResponses:
    """OpenAI Responses as JSON."""

    name = "openai-responses"
    title = "OpenAI Responses JSON"
    validity = "openai-responses"
    one_text = False

    def sniff(self, source: Source) -> bool:
        """Whether the content is a list of items, and not of messages of another API."""
        look = first_look(source, LIST)
        return look.shape is not None and _are_items(look)

    def read(self, source: Source, leaf: str | None = None) -> Session:
        """The session; the format has no branches, so `leaf` is ignored."""
        # Imported lazily, here and below: a run uses one format.
        from app.formats.responses.plain_list import read

        return read(source, self.name)

    def request(self, session: Session, messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The items, each with the key of its message; the instructions are not among them."""
        from app.formats.responses.plain_list import request

        return request(session, messages)

    def rewrite(self, session: Session, rewrite: Rewrite) -> Rewriting:
        """Plan the file with these items. It has no ids, title or usage, so these are ignored."""
        from app.formats.responses import plain_list

        return plain_list.rewrite(session, rewrite)

    def side_folder(self, original: PurePath) -> PurePath | None:
        """None: such a file has no folder of its own."""
        return None

    def resume_command(self, session_id: str) -> str | None:
        """None: no program resumes a plain list of items."""
        return None

    def new_name(self, original: PurePath, session_id: str | None) -> str:
        """`<stem>.compacted` with the suffix of the original."""
        return compacted_name(original)


def _are_items(look: HeadFacts) -> bool:
    """Whether most of the objects seen are items, and some cannot belong to another API."""
    objects = [value for value in look.values if isinstance(value, dict)]
    good = [value for value in objects if kind_of(value) in KNOWN and "tool_calls" not in value]
    if not good or len(good) * 2 < len(objects):
        return False
    return look.path[-1:] == (LIST,) or any(map(_is_telling, good))


def _is_telling(item: dict[str, Any]) -> bool:
    """Whether an item cannot be a message of another API."""
    if kind_of(item) != "message":
        return True
    content = item.get("content")
    kinds = (
        [part.get("type") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    )
    return isinstance(item.get("role"), str) and any(
        isinstance(kind, str) and (kind.startswith("input_") or kind == "output_text") for kind in kinds
    )
