"""Masking secrets and names in the bytes of files that are to be shared.

They are found in every string of the JSON, keys included, with escapes resolved, whatever the member is
called: nothing here knows a format. Only the span itself is replaced, by plain ASCII without quotes or
backslashes, so that JSON stays JSON; every other byte stays what it was.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeAlias

from msgspec import Struct

from app.escapes import View, span_below, views, whole_escapes
from app.formats.splice import scan
from app.private_paths import ADDRESS, NAME, NAME_NEEDLES, find_addresses, find_names
from app.secret_shapes import GIVEN, Secret, is_secret_value, names_secret
from app.secrets import find_secrets, finders_for, lower, needles_in

WORD: Final = "word that you named"
SEALED: Final = "sealed thinking"
ROOT: Final = "folder"
MIN_CHARS: Final = 6
"""Strings with fewer characters are not searched: no known secret is that short."""
MAX_PLACES: Final = 200
"""Places listed for each kind; user names can be in every line of a file."""
MAX_ROUNDS: Final = 4
"""Times that one string is searched; there is hardly ever anything left after the first."""
PICTURE_CHARS: Final = 2_000
"""Characters of base64 from which a string is taken for an image."""

Finds: TypeAlias = Callable[[str], Iterable[Secret]]

Span: TypeAlias = tuple[int, int, str, str]
"""Start, end, kind, and the text there with its escapes resolved (for ROOT: the replacement)."""

_string: Final = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
_colon: Final = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+")
_picture: Final = re.compile(r"(?:data:[a-z]+/[a-z.+-]+;base64,)?(?:[A-Za-z0-9+/_-]|\\/|\\r|\\n)+={0,2}")
_hides: Final = re.compile(r"\\(?:u00|/)")
"""Escapes that may stand for an ASCII character or a slash, and so hide a needle."""
_sealed_name: Final = re.compile(
    r"(?:signature|encrypted_?content|encrypted_?reasoning|reasoning_?encrypted_?content)$", re.IGNORECASE
)
_seal: Final = re.compile(r"(?:[A-Za-z0-9+/_=-]|\\/){40,}")


class MaskingOptions(Struct, frozen=True):
    """What is masked in addition to secrets and user names in paths."""

    addresses: bool = False
    words: tuple[str, ...] = ()
    """Literal texts, compared case-insensitively."""
    roots: tuple[tuple[str, str], ...] = ()
    """Folders of this machine that the program itself wrote, each with its replacement."""


class MaskedPlace(Struct, frozen=True):
    """Where something was masked: the file's name and a 1-based line; 0 for a file that is one document."""

    file: str
    line: int


@dataclass
class MaskTally:
    """Counts of what was masked, by kind. Its report never holds the secret itself."""

    times: Counter[str] = field(default_factory=Counter)
    different: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """Kind -> masked text -> its number."""
    places: dict[str, list[MaskedPlace]] = field(default_factory=lambda: defaultdict(list))
    """Kind -> where it was masked, the first `MAX_PLACES` of them."""
    more: Counter[str] = field(default_factory=Counter)
    """Kind -> number of places beyond those in `places`."""
    last: dict[str, MaskedPlace] = field(default_factory=dict)

    def number(self, kind: str, text: str, place: MaskedPlace) -> int:
        """Count one occurrence and return the text's number; the same text has the same one everywhere."""
        self.times[kind] += 1
        if self.last.get(kind) != place:
            self.last[kind] = place
            if len(self.places[kind]) < MAX_PLACES:
                self.places[kind].append(place)
            else:
                self.more[kind] += 1
        return self.different[kind].setdefault(text, len(self.different[kind]) + 1)

    def as_json(self) -> list[dict[str, Any]]:
        """Kinds with their counts and places: keys first, then names, each the most frequent first."""
        kinds = sorted(self.times.items(), key=lambda row: (row[0] in (NAME, ADDRESS), -row[1]))
        return [
            {
                "kind": kind,
                "times": times,
                "different": len(self.different[kind]),
                "places": [{"file": place.file, "line": place.line} for place in self.places[kind]],
                "more_places": self.more[kind],
            }
            for kind, times in kinds
        ]


