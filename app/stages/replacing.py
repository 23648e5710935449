"""Putting one message, behind a boundary, in the place of all that stands before a cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.model import Author, Block, Boundary, Message, Text, blocks_of
from app.stages.base import Change, Context, Messages, Protection, StageResult
from app.stages.cuts import is_marker, split_system
from app.stages.made import boundary_message, made_change, sized
from app.stages.ranges import drop_range, words_of_request
from app.stages.snip import snipped_by


@dataclass(frozen=True, slots=True)
class Cut:
    """A conversation at a cut: what goes, what stays of that, and what stays anyway."""

    given: Messages
    system: Messages
    """System messages: they stay in front."""
    gone: Messages
    """What lies before the cut, as it was."""
    kept: Messages
    """What stays of that: protected blocks with their pairs, the first request if it was asked for."""
    earlier: tuple[Text, ...]
    """Earlier summaries that stay, since the new one was not made from them."""
    tail: Messages
    changes: tuple[Change, ...]
    removed: int
    """Messages of which nothing stays; markers are not counted."""
    carried: int
    """Messages that earlier compactions took out, by the markers that go or stay before the tail."""
    protected: int

    @property
    def rest(self) -> Messages:
        """The conversation without system messages."""
        return self.gone + self.tail


def cut_at(
    messages: Messages,
    cut: int,
    protection: Protection,
    reason: str,
    *,
    keep_earlier: bool,
    keep_first_user: bool,
) -> Cut:
    """What a cut before message `cut`, system messages not counted, would take.

    `keep_earlier` lets the summaries of earlier compactions stay.
    """
    system, rest = split_system(messages)
    gone = rest[:cut]
    earlier = tuple(_summaries(gone)) if keep_earlier else ()
    spare = {block.key for block in earlier}
    if keep_first_user:
        spare |= words_of_request(rest)
    drop = drop_range(rest, 0, cut, protection, reason, spare)
    stay = {message.key for message in drop.kept}
    markers = sum(message.key not in stay and is_marker(message) for message in gone)
    return Cut(
        given=messages,
        system=system,
        gone=gone,
        kept=_without(drop.kept, {block.key for block in earlier}),
        earlier=earlier,
        tail=_without(rest[cut:], frozenset()),
        changes=drop.changes,
        removed=drop.removed - markers,
        carried=_carried(gone),
        protected=drop.protected,
    )


def replaced(
    cut: Cut, text: str, author: Author, boundary: Boundary, context: Context, reason: str
) -> StageResult:
    """The conversation with `text` in the place of what goes; the boundary gets its counts here."""
    ends = cut.kept + cut.tail
    told = replace(
        boundary,
        time=context.now,
        removed=cut.removed + cut.carried,
        preserved=(ends[0].key, ends[-1].key) if ends else None,
    )
    made = boundary_message(cut.changes[0].key, text, author, told, cut.earlier)
    at = len(cut.system)
    after = sized((*cut.system, made, *ends), at, cut.given, context)
    return StageResult(
        after,
        (*cut.changes, made_change(made, reason)),
        boundary=after[at].boundary,
        protected=cut.protected,
        size_before=context.estimator.total(cut.given),
    )


def _summaries(messages: Messages) -> Iterator[Text]:
    for _, block in blocks_of(messages):
        if isinstance(block, Text) and block.author is Author.SUMMARY:
            yield block


def _without(messages: Messages, keys: frozenset[str] | set[str]) -> Messages:
    """Messages that stay, without these blocks and without a boundary that hides: the new one comes first."""
    left = []
    for message in messages:
        blocks = tuple(block for block in message.blocks if block.key not in keys)
        hides = message.boundary is not None and message.boundary.hides
        if hides or len(blocks) < len(message.blocks):
            message = replace(message, blocks=blocks, boundary=None if hides else message.boundary)
        if blocks:
            left.append(message)
    return tuple(left)


def _carried(messages: Messages) -> int:
    """What the boundaries and markers among these messages say was taken out before."""
    return sum(_taken_out(message) for message in messages)


def _taken_out(message: Message) -> int:
    if message.boundary is not None and message.boundary.hides:
        return message.boundary.removed or 0
    return sum(_snipped(block) for block in message.blocks)


def _snipped(block: Block) -> int:
    return snipped_by(block) or 0
