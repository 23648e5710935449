"""Counting tokens of texts: never raises on a text, is bounded in time, and counts no text twice."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from app.content import Content, mark_of
from app.formats.store import Stored
from app.secrets import count_secrets
from app.tokens.text_class import HEAD_CHARS, TextClass, text_class
from app.tokens.vocabulary import O200K, VOCABULARIES, Lazy

if TYPE_CHECKING:
    from app.tokens.count_cache import KeptCounts

PIECE_CHARS = 8_192
"""Code points that are encoded at once: tiktoken panics on about a million consecutive spaces and takes
seconds for a megabyte of one letter."""

REMEMBERED = 65_536
"""Texts whose facts are kept in memory, by their marks."""

_TRIES = 64
"""Line ends tried as cuts, going back from the end of a piece, before it is cut at its full size."""


class TextFacts(NamedTuple):
    """Known facts about one text."""

    tokens: int
    kind: TextClass | None = None
    """None if not determined yet."""
    secrets: int | None = None
    """Strings that look like keys; None if not searched yet."""


class Encoder:
    """Counts tokens in one vocabulary, and caches other facts about a text. Thread-safe."""

    def __init__(self, lazy: Lazy, *, limit: int = REMEMBERED) -> None:
        self._lazy = lazy
        self._limit = limit
        self._known: dict[bytes, TextFacts] = {}
        self._lock = threading.Lock()
        self.kept: KeptCounts | None = None
        """Counts of earlier runs, if they are kept."""
        self.calls = 0
        """Number of texts that were actually encoded, not found in a cache."""

    @property
    def name(self) -> str:
        """The vocabulary's name: `o200k_base`."""
        return self._lazy.vocabulary.name

    def expected(self) -> bool:
        """Whether it can probably count, judged without loading the vocabulary."""
        return self._lazy.expected()

    def load(self) -> None:
        """Load the vocabulary now, if it is available."""
        self._lazy.get()

    def knows(self, content: Content) -> bool:
        """Whether a text can be counted without the vocabulary."""
        return self._find(mark_in(content)) is not None

    def count(self, text: str) -> int | None:
        """Tokens of `text`, special tokens counted as ordinary text; None without a vocabulary.

        The first text that has to be encoded loads the vocabulary. A text above `PIECE_CHARS` is counted
        in pieces, which overcounts by at most 0.05 %.
        """
        if not text:
            return 0
        known = self._measured(mark_of(text), lambda: text)
        return None if known is None else known.tokens

    def measure(self, content: Content) -> TextFacts | None:
        """The facts about a text, at least its tokens; reads and encodes it if it was never counted.

        None without a vocabulary.
        """
        return self._measured(mark_in(content), content.read)

    def kind(self, content: Content) -> TextClass:
        """The kind of a text, judged by its head."""
        known = self.measure(content)
        if known is not None and known.kind is not None:
            return known.kind
        kind = text_class(content.read()[:HEAD_CHARS])
        if known is not None:
            self._keep(mark_in(content), known._replace(kind=kind))
        return kind

    def secrets(self, content: Content) -> int:
        """The number of strings in a text that look like keys."""
        known = self.measure(content)
        if known is not None and known.secrets is not None:
            return known.secrets
        secrets = count_secrets(content.read())
        if known is not None:
            self._keep(mark_in(content), known._replace(secrets=secrets))
        return secrets

    def _measured(self, mark: bytes, read: Callable[[], str]) -> TextFacts | None:
        known = self._find(mark)
        if known is None and (tokens := self._encode(read())) is not None:
            known = TextFacts(tokens)
            self._keep(mark, known)
        return known

    def _find(self, mark: bytes) -> TextFacts | None:
        known = self._known.get(mark)
        if known is None and self.kept is not None:
            known = self.kept.get(key_of(mark, self.name))
            if known is not None:
                self._remember(mark, known)
        return known

    def _keep(self, mark: bytes, known: TextFacts) -> None:
        self._remember(mark, known)
        if self.kept is not None:
            self.kept.put(key_of(mark, self.name), known)

    def _remember(self, mark: bytes, known: TextFacts) -> None:
        with self._lock:
            while len(self._known) >= self._limit and mark not in self._known:
                del self._known[next(iter(self._known))]
            self._known[mark] = known

    def _encode(self, text: str) -> int | None:
        encoding = self._lazy.get()
        if encoding is None:
            return None
        with self._lock:
            self.calls += 1
        return sum(len(encoding.encode_ordinary(piece)) for piece in pieces(text))


def mark_in(content: Content) -> bytes:
    """The mark of a text; the text is not read if it was marked when the session was read."""
    return content.mark if isinstance(content, Stored) else mark_of(content.read())


def key_of(mark: bytes, vocabulary: str) -> bytes:
    """The cache key of a text's counts in a vocabulary."""
    return mark + vocabulary.encode()[:2]


def pieces(text: str, size: int = PIECE_CHARS) -> Iterator[str]:
    """`text` in parts of at most `size` code points, cut at a token boundary if one can be found.

    A newline ends a token unless whitespace or (in o200k) a slash follows it.
    """
    start, length = 0, len(text)
    while length - start > size:
        end = _cut(text, start, start + size)
        yield text[start:end]
        start = end
    if start < length:
        yield text[start:] if start else text


def _cut(text: str, start: int, end: int) -> int:
    """The last good place to cut in `text[start:end]`, else `end`; always after `start`."""
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
        # Imported lazily: without a cache no database is needed.
        from app.tokens.count_cache import FILE, KeptCounts

        kept = KeptCounts(folder / FILE)
        atexit.register(kept.flush)
    for each in _ENCODERS.values():
        if each.kept is not None:
            each.kept.close()
        each.kept = kept


def counts_are_kept() -> bool:
    """Whether counts are looked up in a file."""
    return _ENCODERS[O200K.name].kept is not None


def write_kept_counts() -> None:
    """Write the new counts that are not in the file yet."""
    for each in _ENCODERS.values():
        if each.kept is not None:
            each.kept.flush()
