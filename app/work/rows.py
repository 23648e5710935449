"""The rows of lists: one per block, with its verdict, states and origin."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from app.compactability import Judgement, State, Verdict, states
from app.model import Block, Message, ToolResult, ToolUse, blocks_of
from app.stages.base import Protection


class BlockRow(Struct, frozen=True):
    """One block as shown in a list; its token count is looked up in the counter."""

    number: int
    """0-based number of its message in the session."""
    place: int
    """0-based index of the block in its message."""
    message: Message
    block: Block
    tool: str
    """The tool of a call or a result; empty otherwise."""
    path: str
    """The file that a call or a result concerns; empty otherwise."""
    verdict: Verdict
    reason: str
    states: tuple[State, ...]

    @property
    def key(self) -> str:
        return self.block.key


def block_rows(
    messages: Sequence[Message],
    judgements: Mapping[str, Judgement],
    protection: Protection,
    pins: Collection[str] = (),
) -> list[BlockRow]:
    """A row for every block of these messages, in order."""
    calls = {block.id: block for _, block in blocks_of(messages) if isinstance(block, ToolUse)}
    numbers = {block.key: f"#{number}" for number, message in enumerate(messages) for block in message.blocks}
    kept = (protection.text.keys() | protection.place.keys()) - protection.pinned
    rows = []
    for number, message in enumerate(messages):
        for place, block in enumerate(message.blocks):
            call = _call_of(block, calls)
            judgement = judgements[block.key]
            rows.append(
                BlockRow(
                    number,
                    place,
                    message,
                    block,
                    call.name if call else "",
                    (call.path or "") if call else "",
                    judgement.verdict,
                    judgement.explain(lambda key: numbers.get(key, "another message")),
                    states(message, block, pinned=pins, protected=kept),
                )
            )
    return rows


def _call_of(block: Block, calls: Mapping[str, ToolUse]) -> ToolUse | None:
    if isinstance(block, ToolUse):
        return block
    return calls.get(block.tool_use_id) if isinstance(block, ToolResult) else None
