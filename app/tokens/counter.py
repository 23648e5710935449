"""Counting the blocks of a session incrementally: a rough number at once, the exact one when counted.

Starts no thread. The user interface runs `run` in a worker and shows what `tokens` returns meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from threading import Event, Lock
from typing import Final

from msgspec import Struct

from app.model import Block, Message, chars_of
from app.tokens.encode import write_kept_counts
from app.tokens.model_tokens import TokenEstimator

_LOOK: Final = 512
"""Blocks to go through before checking again whether a priority count is waiting."""


class Counted(Struct, frozen=True):
    """The progress after one more block."""

    key: str
    tokens: int
    share: float
    """Share of the text, by characters, that has been counted: 0 to 1."""
    secrets: int = 0
    """Strings in the block that look like keys, if they were searched for."""


class Counter:
    """Sizes of blocks in tokens, exact if they were counted, else rough. Thread-safe.

    `exact` remembers counts per block object: after a stage or an edit only the blocks that it changed
    have to be counted.
    """

    def __init__(self, exact: TokenEstimator, rough: TokenEstimator) -> None:
        self.exact = exact
        self.rough = rough
        self._counting = Lock()
        self._nobody_waits = Event()
        """Cleared while `count` counts a few blocks out of turn, for which `run` pauses."""
        self._nobody_waits.set()

    def tokens(self, block: Block) -> tuple[int, bool]:
        """Tokens of `block`, and whether they were counted exactly."""
        known = self.exact.known(block)
        if known is None:
            return self.rough.block(block), False
        return known, self.exact.exact

    def message(self, message: Message) -> tuple[int, bool]:
        """Tokens of a message including fixed costs, and whether all its blocks were counted exactly."""
        return self.total((message,))

    def total(self, messages: Iterable[Message]) -> tuple[int, bool]:
        """Tokens of messages, and whether all blocks were counted exactly."""
        tokens, whole = 0, self.exact.exact
        known, overhead = self.exact.known, self.exact.overhead
        for message in messages:
            tokens += overhead(message)
            for block in message.blocks:
                size = known(block)
                if size is None:
                    size, whole = self.rough.block(block), False
                tokens += size
        return tokens, whole

    def counted_share(self, blocks: Iterable[Block]) -> float:
        """Share of the text of `blocks`, by characters, that was counted: 0 to 1; 1 if there is no text."""
        done = everything = 0
        for block in blocks:
            chars = chars_of(block)
            everything += chars
            done += chars if self._counted(block) else 0
        return _share(done, everything) if self.exact.exact else 0.0

    def run(
        self,
        blocks: Sequence[Block],
        stop: Callable[[], bool],
        visible: Collection[str] = (),
        *,
        secrets: bool = False,
    ) -> Iterator[Counted]:
        """Count all `blocks` (in the session's order), those with `visible` keys first, then the newest.

        `stop` is called before each block; what was counted by then is kept. Blocks already counted are
        skipped, unless `secrets` also counts strings that look like keys while the text is at hand.
        Raises what reading a text raises.
        """
        everything = 0
        left: list[Block] = []
        for block in self._patiently(counting_order(blocks, visible)):
            everything += chars_of(block)
            if secrets or not self._counted(block):
                left.append(block)
        done = everything - sum(map(chars_of, left))
        try:
            for block in left:
                self._nobody_waits.wait()
                if stop():
                    return
                tokens = self._count(block)
                found = self.exact.secrets(block) if secrets else 0
                done += chars_of(block)
                yield Counted(block.key, tokens, _share(done, everything), found)
        finally:
            write_kept_counts()

    def count(self, blocks: Iterable[Block], stop: Callable[[], bool]) -> bool:
        """Count a few blocks ahead of a `run` over all of them; returns whether one of them was new.

        `stop` is called before each. Raises what reading a text raises.
        """
        new = False
        self._nobody_waits.clear()
        try:
            for block in blocks:
                if stop():
                    break
                if not self._counted(block):
                    self._count(block)
                    new = True
        finally:
            self._nobody_waits.set()
        return new

    def _patiently(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The blocks, waiting between them while `count` is running."""
        for number, block in enumerate(blocks):
            if not number % _LOOK:
                self._nobody_waits.wait()
            yield block

    def _count(self, block: Block) -> int:
        # Two runs over the same blocks share the work instead of doing it twice.
        with self._counting:
            return self.exact.block(block)

    def _counted(self, block: Block) -> bool:
        return self.exact.known(block) is not None


def counting_order(blocks: Sequence[Block], visible: Collection[str]) -> Iterator[Block]:
    """The visible blocks in their order, then the others from the newest to the oldest."""
    shown = frozenset(visible)
    yield from (block for block in blocks if block.key in shown)
    yield from (block for block in reversed(blocks) if block.key not in shown)


def watch(counting: Iterable[Counted], progress: Callable[[str], None]) -> int:
    """Count to the end, reporting progress; returns the number of strings that look like keys."""
    shown, secrets = -1, 0
    for counted in counting:
        secrets += counted.secrets
        percent = int(counted.share * 100)
        if percent != shown:
            shown = percent
            progress(f"Counting tokens {percent} %")
    return secrets


def _share(done: int, everything: int) -> float:
    return done / everything if everything else 1.0
