"""Trajectories of SWE-agent: the history in the form of Chat Completions, and the steps that repeat it.

mini-swe-agent's trajectories have their messages where a request has them, and are read as OpenAI Chat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from app.formats.openai_chat import ChatReader, OpenAIChat
from app.formats.plain.layout import DocumentRecords, PlainRecords, open_records
from app.formats.plain.session import MessageReader
from app.formats.plain.sniffing import are_messages, first_look
from app.formats.reshape import reshape
from app.formats.result_copies import LONG
from app.formats.source import Source
from app.model import Message, Record

_HISTORY: Final = "history"
_STEPS: Final = "trajectory"
_OWN: Final = ("message_type", "agent", "is_demo")
"""Members that only this agent's messages have."""


class SweAgent(OpenAIChat):
    """SWE-agent's `.traj` files."""

    name = "swe-agent"
    title = "SWE-agent trajectory"

    def sniff(self, source: Source) -> bool:
        """Whether the content has a history of messages as this agent writes them."""
        look = first_look(source, _HISTORY)
        if look.path != (_HISTORY,) or not are_messages(map(_sent, look.values)):
            return False
        told = (value for value in look.values if isinstance(value, dict))
        return any(name in value for value in told for name in _OWN)

    def _open(self, source: Source) -> PlainRecords:
        return open_records(source, _HISTORY)

    def _reader(self, records: PlainRecords) -> MessageReader:
        return _Reader(records)

    def sent(self, value: dict[str, Any]) -> dict[str, Any]:
        """A message as sent: with the id of the call it answers, which the agent stores in a list."""
        sent: dict[str, Any] = _sent(value)
        return sent

    def stored(self, value: dict[str, Any]) -> dict[str, Any]:
        """A message as stored: with that id in a list; one that answers no call has none."""
        if value.get("role") != "tool":
            return {name: value[name] for name in value if name not in ("tool_call_ids", "tool_call_id")}
        stored = {**value, "tool_call_ids": [value.get("tool_call_id")]}
        stored.pop("tool_call_id", None)
        return stored

    def copies(self, records: PlainRecords, texts: Callable[[], Mapping[str, str]]) -> dict[int, bytes]:
        """The updated steps, in which every query repeats all results before it."""
        index = next((n for n in range(records.listed, len(records)) if records[n].kind == _STEPS), None)
        long = {} if index is None else {old: new for old, new in texts().items() if len(old) >= LONG}
        if index is None or not long:
            return {}
        value = records.value(index)
        with suppress(RecursionError):  # no step that an agent writes is that deep
            return {index: reshape(records.raw(index), value, _without(value, long))}
        return {}


class _Reader(ChatReader):
    def message(self, record: Record, value: dict[str, Any]) -> Message:
        return super().message(record, _sent(value))

    def elsewhere(self) -> Iterable[Message]:
        """No messages; registers the steps as a record."""
        span = self.records.member(_STEPS) if isinstance(self.records, DocumentRecords) else None
        if span is not None and isinstance(self.records, DocumentRecords):
            self.records.add_elsewhere(*span, _STEPS)
        return ()


def _sent(value: Any) -> Any:
    idents = value.get("tool_call_ids") if isinstance(value, dict) else None
    if not isinstance(idents, list) or not idents or "tool_call_id" in value or value.get("role") != "tool":
        return value
    return {**value, "tool_call_id": idents[0]}


def _without(value: Any, texts: Mapping[str, str]) -> Any:
    """`value` with the same changes as in `texts` made to its texts that repeat one, or the core of one."""
    if isinstance(value, str):
        if value in texts:
            return texts[value]
        core = len(value) >= LONG and any(value in old for old in texts)
        return "" if core else value
    if isinstance(value, list):
        return [_without(item, texts) for item in value]
    if isinstance(value, dict):
        return {name: _without(item, texts) for name, item in value.items()}
    return value
