"""Taking secrets and names out of bytes that somebody else will read, wherever in them they stand.

What is masked is found behind every escape, in every string of the JSON, keys included, whatever it
is called: nothing needs to know the format. Only the span itself is replaced, by plain ASCII without
quotes or backslashes, so that what was JSON stays JSON, and every other byte stays what it was.
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
"""Strings shorter than this hold no secret that is known."""
MAX_PLACES: Final = 200
"""Places of one kind that are told each; user names can stand in every line of a file."""
MAX_ROUNDS: Final = 4
"""Times that one string is searched; hardly ever is anything left after the first."""
PICTURE_CHARS: Final = 2_000
"""Characters of base64 from which a string is taken for a picture."""

Finds: TypeAlias = Callable[[str], Iterable[Secret]]

Span: TypeAlias = tuple[int, int, str, str]
"""Start, end, kind, and what stands there behind its escapes."""

_string: Final = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
_colon: Final = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+")
_picture: Final = re.compile(r"(?:data:[a-z]+/[a-z.+-]+;base64,)?(?:[A-Za-z0-9+/_-]|\\/|\\r|\\n)+={0,2}")
_hides: Final = re.compile(r"\\(?:u00|/)")
"""Escapes behind which a letter or a slash may stand."""
_sealed_name: Final = re.compile(
    r"(?:signature|encrypted_?content|encrypted_?reasoning|reasoning_?encrypted_?content)$", re.IGNORECASE
)
_seal: Final = re.compile(r"(?:[A-Za-z0-9+/_=-]|\\/){40,}")


class MaskingOptions(Struct, frozen=True):
    """What is to be masked beside keys and user names in paths."""

    addresses: bool = False
    words: tuple[str, ...] = ()
    """Whole texts, in any case."""
    roots: tuple[tuple[str, str], ...] = ()
    """Folders of this machine that the program itself wrote, and what stands for each."""


class MaskedPlace(Struct, frozen=True):
    """Where something was masked: a file by its name, and a 1-based line; 0 where lines say nothing."""

    file: str
    line: int


@dataclass
class MaskTally:
    """What was masked, by kind; never the secret itself."""

    times: Counter[str] = field(default_factory=Counter)
    different: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """Kind -> what was masked -> its number."""
    places: dict[str, list[MaskedPlace]] = field(default_factory=lambda: defaultdict(list))
    """Kind -> where it was masked, the first `MAX_PLACES` of them."""
    more: Counter[str] = field(default_factory=Counter)
    """Kind -> places that are not in `places`."""
    last: dict[str, MaskedPlace] = field(default_factory=dict)

    def number(self, kind: str, text: str, place: MaskedPlace) -> int:
        """Count one more; the same text has the same number everywhere."""
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
    """What is looked for in the strings of some JSON."""

    finds: tuple[Finds, ...]
    needles: tuple[str, ...] | None = None
    """Lower case; a string in which none of them stands holds nothing. None: any may."""

    def may_hold(self, raw: str) -> bool:
        if self.needles is None:
            return True
        lowered = lower(raw)
        for needle in self.needles:  # noqa: SIM110 (a generator costs more than the searches)
            if needle in lowered:
                return True
        return False


class Masker:
    """Masks texts and JSON; what it met before is masked alike, in whichever file it stands."""

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
        """The bytes of a file with everything masked, line by line; at once where it is one JSON document."""
        if document:
            yield self.json(b"".join(pieces), MaskedPlace(file, 0))
            return
        for number, line in enumerate(_physical(pieces), 1):
            yield self.json(line, MaskedPlace(file, number))

    def json(self, line: bytes, place: MaskedPlace) -> bytes:
        """Bytes of JSON; what is none is masked as a text."""
        if not _is_json(line):
            return self.text_bytes(line, place)
        looked = self._looked(line.decode("latin-1"))
        return b"".join(self._strings(line, place, looked)) if looked is not None else line

    def text_bytes(self, data: bytes, place: MaskedPlace) -> bytes:
        """Bytes of a text of any encoding that keeps ASCII."""
        return self.text(data.decode("utf-8", "surrogateescape"), place).encode("utf-8", "surrogateescape")

    def text(self, text: str, place: MaskedPlace) -> str:
        """A text with everything masked."""
        return self._masked(text, self._everything(), place, first=0)

    # What to look for

    def _everything(self) -> _Looked:
        return _Looked((find_secrets, find_names, *self._finders))

    def _looked(self, whole: str) -> _Looked | None:
        """What may be found in any string of some JSON; None where nothing can be."""
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
            # In so much base64 a key would be found by chance alone.
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
            # What was masked may have stood in the way of what is left.
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
        """Where a secret that was seen stands in the text below all views."""
        start, end = secret.start, secret.end
        if secret.kind == NAME:
            # A name begins behind a separator, which may be a backslash of its own.
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
    """Nothing for the first, then `b`, `c` ... `z`, `bb`: figures would make a key of what is none."""
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
    """Spans in order, those that overlap joined and called by the longest."""
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
    """Whether a member holds what only the provider can read."""
    if len(raw) < 24 or _sealed_name.search(name) is None:
        return False
    return _seal.fullmatch(raw) is not None or "encrypted_content" in raw


def _member(line: bytes, done: int, start: int, end: int) -> tuple[int, int]:
    """The bytes of a whole member of an object, one of its commas included."""
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
    """Lines with their ends, however the pieces were cut."""
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
    """Whether the bytes are JSON values one behind the other, and nothing else."""
    position, size = 0, len(line)
    while position < size:
        found = scan(line, position)
        if not found.whole:
            return not line[position:].strip(b" \t\r\n")
        position = found.end
    return True
