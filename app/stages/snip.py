"""Too many messages: head and tail stay, one marker between them says how many went (learn-claude-code)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from msgspec.structs import replace

from app.errors import BadPipeline
from app.formats.markers import boundary_of
from app.model import Author, Block, Boundary, Message, Text, blocks_of
from app.stages.base import Change, ChangeKind, Context, Messages, Protection, Stage, StageResult, option
from app.stages.boundary_message import boundary_message, made_change, sized
from app.stages.changes import Changes
from app.stages.cut_points import whole_pairs_before, whole_pairs_behind
from app.stages.ranges import drop_range, prologue
from app.stages.survey import Survey


@dataclass(frozen=True, kw_only=True)
class Snip(Stage):
    """Removes the middle of a conversation with too many messages; hides nothing."""

    name: ClassVar[str] = "snip"
    title: ClassVar[str] = "snip"

    max_messages: int = option(50, "run only above this number of messages", unit="messages", minimum=1)
    head_messages: int = option(3, "first messages to keep", unit="messages", minimum=0)
    marker_counts: bool = option(False, "the marker counts as one of max_messages")
    keep_pairs: bool = option(
        True,
        "grow head and tail until their pairs are whole; off: leave other halves behind the marker",
    )

    def __post_init__(self) -> None:
        if self._tail < 1:
            marker = " and the marker" if self.marker_counts else ""
            raise BadPipeline(
                f"snip.max_messages of {self.max_messages} leaves no tail:"
                f" the head of {self.head_messages}{marker} must be less"
            )

    @property
    def _tail(self) -> int:
        """Messages of the tail."""
        return self.max_messages - self.head_messages - self.marker_counts

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        survey = context.survey(messages)
        idle = StageResult(messages, size_before=survey.total(context.estimator))
        markers = frozenset(i for i in survey.notes if _is_marker(messages[i]))
        counted = [i for i in range(len(messages)) if i not in markers] if markers else range(len(messages))
        count = len(counted) + (self.marker_counts and bool(_snipped_before(survey)))
        if count <= self.max_messages:
            return replace(idle, note=f"{count} messages are within {self.max_messages}")
        start, end = self._middle(messages, counted)
        if start >= end:
            return replace(idle, note="with whole pairs, head and tail meet: nothing is between them")
        return self._without(survey, start, end, context, idle)

    def _middle(self, messages: Messages, real: Sequence[int]) -> tuple[int, int]:
        """The range between head and tail. Messages of nothing but earlier markers count for neither."""
        head = real[self.head_messages - 1] + 1 if self.head_messages else 0
        start, end = max(head, prologue(messages)), real[-self._tail]
        if self.keep_pairs:
            return whole_pairs_behind(messages, start), whole_pairs_before(messages, end)
        return start, end

    def _without(
        self, survey: Survey, start: int, end: int, context: Context, idle: StageResult
    ) -> StageResult:
        messages = survey.messages
        protection = context.protection if self.protect else context.protection.only_pinned()
        reason = f"between the first {start} messages and the last {len(messages) - end}"
        drop = drop_range(survey, start, end, protection, reason)
        kept = {message.key for message in drop.kept}
        between = (messages[i] for i in survey.notes if start <= i < end)
        markers = [message for message in between if message.key not in kept and _is_marker(message)]
        gone = drop.removed - len(markers)
        if gone <= 0:
            nothing = "nothing between head and tail can be removed"
            return replace(idle, note=nothing, protected=drop.protected)
        head, head_changes = _without_markers(messages[:start], protection)
        tail, tail_changes = _without_markers(messages[end:], protection)
        also = (*head_changes, *tail_changes)
        earlier = _snipped_before(survey)
        lost = chain(drop.gone, (change.before for change in also)) if earlier else ()
        removed = gone + sum(earlier.get(block.key, 0) for block in lost if block is not None)
        boundary = Boundary("", "auto", "snip", context.now, removed=removed, hides=False)
        marker = boundary_message(drop.first, f"[snipped {removed} messages]", Author.MARKER, boundary)
        after = (*head, marker, *drop.kept, *tail)
        if self.only_if_smaller and context.estimator.total(after) >= idle.size_before:
            longer = f"the marker would not be shorter than the {gone} messages it replaces"
            return replace(idle, note=longer, protected=drop.protected)
        after = sized(after, len(head), messages, context)
        made = made_change(marker.blocks[0], f"says that {removed} messages were removed")
        return StageResult(
            after,
            Changes(
                len(drop.changes) + len(also) + 1,
                lambda: (*head_changes, *drop.changes, *tail_changes, made),
            ),
            boundary=after[len(head)].boundary,
            protected=drop.protected,
            size_before=idle.size_before,
        )


def snipped_by(block: Block) -> int | None:
    """How many messages the block says were snipped; None for one that is no such marker."""
    if not isinstance(block, Text) or block.author is not Author.MARKER:
        return None
    boundary = boundary_of(block.content.preview, block.key, None)
    return None if boundary is None or boundary.hides else boundary.removed


def _snipped_before(survey: Survey) -> Mapping[str, int]:
    """How many messages each marker of an earlier snip tells of, by its key."""
    blocks = (block for i in survey.notes for block in survey.messages[i].blocks)
    return {block.key: count for block in blocks if (count := snipped_by(block)) is not None}


def _is_marker(message: Message) -> bool:
    return all(snipped_by(block) is not None for block in message.blocks)


def _without_markers(messages: Messages, protection: Protection) -> tuple[Messages, tuple[Change, ...]]:
    """Messages without the markers of earlier snips that stand in or beside them."""
    changes = [
        Change(block.key, ChangeKind.DROPPED, "its count is carried over", block, None)
        for _, block in blocks_of(messages)
        if snipped_by(block) is not None and not protection.keeps_place(block.key)
    ]
    gone = {change.key for change in changes}
    if not gone:
        return messages, ()
    left = []
    for message in messages:
        blocks = tuple(block for block in message.blocks if block.key not in gone)
        if len(blocks) == len(message.blocks):
            left.append(message)
        elif blocks:
            hides = message.boundary is not None and message.boundary.hides
            left.append(replace(message, blocks=blocks, boundary=message.boundary if hides else None))
    return tuple(left), tuple(changes)