class _Looked(Struct, frozen=True):
    """What to search for in the strings of some JSON."""

    finds: tuple[Finds, ...]
    needles: tuple[str, ...] | None = None
    """Lower case; a string that contains none of them needs no search. None: search every string."""

    def may_hold(self, raw: str) -> bool:
        if self.needles is None:
            return True
        lowered = lower(raw)
        for needle in self.needles:  # noqa: SIM110 (a generator costs more than the searches)
            if needle in lowered:
                return True
        return False


class Masker:
    """Masks texts and JSON; the same secret gets the same mask in all files."""

    def __init__(self, wanted: MaskingOptions | None = None) -> None:
        self.wanted = wanted = wanted or MaskingOptions()
        self.tally = MaskTally()
        self._roots = [(re.compile(re.escape(root)), to) for root, to in wanted.roots]
        self._finders: list[Finds] = []
        if wanted.addresses:
            self._finders.append(find_addresses)
        if wanted.words:
            self._finders.append(_word_finder(wanted.words))

    def lines(self, pieces: Iterable[bytes], file: str, *, document: bool = False) -> Iterator[bytes]:
        """The bytes of a file, masked line by line, or as a whole if it is one JSON `document`."""
        if document:
            yield self.json(b"".join(pieces), MaskedPlace(file, 0))
            return
        for number, line in enumerate(_physical(pieces), 1):
            yield self.json(line, MaskedPlace(file, number))

    def json(self, line: bytes, place: MaskedPlace) -> bytes:
        """Masked bytes of JSON; bytes that are not JSON are masked as text."""
        if not _is_json(line):
            return self.text_bytes(line, place)
        looked = self._looked(line.decode("latin-1"))
        return b"".join(self._strings(line, place, looked)) if looked is not None else line

    def text_bytes(self, data: bytes, place: MaskedPlace) -> bytes:
        """Masked bytes of a text in any encoding that is a superset of ASCII."""
        return self.text(data.decode("utf-8", "surrogateescape"), place).encode("utf-8", "surrogateescape")

    def text(self, text: str, place: MaskedPlace) -> str:
        """A text with everything masked."""
        return self._masked(text, self._everything(), place, first=0)

    # What to look for

    def _everything(self) -> _Looked:
        return _Looked((find_secrets, find_names, *self._finders))

    def _looked(self, whole: str) -> _Looked | None:
        """What to search for in the strings of some JSON; None if nothing can be found."""
        if _hides.search(whole):
            return self._everything()
        lowered = lower(whole)
        needles = needles_in(lowered)
        finds = list(self._finders)
        if needles:
            finds.append(partial(find_secrets, among=finders_for(needles)))
        if names := [needle for needle in NAME_NEEDLES if needle in lowered]:
            finds.append(find_names)
        if not (finds or self._roots or "signature" in lowered or "encrypted" in lowered):
            return None
        is_open = bool(self._finders or self._roots)
        return _Looked(tuple(finds), None if is_open else (*needles, *names))

    # Within JSON

    def _strings(self, line: bytes, place: MaskedPlace, looked: _Looked) -> Iterator[bytes]:
        done, name, name_start, value_start = 0, "", -1, -1
        for match in _string.finditer(line):
            raw = match[1].decode("utf-8", "surrogateescape")
            is_value = value_start == match.start()
            if is_value and _is_seal(name, raw):
                start, end = _member(line, done, name_start, match.end())
                yield line[done:start]
                self.tally.number(SEALED, raw, place)
                done = end
                continue
            masked = self._string(raw, name if is_value else "", place, looked)
            if masked is not raw:
                yield line[done : match.start(1)]
                yield masked.encode("utf-8", "surrogateescape")
                done = match.end(1)
            if not is_value and (colon := _colon.match(line, match.end())):
                name, name_start, value_start = raw, match.start(), colon.end()
        yield line[done:]

    def _string(self, raw: str, name: str, place: MaskedPlace, looked: _Looked) -> str:
        if len(raw) < MIN_CHARS:
            return raw
        if len(raw) >= PICTURE_CHARS and _picture.fullmatch(raw):
            # In this much base64 a key would be found by chance.
            return raw
        if name and names_secret(name) and is_secret_value(name, raw):
            return self._replaced(raw, [(0, len(raw), GIVEN, raw)], place)
        return self._masked(raw, looked, place, first=1) if looked.may_hold(raw) else raw

    # Finding and replacing

    def _masked(self, text: str, looked: _Looked, place: MaskedPlace, *, first: int) -> str:
        for _ in range(MAX_ROUNDS):
            spans = self._spans(text, looked, first=first)
            if not spans:
                break
            text = self._replaced(text, spans, place)
            if all(span[2] in (NAME, ROOT) for span in spans):
                break
            # The masked text may have hidden another match.
        return text

    def _spans(self, text: str, looked: _Looked, *, first: int) -> list[Span]:
        found: list[Span] = []
        for seen, above in views(text, first=first):
            for find in looked.finds:
                for secret in find(seen):
                    start, end = self._placed(seen, above, secret)
                    found.append((start, end, secret.kind, seen[secret.start : secret.end]))
            for root, to in self._roots:
                spans = (span_below(above, *match.span()) for match in root.finditer(seen))
                found += [(*span, ROOT, to) for span in spans]
        return found

    def _placed(self, seen: str, above: tuple[View, ...], secret: Secret) -> tuple[int, int]:
        """Where a secret found in the newest view is in the original text."""
        start, end = secret.start, secret.end
        if secret.kind == NAME:
            # A name follows a separator, which may be an unescaped backslash, so escapes are not widened.
            for view in reversed(above):
                start, end = view.place_below(start), view.place_below(end)
            return start, end
        return span_below(above, *whole_escapes(seen, start, end))

    def _replaced(self, text: str, spans: Sequence[Span], place: MaskedPlace) -> str:
        pieces: list[str] = []
        done = 0
        for start, end, kind, held in _merged(spans):
            pieces += (text[done:start], self._mask(kind, held, place))
            done = end
        return "".join((*pieces, text[done:])) if pieces else text

    def _mask(self, kind: str, held: str, place: MaskedPlace) -> str:
        if kind == ROOT:
            return held
        number = self.tally.number(kind, held, place)
        if kind == NAME:
            return f"user{_letters(number)}"
        if kind == ADDRESS:
            return f"someone{number}@masked.invalid"
        return f"[masked {kind} {number}]"


