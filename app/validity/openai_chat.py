"""The rules of OpenAI's Chat Completions API."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

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

MAX_ID_CHARS = 40

_ROLES = ("developer", "system", "user", "assistant", "tool", "function")
_ALTERNATING = ("user", "assistant")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NAME = re.compile(r"[^\s<|\\/>]+")


def check_openai_chat(pairs: Pairs, options: Options = DEFAULTS) -> list[Violation]:
    """Every way in which messages in the Chat Completions form break its rules.

    One pass; only the open calls of one message are held. `options.thinking` and `options.before` are
    ignored: reasoning is not sent in this form.
    """
    report = Report()
    calls, content = _CallRules(report), _ContentRules(report)
    role: Any = None
    index = -1
    for index, (key, message) in enumerate(pairs):
        location = Location(index, key)
        examine(message, location, report)
        if not isinstance(message, Mapping):
            report.add("shape.not-a-message", location, json_type(message))
            continue
        before, role = role, message.get("role")
        if role not in _ROLES:
            report.add("chat.role", location, shown(role))
        else:
            content.check(message, role, location)
            if options.alternate and role == before and role in _ALTERNATING:
                report.add("chat.alternation", location, role)
        calls.message(message, location)
    calls.end()
    if index < 0:
        report.add("chat.empty-conversation", EVERYWHERE)
    return report.violations()


class _ContentRules:
    """The rules about one message, except for its calls."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def check(self, message: Mapping[str, Any], role: str, location: Location) -> None:
        """Check a message of a known role."""
        content, place = message.get("content"), location.at("content")
        if content is None:
            if role != "assistant" or not _speaks_without_content(message):
                self._report.add("chat.content-null", location, role)
        elif isinstance(content, list):
            self._parts(content, place)
        elif not isinstance(content, str):
            self._report.add("chat.content-type", place, json_type(content))
        name = message.get("name")
        # A function message's name is its call's name, which is checked there.
        if name is not None and role != "function" and not (isinstance(name, str) and _NAME.fullmatch(name)):
            self._report.add("chat.bad-name", location, shown(name))

    def _parts(self, parts: list[Any], place: Location) -> None:
        if not parts:
            self._report.add("chat.content-type", place, "no part")
        for i, part in enumerate(parts):
            if not isinstance(part, Mapping):
                self._report.add("chat.content-type", place.at(i), json_type(part))
            elif not isinstance(part.get("type"), str):
                self._report.add("chat.content-type", place.at(i), "a part without a type")
            elif part["type"] == "text" and not isinstance(part.get("text"), str):
                self._report.add("chat.content-type", place.at(i), "a text part without text")


def _speaks_without_content(message: Mapping[str, Any]) -> bool:
    """Whether an assistant message with null content has something else to send."""
    return any(message.get(name) for name in ("tool_calls", "function_call", "refusal", "audio"))


class _CallRules:
    """The rules about calls and results; holds the open calls of the newest assistant message."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._open: dict[str, Location] = {}
        self._answered: set[str] = set()
        self._open_function: tuple[Any, Location] | None = None

    def message(self, message: Mapping[str, Any], location: Location) -> None:
        """Check the next message; any but a tool message closes the calls before it."""
        role = message.get("role")
        if role == "function":
            self._answer_function(message.get("name"), location)
        elif role == "tool":
            self._answer(message.get("tool_call_id"), location)
            return
        self.end()
        if role == "assistant":
            self._tool_calls(message.get("tool_calls"), location)
            self._function_call(message.get("function_call"), location)

    def end(self) -> None:
        """Report the calls that are still open."""
        for call_id, location in self._open.items():
            if call_id not in self._answered:
                self._report.add("chat.open-call", location, shown(call_id))
        self._open.clear()
        self._answered.clear()
        self._close_function()

    def _answer(self, call_id: Any, location: Location) -> None:
        if self._id(call_id, location):
            if call_id not in self._open:
                self._report.add("chat.orphan-result", location, shown(call_id))
            elif call_id in self._answered:
                self._report.add("chat.duplicate-result", location, shown(call_id))
            self._answered.add(call_id)

    def _id(self, value: Any, location: Location) -> bool:
        """Check an id; False if there is none to pair by."""
        if not isinstance(value, str) or not value:
            self._report.add("chat.call-id-empty", location)
            return False
        if len(value) > MAX_ID_CHARS:
            self._report.add("chat.call-id-long", location, f"{len(value)} characters")
        return True

    def _tool_calls(self, calls: Any, location: Location) -> None:
        if calls is None:
            return
        place = location.at("tool_calls")
        if not isinstance(calls, list):
            self._report.add("shape.not-a-message", place, json_type(calls))
            return
        if not calls:
            self._report.add("chat.empty-tool-calls", location)
        for i, call in enumerate(calls):
            if isinstance(call, Mapping):
                self._call(call, place.at(i))
            else:
                self._report.add("shape.not-a-message", place.at(i), json_type(call))

    def _call(self, call: Mapping[str, Any], location: Location) -> None:
        call_id = call.get("id")
        if self._id(call_id, location):
            if call_id in self._open:
                self._report.add("chat.duplicate-call-id", location, shown(call_id))
            self._open.setdefault(str(call_id), location)
        kind = call.get("type", "function")
        if kind == "function":
            self._function(call.get("function"), location)
        elif kind == "custom":
            self._custom(call.get("custom"), location)

    def _function_call(self, call: Any, location: Location) -> None:
        if call is None:
            return
        self._function(call, location)
        if isinstance(call, Mapping):
            self._open_function = (call.get("name"), location)

    def _answer_function(self, name: Any, location: Location) -> None:
        if isinstance(name, str) and self._open_function is not None and self._open_function[0] == name:
            self._open_function = None
        else:
            self._report.add("chat.legacy-orphan-result", location, shown(name))

    def _close_function(self) -> None:
        if self._open_function is not None:
            name, location = self._open_function
            self._report.add("chat.legacy-open-call", location, shown(name))
        self._open_function = None

    def _function(self, function: Any, location: Location) -> None:
        if not isinstance(function, Mapping):
            self._report.add("shape.not-a-message", location.at("function"), json_type(function))
            return
        self._name(function.get("name"), location)
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            self._report.add("chat.arguments", location, json_type(arguments))
        elif arguments and not _parses(arguments):
            self._report.add("chat.arguments-not-json", location)

    def _custom(self, custom: Any, location: Location) -> None:
        """Check a custom tool's call, whose input is free text."""
        if not isinstance(custom, Mapping):
            self._report.add("shape.not-a-message", location.at("custom"), json_type(custom))
            return
        self._name(custom.get("name"), location)
        if not isinstance(custom.get("input"), str):
            self._report.add("chat.arguments", location, json_type(custom.get("input")))

    def _name(self, name: Any, location: Location) -> None:
        if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
            self._report.add("chat.bad-tool-name", location, shown(name))


def _parses(text: str) -> bool:
    try:
        # Integers are kept as text: Python refuses to parse more than 4300 digits, JSON does not.
        json.loads(text, parse_int=str)
    except (ValueError, RecursionError):
        return False
    return True
