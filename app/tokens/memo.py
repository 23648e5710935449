"""Sizes of blocks that were measured before."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from app.model import PREVIEW_CHARS, Author, Block, Held, Text, ToolResult

REMEMBERED = 400_000
"""Blocks whose size is kept; past it all are forgotten and measured anew as they come."""

_INJECTED: Final = Author.INJECTED


class Memo:
    """Remembers a measure per block object.

    A block is frozen and a changed one is another object, so the object itself is the key; it is
    held, so that its id cannot come back for another one. Safe to use from several threads: one that
    asks for what another is measuring waits for that.
    """

    def __init__(
        self, measure: Callable[[Block], int], limit: int = REMEMBERED, *, by_words: bool = False
    ) -> None:
        """`by_words` says that of two results that hold the same words and nothing else both are as large."""
        self._measure = measure
        self._limit = limit
        self._by_words = by_words
        self._of_words: dict[str, int] = {}
        self._sizes: dict[int, int] = {}
        self._held: list[Block] = []
        self._lock = threading.Lock()
        self._measured_now: dict[int, threading.Lock] = {}

    def known(self, block: Block) -> int | None:
        """The size if `block`, or a placeholder that says the same, was measured before."""
        size = self._sizes.get(id(block))
        if size is None and (words := self._words(block)) is not None:
            return self._of_words.get(words)
        return size

    def of(self, block: Block) -> int:
        """The size of `block`, measured now if it has to be."""
        size = self._sizes.get(id(block))
        if size is not None:
            return size
        words = self._words(block)
        return self._measured(block) if words is None else self._worded(words, block)

    def _words(self, block: Block) -> str | None:
        """What a placeholder says, by which it is remembered: thousands of results become the same one."""
        if not self._by_words or type(block) is not ToolResult or len(block.parts) != 1:
            return None
        part = block.parts[0]
        if type(part) is not Text or part.author is not _INJECTED or type(part.content) is not Held:
            return None
        words = part.content.text
        return words if len(words) <= PREVIEW_CHARS else None

    def _worded(self, words: str, block: Block) -> int:
        size = self._of_words.get(words)
        if size is None:
            size = self._measure(block)
            if len(self._of_words) >= self._limit:
                self._of_words.clear()
            self._of_words[words] = size
        return size

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
