"""The rows of the message list, built from the listed items when they are painted."""

from __future__ import annotations

from collections.abc import Container, Sequence

from app.model import Block, Boundary, Image, Record, Thinking, ToolResult, ToolUse, preview_of
from app.tui.widgets import message_list
from app.views.describe import boundary_text
from app.views.listing import DROPPED, Item, role_of, states_of
from app.views.outlook import Outlook
from app.work.rows import BlockRow


class Rows:
    """The row source of the message list; token counts are read at the time of painting."""

    def __init__(
        self,
        items: Sequence[Item],
        seen: Outlook,
        warned: Container[str] = frozenset(),
        marked: Container[str] = frozenset(),
    ) -> None:
        self.items = items
        self.seen = seen
        self._warned = warned
        """Keys of messages that break a rule."""
        self._marked = marked
        """Keys of blocks that the user marked."""

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int, /) -> message_list.BlockRow | message_list.BoundaryRow:
        item = self.items[index]
        match item:
            case BlockRow():
                return self._block(item)
            case Boundary():
                return message_list.BoundaryRow(boundary_text(item))
            case Record():
                return message_list.BoundaryRow(f"! line {item.line:,} cannot be read; kept byte for byte")

    def _block(self, row: BlockRow) -> message_list.BlockRow:
        seen = self.seen
        block = seen.block(row)
        states = states_of(row, seen)
        tokens, exact = seen.workspace.counter.tokens(block or row.block)
        return message_list.BlockRow(
            number=row.number,
            role=role_of(row),
            tokens=tokens,
            verdict=DROPPED if block is None else str(seen.verdict(row)),
            preview=preview(row, block or row.block),
            exact=exact,
            states=states,
            marked=row.key in self._marked,
            warning=row.message.key in self._warned,
        )


def preview(row: BlockRow, block: Block) -> str:
    """A one-line preview of a block: a call's tool and file, or the start of a text."""
    match block:
        case ToolUse():
            return f"{row.tool} {preview_of(block)}"
        case ToolResult():
            words = preview_of(block).strip() or _contents(block)
            name = (row.path.rstrip("/").rpartition("/")[2] or row.path) if row.path else ""
            about = " ".join(part for part in (row.tool, name) if part)
            return f"{about}: {words}" if about else words
        case Thinking() if not block.content.chars:
            return f"(no text; {block.signature_chars:,}-character signature)"
        case Image():
            return f"({block.media_type or 'image'})"
        case _:
            return preview_of(block)


def _contents(result: ToolResult) -> str:
    kinds = ", ".join(dict.fromkeys(part.kind for part in result.parts))
    return f"({kinds})" if kinds and kinds != "text" else "(empty)"
