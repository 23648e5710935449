"""One message of a comparison as the diff pane shows it: its changed blocks, with its neighbours around.

Reads the texts of the blocks and compares them, so it is called in a thread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from app.diff import PairedRow, Pairing, TextDiff, text_rows
from app.display import Glyphs, human_number
from app.model import Block, Message
from app.tui.stage_words import SIGNS, saving, why_words
from app.tui.widgets.diff_pane import DiffItem, Heading
from app.views.comparison import ChangedBlock, Comparison
from app.views.describe import boundary_text, readable
from app.work.checks import Check, CheckLevel
from app.work.rows import BlockRow
from app.work.workspace import Workspace

AROUND = 2
"""Unchanged messages shown before and after."""


class Page(Struct, frozen=True):
    """What the diff pane shows for one message."""

    items: tuple[DiffItem, ...]
    added: int
    """Lines."""
    removed: int
    """Lines."""
    before: int
    """Tokens of the blocks that differ."""
    after: int
    exact: bool
    """Whether the token counts are the model's own, so that they need no `~`."""
    uncompared: frozenset[str]
    """Keys of the blocks whose texts are too long to be compared unless asked for."""


def diff_page(
    workspace: Workspace, comparison: Comparison, place: int, glyphs: Glyphs, full: Collection[str] = ()
) -> Page:
    """The page of the message at `comparison.pairs[place]`; blocks whose keys are in `full` are compared
    whatever their size."""
    blocks = comparison.at(place)
    keys = {block.key for block in blocks}
    known = {row.key: row for row in workspace.rows if row.key in keys}
    diffs = [_diff(block, block.key in full) for block in blocks]
    sides = [(_tokens(workspace, b.change.before), _tokens(workspace, b.change.after)) for b in blocks]
    items: list[DiffItem] = list(_around(workspace, comparison, range(max(0, place - AROUND), place), glyphs))
    for block, diff, (before, after) in zip(blocks, diffs, sides, strict=True):
        sizes = f"{_figure(before)} {glyphs.arrow} {_figure(after)}"
        title = f" {glyphs.dot} ".join((_what(block, known), sizes, block.word))
        items.append(Heading(title, stop=True, key=block.key))
        items.append(Heading(_remark(block, diff), faint=True))
        items += diff.rows
    behind = range(place + 1, min(len(comparison.pairs), place + 1 + AROUND))
    items += _around(workspace, comparison, behind, glyphs)
    made = [(d, s) for b, d, s in zip(blocks, diffs, sides, strict=True) if b.kept is None]
    size = sum(before[0] for before, _ in sides)
    return Page(
        items=tuple(items),
        added=sum(diff.added for diff, _ in made),
        removed=sum(diff.removed for diff, _ in made),
        before=size,
        after=size - sum(before[0] - after[0] for _, (before, after) in made),
        exact=all(exact for side in sides for _, exact in side),
        uncompared=frozenset(b.key for b, diff in zip(blocks, diffs, strict=True) if diff.too_big),
    )


def page_line(page: Page, checks: Collection[Check]) -> str:
    """`-124 +1 lines  saves ~4,074`, followed by what the checks found."""
    words = [
        f"-{human_number(page.removed)} +{human_number(page.added)} lines",
        f"{saving(page.before - page.after, exact=page.exact)} tokens",
    ]
    found = [f"{SIGNS[check.level]} {check.text}" for check in checks if check.level is not CheckLevel.OK]
    words += found or ["all checks ok"]
    return "   ".join(words)


def _diff(block: ChangedBlock, full: bool) -> TextDiff:
    before, after = block.change.before, block.change.after
    return text_rows(
        "" if before is None else readable(before), "" if after is None else readable(after), full=full
    )


def _remark(block: ChangedBlock, diff: TextDiff) -> str:
    more = "; too long to compare here: enter compares it line by line" if diff.too_big else ""
    return why_words(block) + more


def _what(block: ChangedBlock, known: Mapping[str, BlockRow]) -> str:
    side = block.change.before or block.change.after
    assert side is not None, "a change has a side"
    row = known.get(block.key)
    words = [side.kind, row.tool, row.path] if row is not None else [side.kind]
    return " ".join(word for word in words if word)


def _tokens(workspace: Workspace, block: Block | None) -> tuple[int, bool]:
    """A block's size in tokens, and whether it is the model's own count."""
    tokens, counted = (0, True) if block is None else workspace.counter.tokens(block)
    return tokens, counted and workspace.counts_exactly


def figure(tokens: int, *, exact: bool) -> str:
    """A size in tokens, with `~` unless the count is exact; zero is always exact."""
    return human_number(tokens) if exact or not tokens else f"~{human_number(tokens)}"


def _figure(size: tuple[int, bool]) -> str:
    return figure(size[0], exact=size[1])


def _around(workspace: Workspace, comparison: Comparison, places: range, glyphs: Glyphs) -> Iterator[Heading]:
    for place in places:
        row = comparison.pairs[place]
        message = row.after or row.before
        assert message is not None, "a row has a side"
        if row.kind is Pairing.BOUNDARY:
            if message.boundary is not None:
                yield Heading(boundary_text(message.boundary), rule=True)
        else:
            yield Heading(_neighbour(workspace, comparison, row, message, glyphs), faint=True)


def _neighbour(
    workspace: Workspace, comparison: Comparison, row: PairedRow, message: Message, glyphs: Glyphs
) -> str:
    number = comparison.numbers.get(message.key)
    state = "unchanged" if row.kind is Pairing.KEPT else str(row.kind)
    tokens, counted = workspace.counter.message(message)
    words = [
        "new" if number is None else f"#{number}",
        str(message.role),
        state,
        _figure((tokens, counted and workspace.counts_exactly)),
    ]
    return f" {glyphs.dot} ".join(words)
