"""A cache of block sizes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from app.model import PREVIEW_CHARS, Author, Block, Held, Text, ToolResult

REMEMBERED = 400_000
"""Blocks whose size is kept; above that the cache is cleared."""

_INJECTED: Final = Author.INJECTED


class Memo:
    """Caches a measure per block object.

    A block is frozen and a changed one is another object, so the object's identity is the key; the
    object is held, so that its id cannot be reused. Thread-safe: a thread that asks for a block that
    another is measuring waits for it.
    """

    def __init__(
        self, measure: Callable[[Block], int], limit: int = REMEMBERED, *, by_words: bool = False
    ) -> None:
        """`by_words`: two results with the same text and nothing else have the same size."""
        self._measure = measure
        self._limit = limit
        self._by_words = by_words
        self._of_words: dict[str, int] = {}
        self._sizes: dict[int, int] = {}
        self._held: list[Block] = []
        self._lock = threading.Lock()
        self._measured_now: dict[int, threading.Lock] = {}

    def known(self, block: Block) -> int | None:
        """The size if `block`, or a placeholder with the same text, was measured before."""
        size = self._sizes.get(id(block))
        if size is None and (words := self._words(block)) is not None:
            return self._of_words.get(words)
        return size

    def of(self, block: Block) -> int:
        """The size of `block`, measured now if necessary."""
        size = self._sizes.get(id(block))
        if size is not None:
            return size
        words = self._words(block)
        return self._measured(block) if words is None else self._worded(words, block)

    def _words(self, block: Block) -> str | None:
        """A placeholder's text, its cache key: thousands of results become the same placeholder."""
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
            # Evicted already, or the other thread failed.
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
