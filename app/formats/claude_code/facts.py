"""Facts about a Claude Code file besides its messages: header, counts, warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.formats.claude_code.graph import Branch, Graph
from app.formats.claude_code.messages import join
from app.formats.claude_code.names import METADATA, TALK
from app.formats.claude_code.nodes import Node
from app.formats.claude_code.transcript import Transcript
from app.formats.notices import Notices, first_words
from app.model import Facts, Message, Notice, Thinking, ToolResult

_TITLES: Final = {"custom-title": "customTitle", "ai-title": "aiTitle"}


class SessionHeader:
    """Title, working directory and session ids, collected row by row."""

    def __init__(self) -> None:
        self.cwd: str | None = None
        self._titles: dict[str, str] = {}
        self._summaries: list[tuple[str, str | None]] = []

    def take(self, kind: str, record: Mapping[str, Any]) -> None:
        """Take in one record."""
        if kind in _TITLES:
            if isinstance(title := record.get(_TITLES[kind]), str):
                self._titles[kind] = title
        elif kind == "summary":
            leaf, title = record.get("leafUuid"), record.get("summary")
            if isinstance(title, str):
                self._summaries.append((title, leaf if isinstance(leaf, str) else None))
        elif isinstance(cwd := record.get("cwd"), str) and cwd:
            self.cwd = cwd

    def title(self, graph: Graph, messages: Sequence[Message]) -> str | None:
        """The title that the agent's picker would show."""
        here = [t for t, leaf in self._summaries if leaf is None or leaf in graph.by_uuid]
        known = (
            self._titles.get("custom-title") or self._titles.get("ai-title") or (here[-1] if here else None)
        )
        return known or first_words(messages)


def facts_of(transcript: Transcript, way: Branch, branches: int, bad_lines: Sequence[int]) -> Facts:
    """The counts of a file; `branches` is the number of branches besides the live one."""
    nodes, graph = transcript.nodes, transcript.graph
    talk = [n for n in way.nodes if n.talk]
    silent = [n for n in nodes if not n.blocks]
    live = {n.index for n in (*way.path, *way.nodes)}
    strict = _strict_nodes(graph, way)
    return Facts(
        records=sum(transcript.kinds[n.index] != "unreadable" for n in nodes),
        bad_lines=tuple(bad_lines),
        conversation=len(talk),
        messages=len(join(n for n in strict if n.talk)),
        strict_pairs=_pairs(strict) if graph.missing else None,
        missing_parents=tuple(dict.fromkeys(n.parent for n in graph.missing if n.parent and n.index in live)),
        branches=branches + 1 if talk else 0,
        sidechain_records=sum(n.sidechain for n in nodes),
        hidden_bytes=sum(transcript.length(n.index) for n in silent if not n.talk),
    )


def _strict_nodes(graph: Graph, way: Branch) -> Sequence[Node]:
    """The records that the agent's own walk reaches: it ends at a parent that is not in the file."""
    leaf = next((n for n in reversed(way.path) if n.sent), None)
    if leaf is None:
        return ()
    return graph.way(leaf, strict=True).nodes if graph.missing else way.nodes


def _pairs(nodes: Sequence[Node]) -> int:
    answered = {b.tool_use_id for n in nodes for b in n.blocks if isinstance(b, ToolResult) and not b.server}
    return len(answered.intersection(ident for n in nodes for ident in n.calls))


def graph_notices(transcript: Transcript, way: Branch, facts: Facts) -> tuple[Notice, ...]:
    """Notices about the tree and the live conversation."""
    found = Notices(transcript)
    graph = transcript.graph
    for node in graph.superseded:
        found.add("duplicate-uuid", node.index, f"uuid {node.uuid} is used again by a later record")
    for node in graph.missing:
        found.add("missing-parent", node.index, f"parent {node.parent} is not in the file")
    for node in graph.cycles:
        found.add("cycle", node.index, "its parents form a loop")
    for node in transcript.nodes:
        if node.synthetic:
            found.add("synthetic-record", node.index, "written by the client, not by a model")
        if node.kind and node.uuid is None and node.kind not in METADATA and node.kind not in TALK:
            found.add("unknown-record-type", node.index, node.kind)
        if node.kind == "summary" and node.reference and node.reference not in graph.by_uuid:
            found.add("summary-elsewhere", node.index, "it summarises another session")
    if facts.branches > 1:
        found.add("forked", None, f"{facts.branches} branches; the one that ends last is shown")
    sessions = Counter(n.session for n in transcript.nodes if n.talk and n.session)
    if len(sessions) > 1:
        found.add("several-sessions", None, f"{len(sessions)} session ids in one file")
    later = _later_than_leaf(graph, way)
    if later is not None:
        found.add(
            "continuation-on-old-leaf",
            later.index,
            "Claude Code 2.0 continues from this record, the latest by time",
        )
    if not way.nodes and transcript.nodes:
        found.add("no-conversation", None, "no user or assistant message")
    _note_blocks(way, found)
    return tuple(found.all())


def _later_than_leaf(graph: Graph, way: Branch) -> Node | None:
    """A message off the branch, later in time than its leaf: older clients took that for the leaf."""
    here = {n.index for n in way.nodes}
    last = max((n.time for n in way.nodes if n.talk and n.time is not None), default=None)
    if last is None:
        return None
    others = (n for n in graph.tree if n.sent and graph.is_main(n) and n.index not in here)
    latest = max(others, key=lambda n: n.time or 0.0, default=None)
    return latest if latest is not None and (latest.time or 0.0) > last else None


def _note_blocks(way: Branch, found: Notices) -> None:
    """Note calls without a result, results without a call, and thinking with only its signature left."""
    calls = {ident: n for n in way.nodes for ident in n.calls}
    answered: set[str] = set()
    for node in way.nodes:
        for block in node.blocks:
            if isinstance(block, ToolResult) and not block.server:
                answered.add(block.tool_use_id)
                if block.tool_use_id not in calls:
                    found.add("orphan-result", node.index, f"no call {block.tool_use_id}")
            elif isinstance(block, Thinking) and not block.redacted and not block.content.chars:
                found.add("thinking-emptied", node.index, "the text is missing, but its tokens still count")
    for ident, node in calls.items():
        if ident not in answered:
            found.add("open-call", node.index, f"call {ident} has no result")
