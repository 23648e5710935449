"""Counting tokens of texts: never raises on a text, never takes long, never counts one text twice."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from app.secrets import count_secrets
from app.tokens.vocabulary import O200K, VOCABULARIES, Lazy

if TYPE_CHECKING:
    from app.tokens.kept import KeptCounts

PIECE_CHARS = 8_192
"""Code points that are encoded at once: tiktoken panics on about a million blanks in a row and takes
seconds for a megabyte of one letter."""

CACHED_COUNTS = 65_536
"""Texts whose count is remembered, by their hash."""

_TRIES = 64
"""Line ends that are looked at, going back from the end of a piece, before it is cut as it comes."""


class Known(NamedTuple):
    """What is known of one text."""

    tokens: int
    secrets: int | None = None
    """Strings that look like keys; None where nobody looked."""


class Encoder:
    """Counts tokens in one vocabulary. One object may serve many threads."""

    def __init__(self, lazy: Lazy, *, limit: int = CACHED_COUNTS) -> None:
        self._lazy = lazy
        self._limit = limit
        self._counts: dict[int, int] = {}
        self._secrets: dict[int, int] = {}
        self._lock = threading.Lock()
        self.kept: KeptCounts | None = None
        """Counts of earlier runs, where they are kept."""
        self.calls = 0
        """Texts that were really encoded; the rest were known already."""

    @property
    def name(self) -> str:
        """The vocabulary's name: `o200k_base`."""
        return self._lazy.vocabulary.name

    def expected(self) -> bool:
        """Whether it can count at all, as far as is known without loading the vocabulary."""
        return self._lazy.expected()

    def load(self) -> None:
        """Load the vocabulary now, if there is one."""
        self._lazy.get()

    def knows(self, text: str) -> bool:
        """Whether `text` can be counted without the vocabulary."""
        if not text or hash(text) in self._counts:
            return True
        return self.kept is not None and self.kept.get(digest(text, self.name)) is not None

    def count(self, text: str) -> int | None:
        """Tokens of `text`, special tokens counted as the words they are; None without a vocabulary.

        The first text that has to be encoded loads the vocabulary. A text above `PIECE_CHARS` is counted
        in pieces, which gives at most 0.05 % more than it has.
        """
        if not text:
            return 0
        # Python salts the hash of a string, so nobody can write two texts of one hash into a session.
        key = hash(text)
        known = self._counts.get(key)
        if known is not None:
            return known
        kept = self.kept
        mark = b"" if kept is None else digest(text, self.name)
        found = None if kept is None else kept.get(mark)
        if found is None:
            count = self._encode(text)
            if count is None:
                return None
            found = Known(count)
            if kept is not None:
                kept.put(mark, found)
        self._remember(key, found)
        return found.tokens

    def secrets(self, text: str) -> int:
        """How many strings of `text` look like keys; kept with its tokens where they are known."""
        if not text:
            return 0
        tokens = self.count(text)
        key = hash(text)
        known = self._secrets.get(key)
        if known is not None:
            return known
        found = count_secrets(text)
        if tokens is not None:
            self._remember(key, Known(tokens, found))
            if self.kept is not None:
                self.kept.put(digest(text, self.name), Known(tokens, found))
        return found

    def _remember(self, key: int, known: Known) -> None:
        with self._lock:
            _put(self._counts, key, known.tokens, self._limit)
            if known.secrets is not None:
                _put(self._secrets, key, known.secrets, self._limit)

    def _encode(self, text: str) -> int | None:
        encoding = self._lazy.get()
        if encoding is None:
            return None
        with self._lock:
            self.calls += 1
        return sum(len(encoding.encode_ordinary(piece)) for piece in pieces(text))


def _put(memory: dict[int, int], key: int, number: int, limit: int) -> None:
    while len(memory) >= limit and key not in memory:
        del memory[next(iter(memory))]
    memory[key] = number


def digest(text: str, vocabulary: str) -> bytes:
    """What stands for a text where counts are kept: no text can be had from it."""
    data = text.encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=16, person=vocabulary.encode()[:16]).digest()


def pieces(text: str, size: int = PIECE_CHARS) -> Iterator[str]:
    """`text` in parts of at most `size` code points, cut where tokens end anyway if there is such a place.

    A newline ends a token unless blanks, more newlines or (in o200k) a slash follow it.
    """
    start, length = 0, len(text)
    while length - start > size:
        end = _cut(text, start, start + size)
        yield text[start:end]
        start = end
    if start < length:
        yield text[start:] if start else text


def _cut(text: str, start: int, end: int) -> int:
    """The last good place to cut in `text[start:end]`, else `end`; always behind `start`."""
    place = end
    for _ in range(_TRIES):
        place = text.rfind("\n", start, place)
        if place < 0:
            return end
        following = text[place + 1]
        if not following.isspace() and following != "/":
            return place + 1
    return end


_ENCODERS = {name: Encoder(Lazy(vocabulary)) for name, vocabulary in VOCABULARIES.items()}


def encoder(name: str = O200K.name) -> Encoder:
    """The program's one encoder for the vocabulary `name` (`o200k_base` or `cl100k_base`)."""
    return _ENCODERS[name]


def keep_counts(folder: Path | None) -> None:
    """Look counts up in a file in `folder`, and add new ones to it; None stops that."""
    kept = None
    if folder is not None:
        # Imported here: a count that is not kept needs no database.
        from app.tokens.kept import FILE, KeptCounts

        kept = KeptCounts(folder / FILE)
        atexit.register(kept.flush)
    for each in _ENCODERS.values():
        if each.kept is not None:
            each.kept.close()
        each.kept = kept


def write_kept_counts() -> None:
    """Write what was counted and is to be kept, and is not in the file yet."""
    for each in _ENCODERS.values():
        if each.kept is not None:
            each.kept.flush()
