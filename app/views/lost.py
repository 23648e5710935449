"""Facts that go for good although what stays still speaks of them: paths, values, errors, addresses, names.

A fact is lost where it stands in what goes, nowhere in what stays, and what stays has its handle: the
file's name of a path, the name of a value, the kind of an error, the beginning of a hash. Without a handle
nobody would miss it. A hint, ranked, not a verdict: texts are compared by their letters. Linear in both
sides, and bounded: of very much text the newest is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log2
from typing import Final

from msgspec import Struct

from app.compactability import Judgement, Verdict
from app.model import Author, Block, Message, Text, Thinking, blocks_of, chars_of
from app.summarizers.texts import block_texts
from app.views.lost_facts import TOKEN, WORD, Fact, Kind, facts_in, path_tokens, phrases, value_tokens

MOST_CHARS: Final = 4_000_000
"""Code points of what goes that are looked at: a few seconds."""
MOST_STAYS: Final = 100_000_000
"""Code points of what stays, all of which have to be looked at: where there are more, nothing is."""
_BLOCK_CHARS: Final = 60_000
"""Of one block: its beginning and its end."""
_MOST_FACTS: Final = 200_000
_PLACES: Final = 8
"""Places of one fact that are kept."""


_WEIGHTS: Final[Mapping[Kind, float]] = {
    Kind.ERROR: 2.0,
    Kind.VALUE: 1.6,
    Kind.PATH: 1.4,
    Kind.ADDRESS: 1.4,
    Kind.HASH: 1.2,
    Kind.NAME: 0.5,
}
_VERDICTS: Final[Mapping[Verdict, float]] = {
    Verdict.USER: 3.0,
    Verdict.DECISION: 2.0,
    Verdict.ONLY_COPY: 2.0,
    Verdict.ERROR: 1.2,
    Verdict.SUPERSEDED: 0.2,
}
"""How much is gone with a block: what a later one holds anew is mostly stale."""


class Lost(Struct, frozen=True):
    """One fact that goes."""

    kind: Kind
    text: str
    """Session text: not safe for a terminal."""
    handle: str
    """What of it is still spoken of."""
    mentions: int
    """How often what stays has the handle."""
    mentioned: str
    """Key of the first block that does."""
    places: tuple[str, ...]
    """Keys of the blocks in which it stood, in their order."""
    score: float

    @property
    def said(self) -> str:
        """The handle as the fact itself spells it."""
        at = self.text.lower().find(self.handle)
        return self.handle if at < 0 else self.text[at : at + len(self.handle)]


class Losses(Struct, frozen=True):
    """What is lost from one list of messages to another."""

    facts: tuple[Lost, ...] = ()
    """The worst first."""
    looked: int = 0
    """Code points of what goes that were looked at."""
    total: int = 0
    """Code points of what goes."""


def losses(
    before: Sequence[Message],
    after: Sequence[Message],
    judgements: Mapping[str, Judgement] | None = None,
    stop: Callable[[], bool] = lambda: False,
    most_chars: int = MOST_CHARS,
) -> Losses:
    """What goes from one list of messages to the other although the other speaks of it.

    `judgements` tell how much is gone with a block; `stop` is asked again and again and ends it early.
    """
    stays = {block.key: block for _, block in blocks_of(after)}
    gone = [block for _, block in blocks_of(before) if stays.get(block.key) is not block]
    total = sum(map(chars_of, gone))
    if not total or sum(map(chars_of, stays.values())) > MOST_STAYS:
        return Losses((), 0, total)
    facts: dict[tuple[Kind, str], Fact] = {}
    looked = 0
    for block in reversed(gone):
        if looked >= most_chars or len(facts) > _MOST_FACTS or stop():
            break
        looked += min(chars_of(block), _BLOCK_CHARS)
        judgement = None if judgements is None else judgements.get(block.key)
        weight = _VERDICTS.get(judgement.verdict, 1.0) if judgement is not None else 1.0
        for fact in facts_in(_looked_at(block)):
            known = facts.setdefault((fact.kind, fact.text), fact)
            known.weight = max(known.weight, weight)
            if len(known.places) < _PLACES and known.places[-1:] != [block.key]:
                known.places.append(block.key)
    index = _Stays(_wanted(facts.values()))
    for block in stays.values():
        if stop():
            return Losses((), looked, total)
        index.add(block)
    return Losses(tuple(_ranked(facts.values(), index)), looked, total)


def _looked_at(block: Block) -> str:
    text = "\n".join(block_texts(block))
    half = _BLOCK_CHARS // 2
    return text if len(text) <= _BLOCK_CHARS else f"{text[:half]}\n{text[-half:]}"


def _wanted(facts: Iterable[Fact]) -> set[str]:
    return {token for fact in facts for token in (fact.handle, *fact.held_by, *fact.held_by_all)}


# What stays


class _Seen(Struct):
    prose: int = 0
    other: int = 0
    first: str = ""


class _Stays:
    """How often what stays has each of the tokens that are asked for."""

    def __init__(self, wanted: set[str]) -> None:
        self._wanted = wanted
        self._phrases = {token for token in wanted if " " in token}
        self.seen: dict[str, _Seen] = {}

    def add(self, block: Block) -> None:
        """Count a block's words."""
        prose = isinstance(block, Text | Thinking) and getattr(block, "author", None) is not Author.INJECTED
        for text in block_texts(block):
            plain = text.lower()
            tokens = Counter(TOKEN.findall(plain)) | Counter(WORD.findall(plain))
            self._count(tokens, block.key, prose=prose)
            self._count(path_tokens(plain), block.key, prose=prose)
            self._count(value_tokens(text), block.key, prose=prose)
            if self._phrases and prose:
                self._count(phrases(plain), block.key, prose=prose)

    def _count(self, tokens: Mapping[str, int], key: str, *, prose: bool) -> None:
        for token in self._wanted & tokens.keys():
            seen = self.seen.setdefault(token, _Seen(first=key))
            if prose:
                seen.prose += tokens[token]
            else:
                seen.other += tokens[token]


# Which matter most


def _ranked(facts: Iterable[Fact], index: _Stays) -> list[Lost]:
    spoken = [fact for fact in facts if fact.handle in index.seen and not _is_held(fact, index)]
    shared = Counter(fact.handle for fact in spoken)
    found = [_lost(fact, index.seen[fact.handle], shared[fact.handle]) for fact in spoken]
    return sorted(found, key=lambda lost: (-lost.score, lost.text))


def _is_held(fact: Fact, index: _Stays) -> bool:
    seen = index.seen
    if any(token in seen for token in fact.held_by):
        return True
    return bool(fact.held_by_all) and all(token in seen for token in fact.held_by_all)


def _lost(fact: Fact, seen: _Seen, shared: int) -> Lost:
    total = seen.prose + seen.other
    score = _WEIGHTS[fact.kind] * fact.weight * log2(1 + 3 * seen.prose + seen.other) / shared
    if total > 50 or len(fact.handle) < 6:
        score /= 3
    places = tuple(reversed(fact.places))
    return Lost(fact.kind, fact.text, fact.handle, total, seen.first, places, round(score, 3))
