"""The Messages API's rules about calls, their results and what may be around them."""

from __future__ import annotations

from collections.abc import Iterable

from app.validity.base import Location, Report, shown
from app.validity.turns import Block, BlockFamily, Turn


class PairRules:
    """Checks the turns in order; holds the ids of all calls and the open calls of one turn."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._ids: set[str] = set()
        self._open: dict[str, Location] = {}
        self._open_server_calls: list[Block] = []

    def turn(self, turn: Turn) -> None:
        """Check the next turn."""
        self._report_open_server_calls()
        if turn.role == "user":
            self._results(turn)
        self._report_open_calls()
        if turn.role == "assistant":
            self._calls(turn)
            self._server_pairs(turn)

    def end(self) -> None:
        """Check after the last turn, which may pause with a server tool still running."""
        self._report_open_calls()

    def _calls(self, turn: Turn) -> None:
        for call in turn.of(BlockFamily.CALL):
            if call.id is None:
                continue
            if call.id in self._ids:
                self._report.add("anthropic.duplicate-call-id", call.location, shown(call.id))
            self._ids.add(call.id)
            self._open.setdefault(call.id, call.location)
        for text in _behind_first(turn.blocks, BlockFamily.CALL):
            if text.family is BlockFamily.TEXT:
                self._report.add("anthropic.text-after-call", text.location)

    def _results(self, turn: Turn) -> None:
        answered: set[str] = set()
        leading = True
        for block in turn.blocks:
            if block.family is not BlockFamily.RESULT:
                leading = False
            elif block.id is not None and (rule := self._fault(block.id, answered, leading)):
                self._report.add(rule, block.location, shown(block.id))
        for result_id in answered:
            del self._open[result_id]

    def _fault(self, result_id: str, answered: set[str], leading: bool) -> str | None:
        """The most serious rule that a result breaks, if any; notes its call as answered."""
        if result_id not in self._open:
            return "anthropic.orphan-result"
        if result_id in answered:
            return "anthropic.duplicate-result"
        answered.add(result_id)
        return None if leading else "anthropic.result-not-leading"

    def _report_open_calls(self) -> None:
        for call_id, location in self._open.items():
            self._report.add("anthropic.open-call", location, shown(call_id))
        self._open.clear()

    def _server_pairs(self, turn: Turn) -> None:
        waiting: dict[str | None, Block] = {}
        for block in turn.blocks:
            if block.family is BlockFamily.SERVER_CALL:
                waiting[block.id] = block
            elif block.family is BlockFamily.SERVER_RESULT and waiting.pop(block.id, None) is None:
                self._report.add("anthropic.server-result-orphan", block.location, shown(block.id))
        self._open_server_calls = list(waiting.values())

    def _report_open_server_calls(self) -> None:
        for call in self._open_server_calls:
            self._report.add("anthropic.server-call-open", call.location, shown(call.id))
        self._open_server_calls = []


def _behind_first(blocks: Iterable[Block], family: BlockFamily) -> Iterable[Block]:
    found = False
    for block in blocks:
        if found:
            yield block
        found = found or block.family is family
