"""What the repairs of a conversation have in common, whichever provider's rules they keep.

A mender is given the messages in their provider's form and gives them back in order. One that breaks no
rule comes back as the very same object, so that its bytes can stay; for each rule that was broken
there is a `Repair`. Nothing is held but ids and the present turn, so a session may be of any size.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from msgspec import Struct

from app.model import JsonPath, Notice, compact_json

Message: TypeAlias = dict[str, Any]
Pairs: TypeAlias = Iterable[tuple[str, Message]]
"""Each message's key with the message in its provider's form."""
UNREAD: Final[Message] = {}
"""Stands for a message that is known to keep the rules, as those beside it do."""

PairsAnew: TypeAlias = Callable[[], Pairs]
"""Gives the same messages each time it is called."""


class Repair(Struct, frozen=True):
    """One thing that has to be mended because a rule demands it."""

    word: str
    """A warning word."""
    key: str
    """Of the message."""
    detail: str


class Mended(Struct, frozen=True):
    """A message as it must be written."""

    key: str | None
    """None for a message that was not there before."""
    message: Message | None
    """None when the message leaves."""
    touched: bool = False
    """Whether it differs from what came in, or stands elsewhere."""
    origins: tuple[int | None, ...] | None = None
    """Where a content list was mended: for each of its items the position in the content as it came (a
    string is 0), None for a made one."""


class Mender(Protocol):
    """One pass over a conversation."""

    repairs: list[Repair]

    def run(self, pairs: Pairs) -> Iterator[Mended]:
        """Every message of `pairs` once, in the order to be written, with made ones between them."""


@dataclass(frozen=True)
class Mending:
    """The repairs that a conversation needs."""

    repairs: tuple[Repair, ...]
    touched: frozenset[str]
    """Keys of the messages that change, move or leave."""
    made: int
    """Messages that are added."""
    run: Callable[[], Iterator[Mended]]
    """Carries the repairs out, streaming; may be called again."""

    @property
    def needed(self) -> bool:
        """Whether anything is to be mended."""
        return bool(self.touched or self.made)


def plan_mending(pairs: PairsAnew, first: Mender, anew: Callable[[], Mender]) -> Mending:
    """What the mender `first` does to the messages, found out in one pass; `anew` makes one like it."""
    touched: set[str] = set()
    made = 0
    for mended in first.run(pairs()):
        if mended.key is None:
            made += 1
        elif mended.touched:
            touched.add(mended.key)
    return Mending(tuple(first.repairs), frozenset(touched), made, lambda: anew().run(pairs()))


def as_notices(repairs: Sequence[Repair], line_of: Callable[[str], int | None]) -> tuple[Notice, ...]:
    """One notice for all repairs of the same sort; `line_of` gives the line of a message's key."""
    sorts: dict[tuple[str, str], list[Repair]] = {}
    for repair in repairs:
        sorts.setdefault((repair.word, repair.detail), []).append(repair)
    return tuple(
        Notice(word, line_of(found[0].key), detail if len(found) == 1 else f"{detail} ({len(found)} times)")
        for (word, detail), found in sorts.items()
    )


_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")


class Ids:
    """Gives tool ids that a provider takes; an id that is good and free stays as it is.

    An id is made safe with a digest of what it was, so that two bad ones never become equal
    (HKUDS/nanobot#4356: `call.1` and `call_1` in one batch).
    """

    def __init__(self, *, longest: int | None = None, any_sign: bool = False) -> None:
        self._longest = longest
        self._any_sign = any_sign
        self._used: set[str] = set()
        self._numbers: dict[str, int] = {}

    def good(self, original: Any) -> bool:
        """Whether the provider takes it as it is."""
        if not isinstance(original, str) or not original:
            return False
        return (self._longest is None or len(original) <= self._longest) and (
            self._any_sign or _ID.fullmatch(original) is not None
        )

    def take(self, original: Any) -> str:
        """A good id for `original` that was not given before."""
        wanted = original if self.good(original) else self._safe(id_text(original))
        number = self._numbers.get(wanted, 1)
        unique = wanted
        while unique in self._used:
            number += 1
            ending = f"_{number}"
            unique = wanted[: None if self._longest is None else self._longest - len(ending)] + ending
        self._used.add(unique)
        self._numbers[wanted] = number
        return unique

    def _safe(self, original: str) -> str:
        digest = hashlib.sha256(original.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        stem = re.sub(r"[^a-zA-Z0-9_-]", "_", original[:24]) or "call"
        return f"{stem}_{digest}"


def id_text(value: Any) -> str:
    """An id as a string to pair by, whatever stands in its place."""
    return value if isinstance(value, str) else compact_json(value)


def safe_name(name: Any, longest: int) -> str:
    """A tool name of at most `longest` characters that a provider takes."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name[:longest] if isinstance(name, str) else "") or "tool"


_half = re.compile("[\ud800-\udfff]")
_Trail: TypeAlias = "tuple[_Trail, str | int] | None"


def scrubbed(value: Any) -> tuple[Any, tuple[str, ...]]:
    """`value` without what no JSON request may hold, and the warning words; the same object if all is well.

    Half a surrogate pair becomes U+FFFD, NaN and infinities become null.
    """
    words: dict[str, None] = {}
    for path, better, word in list(_unspeakable(value)):
        words[word] = None
        value = replaced(value, path, better)
    return value, tuple(words)


def _is_sayable(text: str) -> bool:
    """Whether no half of a surrogate pair stands in a text; to encode it is the fastest way to see that."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unspeakable(value: Any) -> Iterator[tuple[JsonPath, Any, str]]:
    """Path, replacement and warning word of every value (or key) inside `value` that is no JSON.

    A renamed key is given as the whole object, its values' own faults with it.
    """
    todo: list[tuple[Any, _Trail]] = [(value, None)]
    while todo:
        current, trail = todo.pop()
        kind = type(current)
        if kind is str:
            if not (current.isascii() or _is_sayable(current)):
                yield _path(trail), _half.sub("\ufffd", current), "lone-surrogate"
        elif kind is dict:
            for key in current:
                if not key.isascii() and _half.search(key):
                    renamed = {_half.sub("\ufffd", name): scrubbed(each)[0] for name, each in current.items()}
                    yield _path(trail), renamed, "lone-surrogate"
                    break
            else:
                todo += [(inner, (trail, key)) for key, inner in current.items()]
        elif kind is list:
            todo += [(inner, (trail, number)) for number, inner in enumerate(current)]
        elif kind is float and not math.isfinite(current):
            yield _path(trail), None, "not-finite"


def _path(trail: _Trail) -> JsonPath:
    steps: list[str | int] = []
    while trail is not None:
        trail, step = trail
        steps.append(step)
    return tuple(reversed(steps))


def replaced(value: Any, path: JsonPath, new: Any) -> Any:
    """A copy of `value` that says `new` at `path`; what does not lie on the path is shared."""
    if not path:
        return new
    root: list[Any] = [value]
    holder: Any = root
    for step in (0, *path[:-1]):
        holder[step] = holder[step].copy()
        holder = holder[step]
    holder[path[-1]] = new
    return root[0]
