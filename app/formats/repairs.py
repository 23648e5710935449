"""Shared parts of repairing a conversation, whichever provider's rules apply.

A mender takes the messages in their provider's form and yields them in order. A message that breaks no
rule is yielded as the same object, so that its bytes can be kept; each broken rule adds a `Repair`.
Only ids and the current turn are held, so a session may be of any size.
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
"""Takes the place of a message that need not be read: it and its neighbours break no rule."""

PairsAnew: TypeAlias = Callable[[], Pairs]
"""Returns the same messages each time it is called."""


class Repair(Struct, frozen=True):
    """One change that a provider's rule requires."""

    word: str
    """A warning word."""
    key: str
    """The message's key."""
    detail: str


class Mended(Struct, frozen=True):
    """A message in the form in which it must be written."""

    key: str | None
    """None for an added message."""
    message: Message | None
    """None for a removed message."""
    touched: bool = False
    """Whether it was changed or moved."""
    origins: tuple[int | None, ...] | None = None
    """If a content list was changed: for each of its items the index in the original content (0 if that
    was a string), None for a new one."""


class Mender(Protocol):
    """One pass over a conversation."""

    repairs: list[Repair]

    def run(self, pairs: Pairs) -> Iterator[Mended]:
        """Every message of `pairs` once, in the order to be written, with added ones in between."""


@dataclass(frozen=True)
class Mending:
    """The repairs that a conversation needs."""

    repairs: tuple[Repair, ...]
    touched: frozenset[str]
    """Keys of the messages that are changed, moved or removed."""
    made: int
    """Number of messages that are added."""
    run: Callable[[], Iterator[Mended]]
    """Carries out the repairs as a stream; may be called again."""

    @property
    def needed(self) -> bool:
        """Whether there is anything to repair."""
        return bool(self.touched or self.made)


def plan_mending(pairs: PairsAnew, first: Mender, anew: Callable[[], Mender]) -> Mending:
    """Plan what the mender `first` does to the messages, in one pass; `anew` makes another like it."""
    touched: set[str] = set()
    made = 0
    for mended in first.run(pairs()):
        if mended.key is None:
            made += 1
        elif mended.touched:
            touched.add(mended.key)
    return Mending(tuple(first.repairs), frozenset(touched), made, lambda: anew().run(pairs()))


def as_notices(repairs: Sequence[Repair], line_of: Callable[[str], int | None]) -> tuple[Notice, ...]:
    """One notice for all repairs of the same kind; `line_of` returns the line of a message's key."""
    sorts: dict[tuple[str, str], list[Repair]] = {}
    for repair in repairs:
        sorts.setdefault((repair.word, repair.detail), []).append(repair)
    return tuple(
        Notice(word, line_of(found[0].key), detail if len(found) == 1 else f"{detail} ({len(found)} times)")
        for (word, detail), found in sorts.items()
    )


_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")


class Ids:
    """Makes tool ids valid for a provider; an id that is valid and unused is kept.

    A replacement contains a digest of the original, so that two invalid ids never become equal
    (HKUDS/nanobot#4356: `call.1` and `call_1` in one batch).
    """

    def __init__(self, *, longest: int | None = None, any_sign: bool = False) -> None:
        self._longest = longest
        self._any_sign = any_sign
        self._used: set[str] = set()
        self._numbers: dict[str, int] = {}

    def good(self, original: Any) -> bool:
        """Whether the provider accepts the id as it is."""
        if not isinstance(original, str) or not original:
            return False
        return (self._longest is None or len(original) <= self._longest) and (
            self._any_sign or _ID.fullmatch(original) is not None
        )

    def take(self, original: Any) -> str:
        """A valid id for `original` that was not returned before."""
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
    """An id as a string to pair by, whatever its JSON type."""
    return value if isinstance(value, str) else compact_json(value)


def safe_name(name: Any, longest: int) -> str:
    """A valid tool name of at most `longest` characters."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name[:longest] if isinstance(name, str) else "") or "tool"


_half = re.compile("[\ud800-\udfff]")
_Trail: TypeAlias = "tuple[_Trail, str | int] | None"


def scrubbed(value: Any) -> tuple[Any, tuple[str, ...]]:
    """`value` without what a JSON request may not hold, and warning words; the same object if it is valid.

    Lone surrogates become U+FFFD, NaN and infinities become null.
    """
    words: dict[str, None] = {}
    for path, better, word in list(_unspeakable(value)):
        words[word] = None
        value = replaced(value, path, better)
    return value, tuple(words)


def _is_sayable(text: str) -> bool:
    """Whether a text has no lone surrogate; encoding it is the fastest test."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unspeakable(value: Any) -> Iterator[tuple[JsonPath, Any, str]]:
    """Path, replacement and warning word of every value (or key) inside `value` that is not valid JSON.

    A renamed key is yielded as its whole object, with faults in the values replaced, too.
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
    """A copy of `value` with `new` at `path`; everything off the path is shared."""
    if not path:
        return new
    root: list[Any] = [value]
    holder: Any = root
    for step in (0, *path[:-1]):
        holder[step] = holder[step].copy()
        holder = holder[step]
    holder[path[-1]] = new
    return root[0]
