"""What tests of hand edits share: asking for one, and doing one, on a small conversation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.edits import make_edit
from app.model import Block, Text, ToolResult, blocks_of, text_of
from app.stages.base import Context, Messages, StageResult
from tests.build import assistant, conversation, result, thinking, use, user
from tests.stages.given import context

LONG = "\n".join(f"line {n} of a file" for n in range(200))


def talk() -> Messages:
    """Two turns: a read and a failed command with thinking, then an edit; the newest reply is a text."""
    return conversation(
        user("Fix the login."),
        assistant(thinking("The cookie."), "I read it.", use("r1", "Read", {"file_path": "src/login.py"})),
        user(result("r1", LONG)),
        assistant(thinking("Run it."), use("b1", "Bash", {"command": "pytest"})),
        user(result("b1", "Exit code 1\n" + LONG, error=True)),
        assistant("It fails."),
        user("Then mend it, please."),
        assistant(use("e1", "Edit", {"file_path": "src/login.py"})),
        user(result("e1", "The file was updated.")),
        assistant(thinking("Done."), "Mended."),
    )


def done(
    kind: str, messages: Messages, keys: Iterable[str] = (), *, given: Context | None = None, **options: Any
) -> StageResult:
    """The edit of that kind made on the messages."""
    return make_edit(kind, keys, options)(messages, given or context(messages))


def why_not(
    kind: str, messages: Messages, keys: Iterable[str] = (), *, given: Context | None = None, **options: Any
) -> str | None:
    """Why the edit cannot be made, in words."""
    return make_edit(kind, keys, options).why_not(messages, given or context(messages))


def blocks(messages: Messages) -> dict[str, Block]:
    """Every block by its key."""
    return {block.key: block for _, block in blocks_of(messages)}


def gone(before: Messages, after: Messages) -> list[str]:
    """Keys of the blocks that are not there any more, in order."""
    left = blocks(after)
    return [key for key in blocks(before) if key not in left]


def text(messages: Messages, key: str) -> str:
    """The text of a block."""
    return text_of(blocks(messages)[key])


def authors(messages: Messages) -> list[str]:
    """Who wrote each message: its first text's author, else its first block's kind."""
    first = [message.blocks[0] for message in messages]
    return [str(block.author) if isinstance(block, Text) else block.kind for block in first]


def results(messages: Messages) -> dict[str, str]:
    """The text of each result, by its id."""
    found = (block for _, block in blocks_of(messages) if isinstance(block, ToolResult))
    return {block.tool_use_id: text_of(block) for block in found}
