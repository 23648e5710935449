"""Joining contents to messages: consecutive ones of the user are sent as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.formats.qwen.chat import Branch, QwenChat, Unit
from app.model import Boundary, Message, Role, SendStatus


def live_messages(way: Branch) -> list[Message]:
    """The messages that are sent when the session is resumed."""
    boundary = way.compression.boundary if way.compression is not None else None
    return list(_messages(way.units, SendStatus.LIVE, boundary))


def other_messages(way: Branch, chat: QwenChat) -> Iterator[Message]:
    """All other messages: hidden by a compression, on abandoned branches, or never sent."""
    claimed = {unit.node.index for unit in (*way.units, *way.unsent)}
    if way.compression is not None:
        claimed.add(way.compression.index)
    path = {node.index for node in way.path}
    lanes: dict[SendStatus, list[Unit]] = {SendStatus.NEVER_SENT: list(way.unsent)}
    for node in chat.nodes:
        if node.index in claimed or not node.blocks:
            continue
        standing = SendStatus.OFF_BRANCH
        if node.ident is None:
            standing = SendStatus.NEVER_SENT
        elif chat.tree.by_id[node.ident].index in path:
            standing = SendStatus.BEFORE_BOUNDARY
        units = [Unit(node)] if node.history is None else [Unit(node, content) for content in node.history]
        lanes.setdefault(standing, []).extend(units)
    for standing, lane in lanes.items():
        yield from _messages(lane, standing)


def _messages(
    units: Sequence[Unit], standing: SendStatus, boundary: Boundary | None = None
) -> Iterator[Message]:
    """The messages of contents; `boundary` comes before the first."""
    run: list[Unit] = []
    for unit in units:
        if not unit.blocks:
            continue
        if run and not _belong(run[-1], unit):
            yield _message(run, standing, boundary)
            run, boundary = [], None
        run.append(unit)
    if run:
        yield _message(run, standing, boundary)


def _belong(one: Unit, other: Unit) -> bool:
    """Whether two contents are sent as one: the user's, or two records of one reply."""
    if one.role is Role.ASSISTANT or other.role is Role.ASSISTANT:
        fragments = one.content is None and other.content is None and other.node.ident is not None
        return fragments and one.role is other.role and one.node.ident == other.node.ident
    return other.node.history is None or one.node is other.node


def _message(units: Sequence[Unit], standing: SendStatus, boundary: Boundary | None) -> Message:
    first, last = units[0], units[-1].node
    own = first.node.boundary if first.content is not None and first.content.number == 0 else None
    assistant = first.role is Role.ASSISTANT
    return Message(
        key=first.key,
        role=first.role,
        blocks=tuple([block for unit in units for block in unit.blocks]),
        standing=standing,
        time=first.node.time,
        model=(first.node.model or last.model) if assistant else None,
        usage=(last.usage or first.node.usage) if assistant else None,
        boundary=boundary or own,
        records=tuple(sorted({unit.node.index for unit in units})),
    )
