"""Streaming what a rollout would send without building a session: only the items' order is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from app.formats.codex.names import ROLLED_BACK
from app.formats.codex.rollout import Rollout, in_file_order, place_of
from app.formats.source import Source
from app.model import Role

_CACHE_BYTES: Final = 256 << 10
"""A small cache: each item is read once, and those of one compaction are in one record."""


def sent(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """What `Codex.request` yields for the live messages of a file, each read lazily.

    A key says where its item is.
    """
    outline = Outline(source, _CACHE_BYTES)
    outline.load()
    # The items since the compaction come after it, and are in order.
    for node in chain(sorted(outline.prefix, key=in_file_order), outline.replay.top.nodes):
        yield f"@{outline[node.record].offset}", outline.item(place_of(node))


class Outline(Rollout):
    """A rollout that holds only the order of its items.

    They have no blocks, except those of the person, which a compaction may keep.
    """

    def _key(self, offset: int, kind: str, payload: Mapping[str, Any]) -> str:
        return ""

    def _take_event(self, index: int, event: dict[str, Any]) -> None:
        """Ignore all events except the one that changes what is sent."""
        if event.get("type") == ROLLED_BACK:
            super()._take_event(index, event)

    def _take_item(self, index: int, item: dict[str, Any]) -> None:
        super()._take_item(index, item)
        nodes = self.replay.top.nodes
        if nodes and nodes[-1].record == index and nodes[-1].role is not Role.USER:
            nodes[-1].blocks = ()
