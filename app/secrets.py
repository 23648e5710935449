"""Strings that look like keys: counted before a text leaves the machine, and masked where one is shared.

Only well-known shapes (`app.secret_shapes`) are found, and a match may be an example: the count is a
warning.

A long text costs little more than a few substring searches for needles. Most keys begin with a word and
a separator (`ghp_`): a text in which no such prefix is followed by enough letters and digits is not
searched for any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from app.secret_shapes import FINDERS, Finder, Secret, SecretPattern


def find_secrets(text: str, among: Sequence[Finder] | None = None) -> Iterator[Secret]:
    """Every secret-like string, in order and without overlaps. Linear in the text.

    `among` are the finders that `finders_for` returned for a larger text that contains this one.
    """
    lowered = lower(text)
    if among is None:
        finders = finders_for([needle for needle in _worth_a_look(lowered) if needle in lowered])
    else:
        finders = tuple(finder for finder in among if any(needle in lowered for needle in finder.needles))
    found = [(secret, rank) for rank, finder in enumerate(finders) for secret in finder.find(text, lowered)]
    found.sort(key=lambda item: (item[0].start, item[1]))
    # The value of a telling name may be a key of a known shape: the two are one secret, named by the shape.
    held: tuple[Secret, int] | None = None
    for secret, rank in found:
        if held is None or secret.start >= held[0].end:
            if held is not None:
                yield held[0]
            held = secret, rank
            continue
        kind = secret.kind if rank < held[1] else held[0].kind
        end = max(held[0].end, secret.end)
        held = Secret(kind, held[0].start, end), min(rank, held[1])
    if held is not None:
        yield held[0]


def needles_in(lowered: str) -> list[str]:
    """The needles in a text (given in lower case); without any, no part of it can hold a secret."""
    return [needle for needle in NEEDLES if needle in lowered]


def finders_for(needles: Sequence[str]) -> tuple[Finder, ...]:
    """The finders that have one of these needles."""
    wanted = frozenset(needles)
    return tuple(finder for finder in FINDERS if not wanted.isdisjoint(finder.needles))


def lower(text: str) -> str:
    """A text in lower case with all offsets unchanged: U+0130 would become two code points."""
    return text.replace("\u0130", "I").lower()


def count_secrets(text: str) -> int:
    """The number of strings in a text that look like keys."""
    return sum(1 for _ in find_secrets(text))


def _is_marked(finder: Finder) -> bool:
    """Whether its matches are a word and a separator, followed by at least `_LEAST` characters."""
    return (
        isinstance(finder, SecretPattern) and finder.is_token and all(n[-1] in _MARKS for n in finder.needles)
    )


_MARKS: Final = "_.-"
_LEAST: Final = 10


@cache
def _beginnings() -> tuple[re.Pattern[str], ...]:
    """Patterns of the prefixes of such keys, in lower case: one for each separator."""
    heads = [needle for finder in FINDERS if _is_marked(finder) for needle in finder.needles]
    return tuple(
        re.compile(
            # Separators are rare and mostly followed by too few characters, so that is tested first.
            rf"{re.escape(mark)}(?=[a-z0-9_=+/-]{{{_LEAST}}})"
            rf"(?:{'|'.join(f'(?<={re.escape(head)})' for head in heads if head[-1] == mark)})"
        )
        for mark in _MARKS
    )


def _worth_a_look(lowered: str) -> tuple[str, ...]:
    """The needles worth searching for in a text (given in lower case)."""
    is_begun = any(pattern.search(lowered) for pattern in _beginnings())
    return NEEDLES if is_begun else _OTHER_NEEDLES


def _needles_of(finders: Iterable[Finder]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(needle for finder in finders for needle in finder.needles))


NEEDLES: Final = _needles_of(FINDERS)
_OTHER_NEEDLES: Final = _needles_of(finder for finder in FINDERS if not _is_marked(finder))
