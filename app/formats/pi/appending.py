"""Clearing results as pi itself does: by appending entries that edit the context."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from app.formats.anthropic_repairs import mend_anthropic
from app.formats.base import Rewrite
from app.formats.damage import file_repairs
from app.formats.new_ids import MadeIds
from app.formats.pi.forms import part_values
from app.formats.pi.log import PiLog
from app.formats.pi.names import CONTEXT_EDIT
from app.formats.pi.request import pairs
from app.formats.times import stamped
from app.model import Block, Message, Session, ToolResult


class Appended(Struct, frozen=True):
    """The entries appended to a file whose existing bytes do not change."""

    entries: tuple[dict[str, Any], ...]
    after_newline: bool
    """Whether the file ends with a line end."""


def appended(session: Session, wish: Rewrite, log: PiLog) -> Appended | None:
    """The entries that carry out `wish`, if it only changes contents of results in place; else None.

    The recorded usage stays: pi ignores usage from before such an entry.
    """
    if wish.session_id is not None or wish.title is not None or wish.boundary is not None:
        return None
    tree = log.tree
    if log.linear or not log.nodes or file_repairs(session.notices):
        return None
    if tree.missing or tree.cycles or tree.repeated:
        return None
    leaf = log.nodes[-1]
    if leaf.ident is None or leaf not in log.chosen.path[-1:]:
        return None
    changed = list(_changed(session.live, wish.messages))
    if not changed or any(result is None for result in changed):
        return None
    if mend_anthropic(lambda: wish.looked(pairs(log, wish.messages))).needed:
        return None
    ids = MadeIds(session.session_id or session.name, log.tree.by_id, 8)
    entries = []
    parent = leaf.ident
    for result in changed:
        node = log.owner(result) if result is not None else None
        if result is None or node is None or node.ident is None:
            return None
        ident = ids.make(f"edit/{result.key}")
        entries.append(
            {
                "type": CONTEXT_EDIT,
                "id": ident,
                "parentId": parent,
                "timestamp": stamped(leaf.time or 0.0),
                "targetId": node.ident,
                "replacement": {"content": part_values(log, result.parts)},
            }
        )
        parent = ident
    return Appended(tuple(entries), log.source.read(log.source.size - 1, 1) == b"\n")


def _changed(old: tuple[Message, ...], new: tuple[Message, ...]) -> Iterator[ToolResult | None]:
    """The results that differ in content; None for any other difference."""
    if [message.key for message in old] != [message.key for message in new]:
        yield None
        return
    for before, after in zip(old, new, strict=True):
        if before is after:
            continue
        if [block.key for block in before.blocks] != [block.key for block in after.blocks]:
            yield None
            return
        for was, now in zip(before.blocks, after.blocks, strict=True):
            if was is not now:
                yield _content_only(was, now)


def _content_only(was: Block, now: Block) -> ToolResult | None:
    if not isinstance(was, ToolResult) or not isinstance(now, ToolResult):
        return None
    same = (was.tool_use_id, was.is_error) == (now.tool_use_id, now.is_error)
    return now if same else None
