"""The message that replaces what a stage removed, with its boundary marker."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from app.compactability.placeholders import placeholder_form
from app.model import Author, Block, Boundary, Held, Message, Role, Text, ToolResult, blocks_of
from app.stages.base import Change, ChangeKind, Context, Messages
from app.tokens.base import Estimator


def boundary_message(
    anchor: str, text: str, author: Author, boundary: Boundary, also: Iterable[Text] = ()
) -> Message:
    """A user message of `text` and then of copies of the texts `also`, standing behind `boundary`.

    `anchor` is the key of what it stands for. Its own keys are made of that and of the strategy, so they
    are the same each time the stage runs.
    """
    key = f"{boundary.strategy}@{anchor}"
    marked = replace(boundary, key=f"{key}/boundary")
    made = Text(f"{key}/0", Held(text), author)
    copies = (Text(f"{key}/{n}", Held(one.content.read()), one.author) for n, one in enumerate(also, 1))
    return Message(key, Role.USER, (made, *copies), boundary=marked)


def index_line(context: Context, gone: Iterable[Block], stays: Messages, earlier: Iterable[Text] = ()) -> str:
    """The line of a summary that names the index of the results removed by it or by placeholders.

    Empty if no results were removed, no index will be written, or one of the `earlier` texts kept beside it
    has the line already.
    """
    if not context.index or any(context.index in text.content.read() for text in earlier):
        return ""
    if any(isinstance(block, ToolResult) for block in gone) or _has_placeholder(stays):
        return f"\n\n[Results that are no longer here, and how to get each again: {context.index}]"
    return ""


def _has_placeholder(messages: Messages) -> bool:
    return any(isinstance(block, ToolResult) and placeholder_form(block) for _, block in blocks_of(messages))


def made_change(block: Block, reason: str) -> Change:
    """The change that made a block."""
    return Change(block.key, ChangeKind.MADE, reason, None, block)


def sized(messages: Messages, at: int, before: Messages, context: Context) -> Messages:
    """`messages` with the token counts before and after filled in on the boundary at `at`."""
    message = messages[at]
    if message.boundary is None:
        return messages
    measure = _measure(context)
    told = replace(
        message.boundary,
        tokens_before=tokens_of(before, context),
        tokens_after=None if measure is None else measure.total(messages),
    )
    return (*messages[:at], replace(message, boundary=told), *messages[at + 1 :])


def tokens_of(messages: Messages, context: Context) -> int | None:
    """Tokens of a conversation by the pipeline's estimator if its unit is tokens, else by that for people."""
    measure = _measure(context)
    return None if measure is None else context.survey(messages).total(measure)


def _measure(context: Context) -> Estimator | None:
    return context.estimator if context.estimator.unit == "tokens" else context.tokens
