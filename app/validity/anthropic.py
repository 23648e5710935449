"""The rules of Anthropic's Messages API."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from app.validity.anthropic_pairs import PairRules
from app.validity.anthropic_thinking import ThinkingRules
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
from app.validity.images import ImageRules
from app.validity.json_values import examine
from app.validity.turns import KNOWN_ROLES, BlockFamily, Turn, content_of, family_of, read_turns, role_allows

MAX_REQUEST_BYTES = 32 * 1024 * 1024
MAX_CACHE_MARKS = 4

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_OTHER_TYPES: Mapping[str, tuple[str, ...]] = {
    "user": ("image", "document", "search_result", "container_upload"),
    "assistant": ("container_upload", "compaction"),
}
_PART_TYPES = ("text", "image", "document", "search_result", "tool_reference")
"""Types of the parts that a tool_result may hold."""


def check_anthropic(pairs: Pairs, options: Options = DEFAULTS) -> list[Violation]:
    """Every way in which messages in the Messages API's form break its rules.

    Consecutive messages of one role are one turn, as the API joins them. One pass; only the current turn's
    outline and the conversation's tool ids are held, never its texts.
    """
    report = Report()
    watchers = (PairRules(report), ThinkingRules(report, options), _Ending(report))
    for turn in read_turns(_Messages(report, options).checked(pairs)):
        for watcher in watchers:
            watcher.turn(turn)
    for watcher in watchers:
        watcher.end()
    return report.violations()


class _Messages:
    """Checks each message on its own as it passes, and rules that do not depend on turns."""

    def __init__(self, report: Report, options: Options) -> None:
        self._report = report
        self._split_rule = "anthropic.alternation" if options.alternate else "anthropic.split-turn"
        self._blocks = _BlockRules(report, options.outer_marks)

    def checked(self, pairs: Pairs) -> Iterator[tuple[Location, Mapping[str, Any]]]:
        """The messages that are objects, in order, checking each."""
        size = 0
        role: Any = None
        started = False
        empty: Location | None = None
        index = -1
        for index, (key, message) in enumerate(pairs):
            location = Location(index, key)
            size += examine(message, location, self._report) + 1
            if empty is not None:
                self._report.add("anthropic.empty-content", empty)
                empty = None
            if not isinstance(message, Mapping):
                self._report.add("shape.not-a-message", location, json_type(message))
                continue
            self._role(message, role, started, location)
            role = message.get("role")
            if role in KNOWN_ROLES:
                started = True
                empty = self._content(message, location)
            yield location, message
        self._end(index + 1, size)

    def _end(self, messages: int, size: int) -> None:
        if not messages:
            self._report.add("anthropic.empty-conversation", EVERYWHERE)
        if size > MAX_REQUEST_BYTES:
            self._report.add("anthropic.request-size", EVERYWHERE, f"about {size} bytes")
        self._blocks.end()

    def _role(self, message: Mapping[str, Any], before: Any, started: bool, location: Location) -> None:
        role = message.get("role")
        if role == "system":
            self._report.add("anthropic.mid-system", location)
        elif role not in KNOWN_ROLES:
            self._report.add("anthropic.role", location, shown(role))
        elif not started and role != "user":
            self._report.add("anthropic.first-role", location, shown(role))
        elif role == before:
            self._report.add(self._split_rule, location, role)

    def _content(self, message: Mapping[str, Any], location: Location) -> Location | None:
        """Check the blocks; returns the location if the content is empty in a way a last message may be."""
        content = message.get("content")
        if not isinstance(content, str | list):
            self._report.add("anthropic.empty-content", location, json_type(content))
        elif not content and message.get("role") == "assistant":
            return location
        elif not content:
            self._report.add("anthropic.empty-content", location)
        elif isinstance(content, list):
            _report_non_objects(content, location.at("content"), self._report)
        for block, place in content_of(message, location):
            self._blocks.check(block, str(message.get("role")), place)
        return None


class _BlockRules:
    """The rules about single blocks, and those about counts over all blocks."""

    def __init__(self, report: Report, outer_marks: int) -> None:
        self._report = report
        self._images = ImageRules(report)
        self._marks = outer_marks

    def check(self, block: Mapping[str, Any], role: str, location: Location) -> None:
        """Check a block of a message."""
        kind, family = block.get("type"), family_of(block.get("type"))
        self._mark(block, family, location)
        if not role_allows(role, family):
            self._report.add("anthropic.block-role", location, f"{shown(kind)} in {role}")
            return
        match family:
            case BlockFamily.TEXT:
                self._text(block, location)
            case BlockFamily.THINKING:
                self._thinking(block, location)
            case BlockFamily.CALL | BlockFamily.SERVER_CALL:
                self._call(block, location)
            case BlockFamily.RESULT:
                self._id(block.get("tool_use_id"), location)
                self._result_content(block, location)
            case BlockFamily.SERVER_RESULT:
                self._id(block.get("tool_use_id"), location)
            case BlockFamily.OTHER:
                self._other(block, role, location)

    def end(self) -> None:
        """Check the counts after the last block."""
        self._images.end()
        if self._marks > MAX_CACHE_MARKS:
            self._report.add("anthropic.cache-control-count", EVERYWHERE, str(self._marks))

    def _mark(self, block: Mapping[str, Any], family: BlockFamily, location: Location) -> None:
        if block.get("cache_control") is None:
            return
        self._marks += 1
        if family is BlockFamily.THINKING or (family is BlockFamily.TEXT and not block.get("text")):
            self._report.add("anthropic.cache-control-place", location, shown(block.get("type")))

    def _text(self, block: Mapping[str, Any], location: Location) -> None:
        text = block.get("text")
        if not isinstance(text, str):
            self._report.add("anthropic.empty-text", location, json_type(text))
        elif not text:
            self._report.add("anthropic.empty-text", location)
        elif text.isspace():
            self._report.add("anthropic.blank-text", location)

    def _thinking(self, block: Mapping[str, Any], location: Location) -> None:
        redacted = block.get("type") == "redacted_thinking"
        seal = block.get("data" if redacted else "signature")
        if not isinstance(seal, str) or not seal:
            self._report.add("anthropic.thinking-unsigned", location)
        elif not redacted and not block.get("thinking"):
            self._report.add("anthropic.thinking-emptied", location)

    def _call(self, block: Mapping[str, Any], location: Location) -> None:
        self._id(block.get("id"), location)
        name, arguments = block.get("name"), block.get("input")
        if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
            self._report.add("anthropic.bad-tool-name", location, shown(name))
        if not isinstance(arguments, Mapping):
            self._report.add("anthropic.input-not-object", location, json_type(arguments))

    def _id(self, value: Any, location: Location) -> None:
        if not isinstance(value, str) or not _ID.fullmatch(value):
            self._report.add("anthropic.bad-id", location, shown(value))

    def _result_content(self, result: Mapping[str, Any], location: Location) -> None:
        """Check a result's content: none, a possibly empty text, or a list of parts."""
        content, place = result.get("content", ""), location.at("content")
        if isinstance(content, list):
            _report_non_objects(content, place, self._report)
            text_only = bool(result.get("is_error"))
            for i, part in enumerate(content):
                if isinstance(part, Mapping):
                    self._part(part, text_only, place.at(i))
        elif not isinstance(content, str):
            self._report.add("anthropic.empty-content", place, json_type(content))

    def _part(self, part: Mapping[str, Any], text_only: bool, location: Location) -> None:
        kind, family = part.get("type"), family_of(part.get("type"))
        self._mark(part, family, location)
        if text_only and family is not BlockFamily.TEXT:
            self._report.add("anthropic.error-result-not-text", location, shown(kind))
        elif family not in (BlockFamily.TEXT, BlockFamily.OTHER):
            self._report.add("anthropic.block-role", location, f"{shown(kind)} in a tool_result")
        elif kind not in _PART_TYPES:
            self._report.add("anthropic.unknown-block", location, shown(kind))
        if kind == "text":
            self._text(part, location)
        elif kind == "image":
            self._images.see(part, location)

    def _other(self, block: Mapping[str, Any], role: str, location: Location) -> None:
        kind = block.get("type")
        if kind == "image" and role == "user":
            self._images.see(block, location)
        elif kind in _OTHER_TYPES[role]:
            return
        elif any(kind in types for types in _OTHER_TYPES.values()):
            self._report.add("anthropic.block-role", location, f"{shown(kind)} in {role}")
        else:
            self._report.add("anthropic.unknown-block", location, shown(kind))


class _Ending:
    """The rule about how a conversation ends."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._last: Turn | None = None

    def turn(self, turn: Turn) -> None:
        """Take in the next turn."""
        self._last = turn

    def end(self) -> None:
        """Check the rule after the last turn."""
        if self._last is None or self._last.role != "assistant" or not self._last.blocks:
            return
        last = self._last.blocks[-1]
        if last.loose_end:
            self._report.add("anthropic.trailing-space", last.location)


def _report_non_objects(values: list[Any], location: Location, report: Report) -> None:
    for i, value in enumerate(values):
        if not isinstance(value, Mapping):
            report.add("shape.not-a-message", location.at(i), json_type(value))
