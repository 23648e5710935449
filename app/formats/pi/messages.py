"""Joining entries to messages: one for each entry, except that a reply's results are sent together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from app.formats.pi.log import Branch
from app.formats.pi.nodes import Node
from app.model import Message, Role, SendStatus


def live_messages(way: Branch) -> list[Message]:
    """The messages that are sent when the session is resumed, including system prompts."""
    nodes = [node for node in way.context if node is way.compaction or not node.hides]
    return list(_messages([node for node in nodes if _is_live(node)], SendStatus.LIVE))


def _is_live(node: Node) -> bool:
    if node.role is Role.SYSTEM:
        return True
    return node.sent and not (node.edit is not None and node.edit.omits)


def other_messages(way: Branch, nodes: Iterable[Node]) -> Iterator[Message]:
    """All other messages: hidden by a compaction, on abandoned branches, or never sent."""
    context = [node for node in way.context if node is way.compaction or not node.hides]
    live = {node.index for node in context if _is_live(node)}
    path = {node.index for node in way.path}
    lanes: dict[SendStatus, list[Node]] = {}
    for node in nodes:
        if node.index in live or not (node.blocks or node.prompt):
            continue
        if node.index not in path:
            standing = SendStatus.OFF_BRANCH
        else:
            standing = SendStatus.BEFORE_BOUNDARY if _is_live(node) else SendStatus.NEVER_SENT
        lanes.setdefault(standing, []).append(node)
    for standing, lane in lanes.items():
        yield from _messages(lane, standing)


def _messages(nodes: Sequence[Node], standing: SendStatus) -> Iterator[Message]:
    run: list[Node] = []
    for node in nodes:
        if run and not (node.is_result and run[-1].is_result):
            yield _message(run, standing)
            run = []
        if node.prompt:
            key = f"{node.key}/system"
            yield Message(key, Role.SYSTEM, node.prompt, standing, node.time, records=(node.index,))
        if node.blocks:
            run.append(node)
    if run:
        yield _message(run, standing)


def _message(nodes: Sequence[Node], standing: SendStatus) -> Message:
    first = nodes[0]
    records = {node.index for node in nodes} | {node.edit.index for node in nodes if node.edit is not None}
    assistant = first.role is Role.ASSISTANT
    return Message(
        key=first.key,
        role=first.role,
        blocks=tuple([block for node in nodes for block in node.blocks]),
        standing=standing,
        time=first.time,
        model=first.model[1] if assistant and first.model is not None else None,
        usage=first.usage if assistant else None,
        boundary=first.boundary,
        records=tuple(sorted(records)),
    )
