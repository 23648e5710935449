"""The floors: what the machine itself takes for the least work that any such program must do.

orjson stands for the fastest parser there is; it is no part of the program.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from app.model import Message

REPEATS: Final = 3


def cpu(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds of processor time that `work` takes, the least of some tries."""
    return min(_timed(work, time.process_time) for _ in range(repeats))


def wall(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds that pass while `work` is done, the least of some tries."""
    return min(_timed(work, time.perf_counter) for _ in range(repeats))


def _timed(work: Callable[[], object], clock: Callable[[], float]) -> float:
    began = clock()
    result = work()
    seconds = clock() - began
    del result
    return seconds


def lines(path: Path) -> None:
    """F_lines: every line looked at."""
    with path.open("rb") as file:
        for _ in file:
            pass


def parse(path: Path) -> None:
    """F_parse: every line parsed, or the whole document, and the result dropped."""
    import orjson

    if path.suffix == ".json":
        orjson.loads(path.read_bytes())
        return
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)


def tokens(texts: Iterable[str]) -> int:
    """F_tok: every text encoded once, in one thread."""
    from app.tokens.vocabulary import O200K, load

    encoding = load(O200K)
    assert encoding is not None
    return sum(len(encoding.encode_ordinary(text)) for text in texts)


def look(messages: Sequence[Message]) -> list[str]:
    """The first block of every message found, and nothing made: how memory alone grows with their number."""
    return [message.blocks[0].key for message in messages]


def visit(messages: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    """F_pass: two keys of every message."""
    return [(message["role"], message["content"]) for message in messages]
