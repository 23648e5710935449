"""The input and output of checkers: options, locations, violations and their comparison."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from app.model import JsonPath
from app.validity.rules import RULES, Certainty

Pairs: TypeAlias = Iterable[tuple[str, Any]]
"""Each message's key with the message in its provider's form, which should be an object but may be damaged.

Iterated once, in order.
"""

DETAIL_CHARS = 80
"""Code points of session text that a detail may hold."""
PATH_STEPS = 12
"""Steps of a path that are written out; longer paths end in an ellipsis."""


class Options(Struct, frozen=True):
    """Facts about the request in which the conversation will be sent."""

    thinking: Literal["auto", "on"] = "auto"
    """`on`: the next request has extended thinking enabled. `auto`: only if `before` shows it."""
    alternate: bool = False
    """The target requires strict alternation of user and assistant."""
    store: bool = False
    """The provider stores its answers, so that reasoning may be referred to by its id alone (Responses)."""
    outer_marks: int = 0
    """Blocks outside the messages (system prompt, tools) with cache_control."""
    before: Pairs | None = None
    """The conversation as the provider knows it: its thinking must be kept unchanged or left out."""


DEFAULTS: Final = Options()


class Violation(Struct, frozen=True):
    """One place where a conversation breaks a rule.

    `where` and `detail` may hold session text: not safe for a terminal.
    """

    rule: str
    """A name in `RULES`."""
    key: str
    """The message's key; empty if the conversation as a whole breaks the rule."""
    where: str
    """A path such as `messages[3].content[0]`, by index in the checked messages."""
    detail: str = ""

    @property
    def level(self) -> Certainty:
        return RULES[self.rule].level


Checker: TypeAlias = Callable[[Pairs, Options], list[Violation]]
"""A provider's rules. Never raises because of the messages' content; returns violations in message order."""


class Location(Struct, frozen=True):
    """A place in the checked conversation."""

    index: int
    """Index of the message."""
    key: str
    path: JsonPath = ()
    """Path inside the message."""

    def at(self, *steps: str | int) -> Location:
        """A place inside this one."""
        return Location(self.index, self.key, (*self.path, *steps))

    @property
    def where(self) -> str:
        if self.index == EVERYWHERE.index:
            return "messages"
        steps = "".join(_step(step) for step in self.path[:PATH_STEPS])
        return f"messages[{self.index}]{steps}{'…' if len(self.path) > PATH_STEPS else ''}"


EVERYWHERE: Final = Location(sys.maxsize, "")
"""The conversation as a whole; sorts after every message."""


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if step.isidentifier() and step.isascii() and len(step) <= DETAIL_CHARS:
        return f".{step}"
    return f"[{step[:DETAIL_CHARS]!a}]"


class Report:
    """Collects violations in any order and returns them in message order."""

    def __init__(self) -> None:
        self._found: list[tuple[Location, Violation]] = []

    def add(self, rule: str, location: Location, detail: str = "") -> None:
        """Add a violation of `rule` at `location`; raises KeyError for a rule that is not in `RULES`."""
        self._found.append((location, Violation(RULES[rule].name, location.key, location.where, detail)))

    def violations(self) -> list[Violation]:
        """All violations, by message, then by place in it, then in the order of adding."""
        return [violation for _, violation in sorted(self._found, key=lambda item: _order(item[0]))]


def _order(location: Location) -> tuple[int, list[tuple[bool, str | int]]]:
    return location.index, [(isinstance(step, str), step) for step in location.path]


def shown(value: Any) -> str:
    """A value for a detail: a string cut to `DETAIL_CHARS`, else the name of its JSON type."""
    if isinstance(value, str):
        return value if len(value) <= DETAIL_CHARS else f"{value[:DETAIL_CHARS]}…"
    return json_type(value)


def json_type(value: Any) -> str:
    """The JSON type of a value; `null` for an absent one, too."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case Mapping():
            return "object"
        case list() | tuple():
            return "list"
        case _:
            return "no JSON"


class Comparison(Struct, frozen=True):
    """The effect of an edit on a conversation's violations; each part in message order."""

    already_broken: tuple[Violation, ...]
    """Present before and after the edit (as they are now)."""
    broken_by_edit: tuple[Violation, ...]
    mended: tuple[Violation, ...]
    """Present before (as they were) and gone now, possibly with their message."""


def compare(before: Sequence[Violation], after: Sequence[Violation]) -> Comparison:
    """Sort the violations after an edit by whether the edit caused them.

    Violations are the same if rule and message key are the same: positions move. If a message breaks a
    rule more often than before, the surplus counts as caused by the edit.
    """
    known = Counter(map(_identity, before))
    already, new = _split(after, known)
    _, mended = _split(before, Counter(map(_identity, after)))
    return Comparison(already, new, mended)


def errors(violations: Iterable[Violation]) -> list[Violation]:
    """The violations that the provider refuses, without risks."""
    return [violation for violation in violations if violation.level is Certainty.ERROR]


def _identity(violation: Violation) -> tuple[str, str]:
    return violation.rule, violation.key


def _split(
    violations: Iterable[Violation], known: Counter[tuple[str, str]]
) -> tuple[tuple[Violation, ...], tuple[Violation, ...]]:
    """The violations that `known` covers, and the rest."""
    matched, rest = [], []
    for violation in violations:
        identity = _identity(violation)
        if known[identity] > 0:
            known[identity] -= 1
            matched.append(violation)
        else:
            rest.append(violation)
    return tuple(matched), tuple(rest)
