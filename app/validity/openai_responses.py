"""The rules of OpenAI's Responses API for the items of a request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from app.validity.base import DEFAULTS, EVERYWHERE, Options, Pairs, Report, Spot, Violation, json_type, shown
from app.validity.json_values import examine

MAX_ID_CHARS: Final = 64

ANSWERED_BY: Final = {
    "function_call": "function_call_output",
    "local_shell_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "computer_call": "computer_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "tool_search_call": "tool_search_output",
}
"""Which type of item answers which type of call."""

_OUTPUTS = frozenset(ANSWERED_BY.values())
_SEARCH = ("tool_search_call", "tool_search_output")
_ANSWERED_BY_PROVIDER = frozenset(
    {
        "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call",
        "mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "item_reference", "compaction",
        "compaction_trigger", "context_compaction",
    }
)  # fmt: skip
_OF_THE_CLIENT = ("ghost_snapshot", "other")
_ROLES = ("user", "assistant", "system", "developer")
_SAID = ("output_text", "refusal")
_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_NAMED = {"function_call": "arguments", "custom_tool_call": "input"}
_KNOWN = frozenset({"reasoning", *ANSWERED_BY, *_OUTPUTS, *_ANSWERED_BY_PROVIDER})


def check_openai_responses(pairs: Pairs, options: Options = DEFAULTS) -> list[Violation]:
    """Every way in which items of a request break the rules of the Responses API.

    One pass; what is held are the ids of calls and outputs. Unless `options.store` is set the provider
    keeps nothing, so reasoning has to carry its own content; of `options.before` only what is sealed is
    compared.
    """
    report = Report()
    calls, reasoning = _CallRules(report), _ReasoningRules(report, options)
    index = -1
    for index, (key, item) in enumerate(pairs):
        spot = Spot(index, key)
        examine(item, spot, report)
        if not isinstance(item, Mapping):
            report.add("shape.not-a-message", spot, json_type(item))
            continue
        kind = _kind(item)
        reasoning.item(item, kind, spot)
        calls.item(item, kind, spot)
        _check_item(item, kind, spot, report)
    reasoning.end()
    calls.end()
    if index < 0:
        report.add("responses.empty-conversation", EVERYWHERE)
    return report.violations()


def _kind(item: Mapping[str, Any]) -> str:
    """An item's type; a message may leave it out."""
    kind = item.get("type") or ("message" if "role" in item else "")
    return kind if isinstance(kind, str) else ""


def _check_item(item: Mapping[str, Any], kind: str, spot: Spot, report: Report) -> None:
    """What one item has to be, whatever stands around it."""
    if kind == "message":
        _check_message(item, spot, report)
    elif kind in _OF_THE_CLIENT:
        report.add("responses.local-item", spot, kind)
    elif kind in _NAMED:
        name, given = item.get("name"), item.get(_NAMED[kind])
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            report.add("responses.bad-tool-name", spot, shown(name))
        if not isinstance(given, str):
            report.add("responses.arguments", spot, json_type(given))
    elif kind not in _KNOWN:
        report.add("responses.unknown-item", spot, shown(item.get("type")))


def _check_message(item: Mapping[str, Any], spot: Spot, report: Report) -> None:
    role, content = item.get("role"), item.get("content")
    if role not in _ROLES:
        report.add("responses.role", spot, shown(role))
    if not content:
        report.add("responses.empty-text", spot)
    for number, part in enumerate(content if isinstance(content, list) else ()):
        kind = part.get("type") if isinstance(part, Mapping) else None
        word = kind if isinstance(kind, str) else ""
        if not (word in _SAID if role == "assistant" else word.startswith("input_")):
            report.add("responses.content", spot.at("content", number), word or json_type(part))


class _CallRules:
    """Calls and what answers them, wherever it stands."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._calls: dict[tuple[str, str], Spot] = {}
        self._outputs: dict[tuple[str, str], Spot] = {}

    def item(self, item: Mapping[str, Any], kind: str, spot: Spot) -> None:
        """The next item; one that is no half of a pair counts nothing."""
        if not (kind in ANSWERED_BY or kind in _OUTPUTS):
            return
        if kind in _SEARCH and item.get("execution") != "client":
            return
        ident = item.get("call_id")
        if not isinstance(ident, str) or not ident:
            self._report.add("responses.call-id", spot, kind)
            return
        if len(ident) > MAX_ID_CHARS:
            self._report.add("responses.call-id-long", spot, f"{len(ident)} characters")
        is_call = kind in ANSWERED_BY
        known, rule = (self._calls, "call-id") if is_call else (self._outputs, "output")
        pair = (ANSWERED_BY.get(kind, kind), ident)
        if pair in known:
            self._report.add(f"responses.duplicate-{rule}", spot, shown(ident))
        else:
            known[pair] = spot

    def end(self) -> None:
        """Nothing follows any more: what is half of a pair stays so."""
        for pair, spot in self._outputs.items():
            call = self._calls.get(pair)
            if call is None:
                self._report.add("responses.orphan-output", spot, shown(pair[1]))
            elif call.index > spot.index:
                self._report.add("responses.output-before-call", spot, shown(pair[1]))
        for pair, spot in self._calls.items():
            if pair not in self._outputs:
                self._report.add("responses.open-call", spot, shown(pair[1]))


class _ReasoningRules:
    """Reasoning and what it led to; sealed content, which may go but never change."""

    def __init__(self, report: Report, options: Options) -> None:
        self._report = report
        self._store = options.store
        self._waiting: tuple[Any, Spot] | None = None
        self._known: set[str] | None = None
        if options.before is not None:
            self._known = {str(_seal(item)) for _, item in options.before}

    def item(self, item: Mapping[str, Any], kind: str, spot: Spot) -> None:
        """The next item."""
        if self._waiting is not None and not _is_produced(item, kind):
            self.end()
        self._waiting = None
        seal = _seal(item)
        if seal and self._known is not None and str(seal) not in self._known:
            self._report.add("responses.reasoning-altered", spot, kind)
        if kind != "reasoning":
            return
        ident = item.get("id")
        if ident:
            self._waiting = (ident, spot)
            if not (self._store or (isinstance(seal, str) and seal)):
                self._report.add("responses.reasoning-lost", spot, shown(ident))

    def end(self) -> None:
        """What followed the newest reasoning is not what it led to, or nothing did."""
        if self._waiting is not None:
            ident, spot = self._waiting
            self._report.add("responses.reasoning-alone", spot, shown(ident))


def _seal(item: Any) -> Any:
    return item.get("encrypted_content") if isinstance(item, Mapping) else None


def _is_produced(item: Mapping[str, Any], kind: str) -> bool:
    """Whether the model makes such an item, so that reasoning can have led to it."""
    return (
        kind == "reasoning"
        or kind in ANSWERED_BY
        or kind in _ANSWERED_BY_PROVIDER
        or item.get("role") == "assistant"
    )