def _letters(number: int) -> str:
    """Empty for the first, then `b`, `c` ... `z`, `bb`. Digits could make the result look like a key."""
    letters = ""
    while number > 1:
        number, place = divmod(number - 2, 25)
        letters = chr(ord("b") + place) + letters
        number += 1
    return letters


def _word_finder(words: Sequence[str]) -> Finds:
    longest_first = sorted(words, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
    return lambda text: (Secret(WORD, *match.span()) for match in pattern.finditer(text))


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Spans in order, overlapping ones joined under the kind of the longest."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not merged or span[0] >= merged[-1][1]:
            merged.append(span)
        elif span[1] > merged[-1][1]:
            start, end, kind, held = merged[-1]
            longer = (kind, held) if end - start >= span[1] - span[0] else (span[2], span[3])
            merged[-1] = (start, span[1], *longer)
    return merged


def _is_seal(name: str, raw: str) -> bool:
    """Whether a member holds a signature or encrypted content that only the provider can read."""
    if len(raw) < 24 or _sealed_name.search(name) is None:
        return False
    return _seal.fullmatch(raw) is not None or "encrypted_content" in raw


def _member(line: bytes, done: int, start: int, end: int) -> tuple[int, int]:
    """The byte span of an object's whole member, including one adjacent comma."""
    before = start
    while before > done and line[before - 1 : before] in b" \t\r\n":
        before -= 1
    if before > done and line[before - 1 : before] == b",":
        return before - 1, end
    after = end
    while line[after : after + 1] in (b" ", b"\t", b"\r", b"\n"):
        after += 1
    return (start, after + 1) if line[after : after + 1] == b"," else (start, end)


def _physical(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Lines with their line ends, however the pieces were split."""
    held: list[bytes] = []
    for piece in pieces:
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            held.append(piece[start : end + 1])
            yield b"".join(held)
            held, start = [], end + 1
        if start < len(piece):
            held.append(piece[start:])
    if held:
        yield b"".join(held)


def _is_json(line: bytes) -> bool:
    """Whether the bytes are a sequence of JSON values and nothing else."""
    position, size = 0, len(line)
    while position < size:
        found = scan(line, position)
        if not found.whole:
            return not line[position:].strip(b" \t\r\n")
        position = found.end
    return True
