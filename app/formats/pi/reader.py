"""Reading a pi session file into a Session: one pass over the rows, then the branch that is resumed."""

from __future__ import annotations

from collections.abc import Sequence

from app.formats.notices import Notices, first_words
from app.formats.pi.log import Branch, PiLog
from app.formats.pi.messages import live_messages, other_messages
from app.formats.pi.names import FORMAT, HEADER, TYPES, VERSION
from app.formats.pi.nodes import Node
from app.formats.source import Source
from app.formats.tree import in_file_order
from app.formats.tree_facts import leaves_of, pairs_in, tell_calls, tell_tree
from app.model import (
    Facts,
    Message,
    Notice,
    Role,
    Session,
    Thinking,
    Usage,
)


def read(source: Source, leaf: str | None = None) -> Session:
    """The session of a file; see `app.formats.base.Format.read`.

    Raises InputError only for a `leaf` that is not in the file.
    """
    log = PiLog(source)
    rows = log.load()
    way = log.chosen = log.way(leaf)
    log.settle(way)
    live = live_messages(way)
    leaves = list(leaves_of(log.tree, way.path, live))
    facts = _facts(log, way, len(leaves), rows.bad_lines)
    messages = in_file_order(live, list(other_messages(way, log.nodes)))
    said = [message for message in live if message.role is not Role.SYSTEM]
    cwd, ident = log.header.get("cwd"), log.header.get("id")
    return Session(
        format=FORMAT,
        name=source.name,
        records=log,
        messages=messages,
        boundaries=tuple(node.boundary for node in way.path if node.boundary is not None),
        facts=facts,
        notices=(*rows.notices, *_notices(log, way, said, len(leaves))),
        leaves=tuple(leaves),
        live_leaf=leaves[0].key if said else None,
        session_id=ident if isinstance(ident, str) and ident else None,
        title=log.title or first_words(messages),
        model=next((m.model for m in reversed(said) if m.model), None),
        cwd=cwd if isinstance(cwd, str) and cwd else None,
        usage=_sum(log.nodes),
        last_usage=next((m.usage for m in reversed(said) if m.usage and m.usage.context), None),
    )


def _facts(log: PiLog, way: Branch, branches: int, bad_lines: Sequence[int]) -> Facts:
    context = [node for node in way.context if node.talk and node.sent]
    broken = bool(log.tree.missing)
    strict = live_messages(log.strict(way)) if broken else live_messages(way)
    here = {node.index for node in way.path}
    missing = (node.parent for node in log.tree.missing if node.parent and node.index in here)
    return Facts(
        records=sum(log[index].kind != "unreadable" for index in range(len(log))),
        bad_lines=tuple(bad_lines),
        conversation=len(context),
        messages=sum(message.role is not Role.SYSTEM for message in strict),
        strict_pairs=pairs_in(log.strict(way).context) if broken else None,
        missing_parents=tuple(dict.fromkeys(missing)),
        branches=branches,
        hidden_bytes=sum(log[node.index].length for node in log.nodes if not node.blocks and not node.talk),
    )


def _notices(log: PiLog, way: Branch, live: Sequence[Message], branches: int) -> tuple[Notice, ...]:
    """Notices about the tree and the live conversation."""
    told = Notices(log)
    first = next((node for node in log.nodes if log[node.index].kind != "unreadable"), None)
    if first is not None and first.kind != HEADER:
        told.add("no-session-header", first.index, "pi cannot read a file that does not begin with one")
    version = log.header.get("version")
    if first is not None and isinstance(version, int) and version > VERSION:
        known = f"versions up to {VERSION} are known: anything new is kept as it is"
        told.add("unknown-version", first.index, f"{version} of the form of pi's files; {known}")
    for node in log.tree.repeated:
        told.add("duplicate-uuid", node.index, f"id {node.ident} is used again by a later entry")
    tell_tree(log.tree, branches, told)
    for node in log.nodes:
        if node.kind and node.kind not in TYPES:
            told.add("unknown-record-type", node.index, node.kind)
    if not live and log.nodes:
        told.add("no-conversation", None, "no message that is sent to a model")
    tell_calls(live, told)
    for node in way.context:
        for block in node.blocks if node.sent and not node.foreign else ():
            if isinstance(block, Thinking) and not block.redacted and not block.content.chars:
                told.add("thinking-emptied", node.index, "the text is missing, but its tokens still count")
    return tuple(told.all())


def _sum(nodes: Sequence[Node]) -> Usage | None:
    """The usage of all calls of the session, on all branches, including compactions' own calls."""
    known = [node.usage for node in nodes if node.usage is not None]
    if not known:
        return None
    return Usage(
        sum(usage.input_tokens for usage in known),
        sum(usage.output_tokens for usage in known),
        sum(usage.cache_read_tokens for usage in known),
        sum(usage.cache_creation_tokens for usage in known),
    )
