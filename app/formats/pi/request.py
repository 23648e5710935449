"""Building the request that pi would send to Anthropic's models, and blocks as JSON values.

pi supports many providers; this one has the strictest rules for pairs and thinking. Content of another
provider's model is sent as pi would send it to this one: without its thinking, with clean ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from app.formats.anthropic_repairs import mend_anthropic
from app.formats.base import Rewrite
from app.formats.drafts import Draft, Outgoing, drafts
from app.formats.pi.log import PiLog
from app.formats.pi.names import BRANCH, BRANCH_SUMMARY, MOVED_IMAGE, SEE_IMAGE, SUMMARY
from app.formats.plain.anthropic_blocks import as_object, as_word
from app.formats.repairs import Mending
from app.model import Author, Block, Image, Message, Opaque, Role, Text, Thinking, ToolResult, ToolUse

Value = dict[str, Any]


def outgoing(log: PiLog, messages: Sequence[Message]) -> Iterator[Outgoing]:
    """The messages of the request for these, without the system prompt.

    Consecutive results are sent together. A new message after a boundary is sent as two: its summary,
    and the rest.
    """
    pieces = (piece for message in messages for piece in _pieces(log, message))
    for are_results, run in groupby(pieces, key=_are_results):
        if are_results:
            joined = list(run)
            yield Outgoing(joined[0].key, Role.USER, tuple(item for one in joined for item in one.items))
        else:
            yield from run


def _are_results(piece: Outgoing) -> bool:
    return all(isinstance(block, ToolResult) for _, block in piece.items)


def _pieces(log: PiLog, message: Message) -> Iterator[Outgoing]:
    if message.role is Role.SYSTEM:
        return
    role = Role.ASSISTANT if message.role is Role.ASSISTANT else Role.USER
    items = [(message, block) for block in message.blocks if is_sent(log, block)]
    if items and is_summary(message, items[0][1]):
        yield Outgoing(message.key, role, tuple(items[:1]))
        items = items[1:]
    if items:
        yield Outgoing(message.key, role, tuple(items))


def is_sent(log: PiLog, block: Block) -> bool:
    """Whether a block is part of the request: not new thinking, which only the provider can sign."""
    if isinstance(block, Thinking):
        node = log.owner(block)
        return node is not None and not (node.foreign and block.signature_chars)
    return not isinstance(block, Opaque)


def is_summary(message: Message | None, block: Block | None) -> bool:
    """Whether a new block is a new compaction's summary: the first of a new message with a boundary."""
    if message is None or message.records or message.boundary is None or not message.boundary.hides:
        return False
    return block is message.blocks[0] and isinstance(block, Text) and block.author is not Author.USER


def pairs(log: PiLog, messages: Sequence[Message]) -> Iterator[tuple[str, Value]]:
    """Each message's key with the message in the provider's form; contents are lists."""
    for key, message in _held(log, messages):
        yield key, {**message, "content": list(map(_introduced, message["content"]))}


def _held(log: PiLog, messages: Sequence[Message]) -> Iterator[tuple[str, Value]]:
    """The same without the texts that pi itself adds, which are not in the file."""
    for sent in outgoing(log, messages):
        content = [_item(log, message, block) for message, block in sent.items]
        yield sent.key, {"role": str(sent.role), "content": content}


def _introduced(item: Value) -> Value:
    """The result with a text added before its images, if it holds nothing else."""
    content = item.get("content")
    if not isinstance(content, list) or any(part["type"] == "text" for part in content):
        return item
    return {**item, "content": [{"type": "text", "text": SEE_IMAGE}, *content]}


def drafts_of(log: PiLog, rewrite: Rewrite) -> tuple[list[Draft], Mending]:
    """The messages of a rewrite with every repair that the provider's rules require, and the repairs."""
    mending = mend_anthropic(lambda: rewrite.looked(_held(log, rewrite.messages)))

    def sent() -> Iterator[Outgoing]:
        return rewrite.looked(outgoing(log, rewrite.messages))

    return drafts(sent, mending, partial(_item, log)), mending


def _item(log: PiLog, message: Message | None, block: Block) -> Value:
    """A block in the provider's form."""
    match block:
        case Text():
            return {"type": "text", "text": _wrapped(log, message, block)}
        case Image():
            return _image(block)
        case ToolUse():
            name = {"id": log.safe_ids.get(block.id, block.id), "name": block.name}
            return {"type": "tool_use", **name, "input": as_object(block.input)}
        case ToolResult():
            return _result(log, block)
        case Thinking():
            return _thinking(log, block)
        case Opaque():
            raise TypeError("the tools of a system prompt are no part of a message")


def wrapping(log: PiLog, message: Message | None, block: Block) -> tuple[str, str]:
    """What pi puts before and after a text."""
    node = log.owner(block)
    if is_summary(message, block) or (node is not None and node.hides):
        return SUMMARY
    return BRANCH if node is not None and node.kind == BRANCH_SUMMARY else ("", "")


def _wrapped(log: PiLog, message: Message | None, block: Text) -> str:
    before, behind = wrapping(log, message, block)
    return f"{before}{block.content.read()}{behind}"


def _image(image: Image) -> Value:
    source = {"type": "base64", "media_type": image.media_type, "data": image.data.read()}
    return {"type": "image", "source": source}


def _result(log: PiLog, block: ToolResult) -> Value:
    """A result; an error's images are replaced by a text, since they are sent elsewhere."""
    texts = [part.content.read() if isinstance(part, Text) else MOVED_IMAGE for part in block.parts]
    pictures = [_image(part) for part in block.parts if isinstance(part, Image)]
    content: Any = "\n".join(texts)
    if pictures and not block.is_error:
        content = [
            _image(part) if isinstance(part, Image) else {"type": "text", "text": text}
            for part, text in zip(block.parts, texts, strict=True)
            if isinstance(part, Image) or text.strip()
        ]
    ident = log.safe_ids.get(block.tool_use_id, block.tool_use_id)
    return {"type": "tool_result", "tool_use_id": ident, "content": content, "is_error": block.is_error}


def _thinking(log: PiLog, block: Thinking) -> Value:
    """Thinking with its signature; without one it is sent as plain text."""
    assert block.place is not None
    value = log.value(block.place.record)
    for step in block.place.path:
        value = value[step]
    seal, text = as_word(value.get("thinkingSignature")), as_word(value.get("thinking"))
    if block.redacted:
        return {"type": "redacted_thinking", "data": seal}
    if not seal.strip():
        return {"type": "text", "text": text}
    return {"type": "thinking", "thinking": text, "signature": seal}
