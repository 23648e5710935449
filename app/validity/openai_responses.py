"""The rules of OpenAI's Responses API for the items of a request."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

from app.formats.responses.names import (
    ANSWERED_BY,
    BY_PROVIDER,
    LOCAL,
    OUTPUTS,
    ROLES,
    is_call,
    is_output,
    is_produced,
    kind_of,
)
from app.validity.base import (
    DEFAULTS,
    EVERYWHERE,
    Location,
    Options,
    Pairs,
    Report,
    Violation,
    json_type,
    shown,
)
from app.validity.json_values import examine

MAX_ID_CHARS: Final = 64

_SAID = ("output_text", "refusal")
_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_NAMED = {"function_call": "arguments", "custom_tool_call": "input"}
_KNOWN = frozenset({"reasoning", *ANSWERED_BY, *OUTPUTS, *BY_PROVIDER})


def check_openai_responses(pairs: Pairs, options: Options = DEFAULTS) -> list[Violation]:
    """Every way in which items of a request break the rules of the Responses API.

    One pass; only the ids of calls and outputs are held. Unless `options.store` is set the provider stores
    nothing, so reasoning has to contain its own content; of `options.before` only encrypted content is
    compared.
    """
    report = Report()
    calls, reasoning = _CallRules(report), _ReasoningRules(report, options)
    index = -1
    for index, (key, item) in enumerate(pairs):
        location = Location(index, key)
        examine(item, location, report)
        if not isinstance(item, Mapping):
            report.add("shape.not-a-message", location, json_type(item))
            continue
        kind = kind_of(item)
        reasoning.item(item, kind, location)
        calls.item(item, kind, location)
        _check_item(item, kind, location, report)
    reasoning.end()
    calls.end()
    if index < 0:
        report.add("responses.empty-conversation", EVERYWHERE)
    return report.violations()


def _check_item(item: Mapping[str, Any], kind: str, location: Location, report: Report) -> None:
    """Check one item on its own."""
    if kind == "message":
        _check_message(item, location, report)
    elif kind in LOCAL:
        report.add("responses.local-item", location, kind)
    elif kind in _NAMED:
        name, given = item.get("name"), item.get(_NAMED[kind])
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            report.add("responses.bad-tool-name", location, shown(name))
        if not isinstance(given, str):
            report.add("responses.arguments", location, json_type(given))
    elif kind not in _KNOWN:
        report.add("responses.unknown-item", location, shown(item.get("type")))


def _check_message(item: Mapping[str, Any], location: Location, report: Report) -> None:
    role, content = item.get("role"), item.get("content")
    if not isinstance(role, str) or role not in ROLES:
        report.add("responses.role", location, shown(role))
    if not content:
        report.add("responses.empty-text", location)
    for number, part in enumerate(content if isinstance(content, list) else ()):
        kind = part.get("type") if isinstance(part, Mapping) else None
        word = kind if isinstance(kind, str) else ""
        if not (word in _SAID if role == "assistant" else word.startswith("input_")):
            report.add("responses.content", location.at("content", number), word or json_type(part))


class _CallRules:
    """The rules about calls and their outputs, which may be anywhere after them."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._calls: dict[tuple[str, str], Location] = {}
        self._outputs: dict[tuple[str, str], Location] = {}
        self._answered: dict[str, set[str]] = defaultdict(set)
        """Ids of calls with an output, by type of call; nothing else is held of these."""

    def item(self, item: Mapping[str, Any], kind: str, location: Location) -> None:
        """Take in the next item; items other than calls and outputs are ignored."""
        if not (is_call(item) or is_output(item)):
            return
        ident = item.get("call_id")
        if not isinstance(ident, str) or not ident:
            self._report.add("responses.call-id", location, kind)
            return
        if len(ident) > MAX_ID_CHARS:
            self._report.add("responses.call-id-long", location, f"{len(ident)} characters")
        known, rule = (self._calls, "call-id") if is_call(item) else (self._outputs, "output")
        pair = (ANSWERED_BY.get(kind, kind), ident)
        if pair in known or ident in self._answered[pair[0]]:
            self._report.add(f"responses.duplicate-{rule}", location, shown(ident))
        elif known is self._outputs and self._calls.pop(pair, None) is not None:
            self._answered[pair[0]].add(ident)
        else:
            known[pair] = location

    def end(self) -> None:
        """Report the calls and outputs that have no counterpart."""
        for pair, location in self._outputs.items():
            rule = "output-before-call" if pair in self._calls else "orphan-output"
            self._report.add(f"responses.{rule}", location, shown(pair[1]))
        for pair, location in self._calls.items():
            if pair not in self._outputs:
                self._report.add("responses.open-call", location, shown(pair[1]))


class _ReasoningRules:
    """The rules about reasoning and what follows it, and encrypted content, which may not be changed."""

    def __init__(self, report: Report, options: Options) -> None:
        self._report = report
        self._store = options.store
        self._waiting: tuple[Any, Location] | None = None
        self._known: set[bytes] | None = None
        if options.before is not None:
            self._known = {_digest(_seal(item)) for _, item in options.before}

    def item(self, item: Mapping[str, Any], kind: str, location: Location) -> None:
        """Check the next item."""
        if self._waiting is not None and not is_produced(item):
            self.end()
        self._waiting = None
        seal = _seal(item)
        if seal and self._known is not None and _digest(seal) not in self._known:
            self._report.add("responses.reasoning-altered", location, kind)
        if kind != "reasoning":
            return
        ident = item.get("id")
        if ident:
            self._waiting = (ident, location)
            if not (self._store or (isinstance(seal, str) and seal)):
                self._report.add("responses.reasoning-lost", location, shown(ident))

    def end(self) -> None:
        """Report reasoning that is not followed by an item it can have led to."""
        if self._waiting is not None:
            ident, location = self._waiting
            self._report.add("responses.reasoning-alone", location, shown(ident))


def _seal(item: Any) -> Any:
    return item.get("encrypted_content") if isinstance(item, Mapping) else None


def _digest(seal: Any) -> bytes:
    """A digest to compare encrypted content by, so that the content itself need not be held."""
    return blake2b(str(seal).encode("utf-8", "surrogatepass"), digest_size=16).digest()
