"""Reading a Qwen Code file into a Session: one pass over the rows, then the branch that is resumed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.formats.notices import Notices, first_words
from app.formats.qwen.chat import Branch, QwenChat
from app.formats.qwen.messages import live_messages, other_messages
from app.formats.qwen.names import NAME, SUBTYPES, SYSTEM, TALK
from app.formats.qwen.nodes import Node
from app.formats.source import Source
from app.formats.tree import in_file_order
from app.formats.tree_facts import leaves_of, pairs_in, tell_calls, tell_tree
from app.model import Facts, Message, Notice, Session, Usage


def read(source: Source, leaf: str | None = None) -> Session:
    """The session of a file; see `app.formats.base.Format.read`.

    Raises InputError only for a `leaf` that is not in the file.
    """
    chat = QwenChat(source)
    rows = chat.load()
    way = chat.chosen = chat.way(leaf)
    live = live_messages(way)
    leaves = list(leaves_of(chat.tree, way.path, live))
    messages = in_file_order(live, list(other_messages(way, chat)))
    sessions = list(dict.fromkeys(node.session for node in chat.nodes if node.ident and node.session))
    return Session(
        format=NAME,
        name=source.name,
        records=chat,
        messages=messages,
        boundaries=tuple(node.boundary for node in way.path if node.boundary is not None),
        facts=_facts(chat, way, len(leaves), rows.bad_lines),
        notices=(*rows.notices, *_notices(chat, way, live, len(leaves), sessions)),
        leaves=tuple(leaves),
        live_leaf=leaves[0].key if live else None,
        session_id=sessions[0] if sessions else None,
        title=chat.title or first_words(messages),
        model=next((m.model for m in reversed(live) if m.model), None),
        cwd=chat.cwd,
        usage=_sum(chat.nodes),
        last_usage=next((m.usage for m in reversed(live) if m.usage and m.usage.context), None),
    )


def _facts(chat: QwenChat, way: Branch, branches: int, bad_lines: Sequence[int]) -> Facts:
    broken = bool(chat.tree.missing)
    strict = chat.strict(way) if broken else way
    here = {node.index for node in way.path}
    missing = (node.parent for node in chat.tree.missing if node.parent and node.index in here)
    return Facts(
        records=sum(chat[index].kind != "unreadable" for index in range(len(chat))),
        bad_lines=tuple(bad_lines),
        conversation=len(way.units),
        messages=len(live_messages(strict)),
        strict_pairs=pairs_in(unit.node for unit in strict.units) if broken else None,
        missing_parents=tuple(dict.fromkeys(missing)),
        branches=branches,
        hidden_bytes=sum(chat[node.index].length for node in chat.nodes if not node.talk),
    )


def _notices(
    chat: QwenChat, way: Branch, live: Sequence[Message], branches: int, sessions: Sequence[str]
) -> tuple[Notice, ...]:
    """Notices about the tree and the live conversation."""
    told = Notices(chat)
    tell_tree(chat.tree, branches, told)
    for node in chat.nodes:
        known = node.kind in (*TALK, SYSTEM) and (node.subtype is None or node.subtype in SUBTYPES)
        if node.kind and not known:
            told.add("unknown-record-type", node.index, node.subtype or node.kind)
        if node.bad_role:
            told.add("bad-role", node.index, "the client does not start with a message of unknown role")
    if len(sessions) > 1:
        detail = f"{len(sessions)} session ids in one file: the client does not accept it"
        told.add("several-sessions", None, detail)
    if not live and chat.nodes:
        told.add("no-conversation", None, "no message that is sent to a model")
    tell_calls(live, told)
    return tuple(told.all())


def _sum(nodes: Iterable[Node]) -> Usage | None:
    """The usage of all calls of the session, on all branches."""
    known = [node.usage for node in nodes if node.usage is not None]
    if not known:
        return None
    return Usage(
        sum(usage.input_tokens for usage in known),
        sum(usage.output_tokens for usage in known),
        sum(usage.cache_read_tokens for usage in known),
    )
