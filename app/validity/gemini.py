"""The rules of the Gemini API for the contents of a request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

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

_ROLES: Final = ("user", "model", "function", None)
"""`function` is an older role for a turn of function responses; an absent role means the user."""


def check_gemini(pairs: Pairs, options: Options = DEFAULTS) -> list[Violation]:
    """Every way in which contents of a request break the rules of the Gemini API.

    One pass; only the number of calls without a response is held. `options` is ignored.
    """
    report = Report()
    calls = _CallRules(report)
    first = True
    for index, (key, content) in enumerate(pairs):
        location = Location(index, key)
        examine(content, location, report)
        if not isinstance(content, Mapping):
            report.add("shape.not-a-message", location, json_type(content))
            continue
        role = content.get("role")
        if role not in _ROLES:
            report.add("gemini.role", location, shown(role))
        if first and role == "model":
            report.add("gemini.first-role", location)
        first = False
        parts = list(_parts(content, location, report))
        _check_parts(parts, location, report)
        calls.content([part for _, part in parts], location)
    calls.end()
    if first:
        report.add("gemini.empty-conversation", EVERYWHERE)
    return report.violations()


def _parts(
    content: Mapping[str, Any], location: Location, report: Report
) -> Iterator[tuple[Location, Mapping[str, Any]]]:
    """The parts that are objects, each with its place."""
    listed = content.get("parts")
    for number, part in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(part, Mapping):
            yield location.at("parts", number), part
        else:
            report.add("shape.not-a-message", location.at("parts", number), json_type(part))


def _check_parts(parts: list[tuple[Location, Mapping[str, Any]]], location: Location, report: Report) -> None:
    if not parts:
        report.add("gemini.empty-parts", location, "no part")
    for place, part in parts:
        if not part:
            report.add("gemini.empty-parts", place, "a part without a member")
        elif part.get("text") == "" and not part.get("thoughtSignature"):
            report.add("gemini.empty-parts", place, "an empty text")


class _CallRules:
    """The rule that the next content holds as many responses as there were calls."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._waiting = 0
        self._caller = EVERYWHERE

    def content(self, parts: list[Mapping[str, Any]], location: Location) -> None:
        """Check the next content."""
        responses = sum("functionResponse" in part for part in parts)
        if responses and not self._waiting:
            self._report.add("gemini.orphan-response", location, f"{responses} responses")
        elif responses != self._waiting:
            self._report.add(
                "gemini.part-count", location, f"{responses} responses for {self._waiting} calls"
            )
        self._waiting = sum("functionCall" in part for part in parts)
        self._caller = location

    def end(self) -> None:
        """Check after the last content."""
        if self._waiting:
            self._report.add("gemini.part-count", self._caller, f"no response for {self._waiting} calls")
