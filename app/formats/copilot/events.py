"""The events of a session as records; the value of a sent event is its message."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any, ClassVar

from app.formats.copilot.forms import form_of, made_event, with_form
from app.formats.copilot.names import COMPACTED, START, USAGE, data_of, kind_of, text_at
from app.formats.lines import UNREADABLE, LineReader
from app.formats.plain.layout import LineRecords, Loaded
from app.formats.reshape import reshape
from app.formats.source import Source
from app.formats.splice import encode
from app.formats.times import seconds, stamped
from app.model import Record, Usage

_NAMESPACE = uuid.UUID("2f5d7c1e-8f5b-5d38-9d4e-0c6a4f1a7b52")
_LONGEST_KEY = 200


class EventRecords(LineRecords):
    """One event a line. `value` is the message of a sent event, and any other event as it is."""

    only_messages: ClassVar[bool] = False

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.session_id: str | None = None
        self.starts: list[int] = []
        """Records that name the session."""
        self.cwd: str | None = None
        self.model: str | None = None
        self.boundary: int | None = None
        """Record of the newest compaction that replaces what is before it."""
        self.times: dict[int, float | None] = {}
        self.apart: set[int] = set()
        """Events of subagents, which are not sent."""
        self.failed: set[int] = set()
        self.usages: dict[int, Usage] = {}
        """By the reply's record: the usage that the client recorded just before it."""
        self.models: dict[int, str] = {}
        self._usage: Usage | None = None
        self._made = 0
        self.hidden_bytes = 0
        """Bytes of events that are never sent."""

    def load(self) -> Iterator[Loaded]:
        reader = LineReader(self.source)
        for index, row in enumerate(reader):
            event: Any = row.value
            kind = "unreadable" if event is UNREADABLE else kind_of(event) or "other"
            key = self._event_key(event, row.offset)
            self.append(Record(index, row.offset, row.length, row.line, kind, key, row.damage))
            self.listed += 1
            if isinstance(event, dict):
                self._note(index, event)
            form = self._form(event)
            self.hidden_bytes += row.length if form is event else 0
            yield Loaded(self[index], form)
        self._note_lines(reader)

    def value(self, index: int) -> Any:
        """The message of a sent event, in the form of Chat Completions; any other event as it is."""
        return self._form(super().value(index))

    def event(self, index: int) -> Any:
        """The event itself."""
        return super().value(index)

    def said(self, index: int, value: Any) -> bytes:
        """An event's bytes, updated to another message."""
        event = self.event(index)
        return reshape(self.sound_bytes(index), event, with_form(event, self._form(event), value))

    def new(self, value: Any) -> bytes:
        """The bytes of an event for a new message."""
        self._made += 1
        name = f"{self.session_id}/{self._made}/{encode(value)!r}".encode("utf-8", "backslashreplace")
        ident = str(uuid.uuid5(_NAMESPACE, name.decode()))
        time = max((time for time in self.times.values() if time is not None), default=0.0)
        last = next((key for key in reversed(self._keys) if key[:1] != "@"), None)
        told = {"id": ident, "timestamp": stamped(time), "parentId": last}
        return encode({**made_event(value, ident), **told})

    def named(self, session_id: str) -> dict[int, bytes]:
        """The events that name the session, with another id."""
        anew = {}
        for index in self.starts:
            event = self.event(index)
            other = {**event, "data": {**event["data"], "sessionId": session_id}}
            anew[index] = reshape(self.sound_bytes(index), event, other)
        return anew

    @staticmethod
    def _form(event: Any) -> Any:
        return form_of(event) or event

    def _event_key(self, event: Any, offset: int) -> str:
        ident = text_at(event, "id")
        if not ident or ident[:1] == "@" or len(ident) > _LONGEST_KEY or ident in self._ids:
            return f"@{offset}"
        self._ids.add(ident)
        return ident

    def _note(self, index: int, event: dict[str, Any]) -> None:
        data, kind = data_of(event), kind_of(event)
        self.times[index] = seconds(event.get("timestamp"))
        if text_at(event, "agentId") or text_at(data, "parentToolCallId"):
            self.apart.add(index)
        elif kind == START:
            self._start(index, data)
        elif kind == COMPACTED and form_of(event) is not None:
            self.boundary = index
        elif kind == USAGE:
            self._usage = _usage_of(data.get("usage"))
        elif kind == "session.model_change":
            self.model = text_at(data, "newModel") or self.model
        if data.get("success") is False:
            self.failed.add(index)
        if model := text_at(data, "model"):
            self.models[index] = model
        if kind == "assistant.message" and index not in self.apart and self._usage is not None:
            self.usages[index], self._usage = self._usage, None

    def _start(self, index: int, data: dict[str, Any]) -> None:
        self.starts.append(index)
        self.session_id = self.session_id or text_at(data, "sessionId") or None
        self.model = text_at(data, "selectedModel") or self.model
        self.cwd = self.cwd or text_at(data.get("context"), "cwd") or None


def _usage_of(usage: Any) -> Usage | None:
    """A call's usage; the client's input count includes the cached tokens."""
    if not isinstance(usage, dict):
        return None
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
    given, out, read, written = (
        count if isinstance(count := usage.get(name), int) and count > 0 else 0 for name in names
    )
    return Usage(max(0, given - read - written), out, read, written) if given or out else None
