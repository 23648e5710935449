"""Joining records to API messages: one for each `message.id`, one for each run of user records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from app.formats.claude_code.nodes import Node
from app.formats.claude_code.request import rank
from app.model import Block, Boundary, Message, Role, SendStatus, ToolResult, Usage


def join(nodes: Iterable[Node]) -> list[list[Node]]:
    """The records of each message, in sending order. Records without a block are left out."""
    groups: list[list[Node]] = []
    by_id: dict[str, list[Node]] = {}
    for node in nodes:
        if not node.blocks:
            continue
        if node.kind == "assistant":
            group = by_id.get(node.message_id) if node.message_id is not None else None
            if group is None:
                group = []
                groups.append(group)
                if node.message_id is not None:
                    by_id[node.message_id] = group
            group.append(node)
        elif groups and groups[-1][0].kind != "assistant":
            groups[-1].append(node)
        else:
            groups.append([node])
    return groups


def message_of(
    nodes: Sequence[Node],
    standing: SendStatus,
    boundary: Boundary | None = None,
    hidden: frozenset[str] = frozenset(),
) -> Message:
    """One message made of its records; `hidden` are tool ids that were micro-compacted."""
    first = nodes[0]
    assistant = first.kind == "assistant"
    blocks = _blocks(nodes, in_file_order=assistant)
    if hidden:
        blocks = tuple(
            replace(b, cleared_live=True) if isinstance(b, ToolResult) and b.tool_use_id in hidden else b
            for b in blocks
        )
    for node in nodes:
        boundary = boundary or node.boundary
    return Message(
        key=first.key,
        role=Role.ASSISTANT if assistant else Role.USER,
        blocks=blocks,
        standing=standing,
        time=first.time,
        model=_last_model(nodes) if assistant else None,
        usage=final_usage(nodes) if assistant else None,
        boundary=boundary,
        records=tuple(sorted([n.index for n in nodes])),
    )


def _blocks(nodes: Sequence[Node], *, in_file_order: bool) -> tuple[Block, ...]:
    if len(nodes) == 1 and (in_file_order or len(nodes[0].blocks) == 1):
        return nodes[0].blocks
    if in_file_order:
        return tuple([block for node in nodes for block in node.blocks])
    blocks = [block for node in sorted(nodes, key=lambda n: n.order) for block in node.blocks]
    return tuple(sorted(blocks, key=rank))


def _last_model(nodes: Sequence[Node]) -> str | None:
    for node in reversed(nodes):
        if node.model:
            return node.model
    return None


def final_usage(nodes: Iterable[Node]) -> Usage | None:
    """The usage of one API call: each record repeats the input counts, while the output count grows."""
    final: Usage | None = None
    for node in nodes:
        usage = node.usage
        if usage is not None and (final is None or usage.output_tokens >= final.output_tokens):
            final = usage
    return final
