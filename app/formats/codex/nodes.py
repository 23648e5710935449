"""Items of a rollout as entries, with what replaying its history needs to know about them."""

from __future__ import annotations

from collections.abc import Mapping
from sys import intern
from typing import Any, Final

from app.formats.responses.authors import is_from_client
from app.formats.responses.blocks import ItemReader, role_of
from app.formats.responses.entries import Entry
from app.formats.responses.names import kind_of
from app.model import Author, JsonPath, Role, Text

_DEVELOPER_CONTEXT: Final = (
    "<permissions instructions>", "<model_switch>", "<collaboration_mode>", "<multi_agent_mode>",
    "<realtime_conversation>", "<skills_instructions>", "<personality_spec>", "<token_budget>",
    "<context_window", "<rollout_budget>",
)  # fmt: skip
"""How texts begin that the client puts before a turn and rolls back with it."""


class Node(Entry):
    """One item of a rollout."""

    starts_turn: bool = False
    """A message of the person, by which a rollback counts turns."""
    contextual: bool = False
    """A message of the client that belongs to the turn after it."""


def node_of(
    record: int, path: JsonPath, key: str, item: Mapping[str, Any], reader: ItemReader, time: float | None
) -> Node:
    """The node of the item at `path` of a record."""
    role = role_of(item)
    node = Node(
        record=record,
        path=path,
        key=key,
        kind=intern(kind_of(item)),
        role=role,
        blocks=reader.blocks(record, path, key, item),
        named=bool(item.get("id")),
        time=time,
    )
    if node.kind == "message" and role is Role.USER:
        texts = [block.author for block in node.blocks if isinstance(block, Text)]
        node.contextual = Author.INJECTED in texts
        node.starts_turn = not node.contextual and not is_from_client(item)
    elif node.kind == "message" and role is Role.SYSTEM:
        starts = (block.content.preview.lstrip().lower() for block in node.blocks if isinstance(block, Text))
        node.contextual = any(start.startswith(_DEVELOPER_CONTEXT) for start in starts)
    return node
