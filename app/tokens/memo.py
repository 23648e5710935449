"""Sizes of blocks that were measured before."""

from __future__ import annotations

import threading
from collections.abc import Callable

from app.model import Block

REMEMBERED = 400_000
"""Blocks whose size is kept; past it all are forgotten and measured anew as they come."""


class Memo:
    """Remembers a measure per block object.

    A block is frozen and a changed one is another object, so the object itself is the key; it is
    held, so that its id cannot come back for another one. Safe to use from several threads: one that
    asks for what another is measuring waits for that.
    """

    def __init__(self, measure: Callable[[Block], int], limit: int = REMEMBERED) -> None:
        self._measure = measure
        self._limit = limit
        self._sizes: dict[int, int] = {}
        self._held: list[Block] = []
        self._lock = threading.Lock()
        self._measured_now: dict[int, threading.Lock] = {}

    def known(self, block: Block) -> int | None:
        """The size if `block` was measured before."""
        return self._sizes.get(id(block))

    def of(self, block: Block) -> int:
        """The size of `block`, measured now if it has to be."""
        size = self._sizes.get(id(block))
        return self._measured(block) if size is None else size

    def _measured(self, block: Block) -> int:
        mine = threading.Lock()
        mine.acquire()
        other = self._measured_now.setdefault(id(block), mine)
        if other is not mine:
            with other:  # until it is measured
                size = self.known(block)
            # Forgotten already, or the other one failed.
            return self._measure(block) if size is None else size
        try:
            size = self.known(block)
            if size is None:
                size = self._measure(block)
                self._keep(block, size)
        finally:
            del self._measured_now[id(block)]
            mine.release()
        return size

    def _keep(self, block: Block, size: int) -> None:
        with self._lock:
            if len(self._sizes) >= self._limit:
                self._sizes.clear()
                self._held.clear()
            self._held.append(block)
            self._sizes[id(block)] = size
