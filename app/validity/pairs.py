"""Pairing tool results with tool calls over the model's messages, in any format."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

from app.model import Message, Role, ToolResult, ToolUse


class _Calls(Struct):
    """The calls with one id in the newest message that has such calls."""

    message: int
    """Index of that message."""
    calls: list[ToolUse]
    answered: int = 0


class _Table(Struct):
    """The newest calls by id."""

    calls: dict[str, _Calls] = field(default_factory=dict)

    def call(self, call: ToolUse, message: int, name: str) -> None:
        known = self.calls.get(name)
        if known is None or known.message != message:
            self.calls[name] = _Calls(message, [call])
        else:
            known.calls.append(call)

    def answer(self, name: str) -> ToolUse | None:
        """The call that the next result with this id answers: the first open one, else the last."""
        known = self.calls.get(name)
        if known is None:
            return None
        call = known.calls[min(known.answered, len(known.calls) - 1)]
        known.answered += 1
        return call


class PairIndex:
    """The pairs of a conversation, by block key. Built in one pass.

    A result answers the nearest call with its id before it, so a reused id makes a new pair each time. A
    server tool's call is answered only within its turn. A legacy call has no id; it is answered by a
    message of role tool whose result has no id either, or the function's name as its id.
    """

    def __init__(self, messages: Iterable[Message]) -> None:
        self._results: dict[str, list[str]] = {}
        self._calls: dict[str, str] = {}
        self._open: dict[str, str] = {}
        self._orphans: dict[str, str] = {}
        self._tool_ids: set[str] = set()
        self.server_pairs = 0
        """Calls that the provider ran and answered in the same turn."""
        self.legacy_pairs = 0
        """Calls without an id that are answered by name."""
        self._build(messages)

    @property
    def tool_pairs(self) -> int:
        """Ids whose call has a result; an id that pairs twice counts once."""
        return len(self._tool_ids)

    @property
    def open_calls(self) -> tuple[str, ...]:
        """Keys of the calls without a result, in order."""
        return tuple(self._open)

    @property
    def orphan_results(self) -> tuple[str, ...]:
        """Keys of the results without a call before them, in order."""
        return tuple(self._orphans)

    @property
    def open_call_ids(self) -> tuple[str, ...]:
        """The ids of `open_calls`, each once."""
        return tuple(dict.fromkeys(self._open.values()))

    @property
    def orphan_result_ids(self) -> tuple[str, ...]:
        """The ids of `orphan_results`, each once."""
        return tuple(dict.fromkeys(self._orphans.values()))

    def results_of(self, call: str) -> tuple[str, ...]:
        """Keys of the results of the call with this key, in order: none, one, or more if damaged."""
        return tuple(self._results.get(call, ()))

    def call_of(self, result: str) -> str | None:
        """Key of the call that the result with this key answers."""
        return self._calls.get(result)

    def partners(self, key: str) -> tuple[str, ...]:
        """Keys of all blocks that must be kept or removed together with this one, itself first.

        For a block that is not part of a pair: itself alone.
        """
        call = self._calls.get(key, key)
        together = (call, *self._results.get(call, ()))
        return (key, *(other for other in together if other != key))

    def _build(self, messages: Iterable[Message]) -> None:
        client, server, legacy = _Table(), _Table(), _Table()
        for position, message in enumerate(messages):
            if message.role is not Role.ASSISTANT:
                server = _Table()
            for block in message.blocks:
                if isinstance(block, ToolUse):
                    self._open[block.key] = block.id
                    (server if block.server else client).call(block, position, block.id)
                    if not block.id and not block.server:
                        legacy.call(block, position, block.name)
                elif isinstance(block, ToolResult):
                    call = (server if block.server else client).answer(block.tool_use_id)
                    if call is None and message.role is Role.TOOL:
                        call = legacy.answer(block.tool_use_id)
                    self._pair(call, block, legacy=message.role is Role.TOOL)

    def _pair(self, call: ToolUse | None, result: ToolResult, *, legacy: bool) -> None:
        if call is None:
            self._orphans[result.key] = result.tool_use_id
            return
        first = self._open.pop(call.key, None) is not None
        self._results.setdefault(call.key, []).append(result.key)
        self._calls[result.key] = call.key
        if call.server:
            self.server_pairs += first
        elif legacy and not call.id:
            self.legacy_pairs += first
        else:
            self._tool_ids.add(call.id)
