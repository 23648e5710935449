"""Reading a Claude Code file into a Session: one pass over the rows, then the tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from sys import intern
from typing import Any

from app.formats.claude_code.blocks import RecordBlocks
from app.formats.claude_code.facts import SessionHeader, facts_of, graph_notices
from app.formats.claude_code.graph import Branch, Graph
from app.formats.claude_code.messages import final_usage, join, message_of
from app.formats.claude_code.names import NAME
from app.formats.claude_code.nodes import Node, node_of
from app.formats.claude_code.transcript import Transcript
from app.formats.lines import UNREADABLE, LineReader, Row
from app.formats.source import Source
from app.formats.tree import in_file_order
from app.model import (
    Author,
    Leaf,
    Message,
    Record,
    Role,
    SendStatus,
    Session,
    Text,
    Usage,
    preview_of,
)


def read(source: Source, leaf: str | None = None) -> Session:
    """The session of a file; see `app.formats.base.Format.read`.

    Raises InputError only for a `leaf` that is not in the file.
    """
    transcript = Transcript(source)
    rows = LineReader(source)
    heading = SessionHeader()
    for node, record in indexed(rows, transcript):
        transcript.nodes.append(node)
        heading.take(node.kind, record)
    graph = transcript.graph
    way = transcript.way(leaf)
    branches = _Branches(graph, way)
    live = _live(way)
    boundaries = tuple(
        n.boundary for n in sorted(branches.past + way.path, key=lambda n: n.order) if n.boundary is not None
    )
    last = way.path[-1] if way.path else None
    facts = facts_of(transcript, way, len(branches.leaves), rows.bad_lines)
    messages = in_file_order(live, branches.messages)
    graph.let_go()
    return Session(
        format=NAME,
        name=source.name,
        records=transcript,
        messages=messages,
        boundaries=boundaries,
        facts=facts,
        notices=(*rows.notices, *graph_notices(transcript, way, facts)),
        leaves=tuple(_leaves(way, live, branches)),
        live_leaf=_leaf_node(way).key if live else None,
        session_id=last.session if last else None,
        title=heading.title(graph, messages),
        model=next((m.model for m in reversed(live) if m.model), None),
        cwd=heading.cwd,
        usage=_sum(graph),
        last_usage=next((m.usage for m in reversed(live) if m.usage and m.usage.context), None),
    )


def indexed(rows: Iterable[Row], transcript: Transcript) -> Iterator[tuple[Node, Mapping[str, Any]]]:
    """Add every row to the transcript; yields its node and value, which is not kept."""
    reader = RecordBlocks(transcript)
    seen: set[str] = set()
    for index, row in enumerate(rows):
        value: Any = row.value
        record = value if isinstance(value, dict) else {}
        uuid = record.get("uuid")
        key = intern(uuid) if isinstance(uuid, str) and uuid and uuid not in seen else f"@{row.offset}"
        seen.add(key)
        kind = record.get("type")
        kind = intern(kind) if isinstance(kind, str) else ""
        name = "unreadable" if value is UNREADABLE else kind
        transcript.append(Record(index, row.offset, row.length, row.line, name, key, row.damage))
        yield node_of(index, key, record, reader), record


def _live(way: Branch) -> list[Message]:
    groups = join(way.nodes)
    boundary = way.path[0].boundary if way.path and way.path[0].hides else None
    hidden = frozenset(ident for n in way.path for ident in n.compacted)
    return [
        message_of(group, SendStatus.LIVE, boundary if i == 0 else None, hidden)
        for i, group in enumerate(groups)
    ]


class _Branches:
    """Collects all that is not live: what is before the boundary, other branches, sub-agents, notices."""

    def __init__(self, graph: Graph, way: Branch) -> None:
        self._graph = graph
        self._claimed = {n.index for n in (*way.path, *way.nodes)}
        self.messages: list[Message] = []
        self.past: list[Node] = []
        """The records of the parent chains before the boundary."""
        self.leaves: list[Leaf] = []
        self._main = [n for n in graph.tree if n.sent and graph.is_main(n)]
        if way.path and way.path[0].hides:
            self._before(way)
        self._others()
        self._rest()

    def _before(self, way: Branch) -> None:
        """Messages before the boundary: found by file order, since no parent leads there."""
        boundary: Node | None = way.path[0]
        limit = boundary.order if boundary else 0
        candidates = [n for n in self._main if n.order < limit]
        pending = way.hidden
        while True:
            while candidates and (candidates[-1].index in self._claimed or candidates[-1].order >= limit):
                candidates.pop()
            path = pending or (self._graph.walk(candidates[-1]) if candidates else [])
            pending = []
            if not path:
                return
            fresh = [n for n in path if n.index not in self._claimed]
            start = max((i for i, n in enumerate(fresh) if n.hides), default=0)
            self._take(fresh[start:], SendStatus.BEFORE_BOUNDARY)
            self.past += fresh[start:]
            if not fresh or (not fresh[start].hides and len(fresh) == len(path)):
                return
            limit, pending = fresh[start].order, fresh[:start]

    def _others(self) -> None:
        """Abandoned branches, the newest first."""
        for leaf in reversed(self._main):
            if leaf.index in self._claimed:
                continue
            path = self._graph.walk(leaf, until=self._claimed)
            messages = self._take(path, SendStatus.OFF_BRANCH)
            if any(_is_said(message) for message in messages):
                self.leaves.append(Leaf(leaf.key, len(messages), leaf.time, _preview(messages)))

    def _rest(self) -> None:
        lanes: dict[str, list[Node]] = {}
        for node in self._graph.tree:
            if node.index in self._claimed or not node.blocks:
                continue
            if not self._graph.is_main(node):
                lanes.setdefault(node.agent, []).append(node)
            elif node.talk and not node.sent:
                self.messages.append(message_of([node], SendStatus.NEVER_SENT))
        for lane in lanes.values():
            self.messages += [message_of(group, SendStatus.SIDECHAIN) for group in join(lane)]
        replaced = [n for n in self._graph.superseded if n.blocks and n.talk]
        self.messages += [message_of([n], SendStatus.OFF_BRANCH) for n in replaced]

    def _take(self, path: list[Node], standing: SendStatus) -> list[Message]:
        nodes = [n for n in self._graph.gathered(path) if n.index not in self._claimed]
        self._claimed |= {n.index for n in (*path, *nodes)}
        boundary = path[0].boundary if path and path[0].hides else None
        found = [message_of(g, standing, boundary if i == 0 else None) for i, g in enumerate(join(nodes))]
        self.messages += found
        return found


def _is_said(message: Message) -> bool:
    """Whether a message holds words of the person or the model, and not only results and notes."""
    return message.role is Role.ASSISTANT or any(
        isinstance(b, Text) and b.author in (Author.USER, Author.SUMMARY) for b in message.blocks
    )


def _preview(messages: list[Message]) -> str:
    return next((text for m in reversed(messages) for b in reversed(m.blocks) if (text := preview_of(b))), "")


def _leaf_node(way: Branch) -> Node:
    return next(n for n in reversed(way.path) if n.sent)


def _leaves(way: Branch, live: list[Message], branches: _Branches) -> Iterator[Leaf]:
    if live:
        node = _leaf_node(way)
        yield Leaf(node.key, len(live), node.time, _preview(live))
    yield from branches.leaves


def _sum(graph: Graph) -> Usage | None:
    """The usage of all calls of the conversation, on all branches, each call counted once."""
    calls: dict[str, list[Node]] = {}
    for node in graph.tree:
        if node.usage is not None and graph.is_main(node):
            calls.setdefault(node.message_id or node.key, []).append(node)
    total: Usage | None = None
    for nodes in calls.values():
        usage, so_far = final_usage(nodes) or Usage(), total or Usage()
        total = Usage(
            so_far.input_tokens + usage.input_tokens,
            so_far.output_tokens + usage.output_tokens,
            so_far.cache_read_tokens + usage.cache_read_tokens,
            so_far.cache_creation_tokens + usage.cache_creation_tokens,
        )
    return total
