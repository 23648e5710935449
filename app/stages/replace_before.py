"""Replaces everything before a cut by one message with a boundary."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from app.formats.markers import boundary_of
from app.model import Author, Block, Boundary, Message, Text, ToolResult
from app.stages.base import Change, Context, Messages, Protection, StageResult
from app.stages.boundary_message import boundary_message, index_line, made_change, sized
from app.stages.changes import Changes
from app.stages.cut_points import is_marker
from app.stages.ranges import RangeDrop, drop_range, first_request
from app.stages.survey import Survey


class Cut(Struct, frozen=True):
    """A conversation divided at a cut: what is removed, and what is kept on either side."""

    given: Messages
    system: Messages
    """System messages: they stay in front."""
    gone: Messages
    """The messages before the cut, as they were."""
    kept: Messages
    """What is kept of them: protected blocks with their pairs, and the first request if wanted."""
    earlier: tuple[Text, ...]
    """Earlier summaries to carry on, since the new summary was not made from them."""
    tail: Messages
    drop: RangeDrop
    """The removed blocks."""
    removed: int
    """Messages of which nothing stays; markers are not counted."""
    carried: int
    """Messages that earlier compactions took out, by the markers that go or stay before the tail."""
    protected: int

    @property
    def changes(self) -> Sequence[Change]:
        """The changes that remove the blocks."""
        return self.drop.changes

    @property
    def rest(self) -> Messages:
        """The conversation without system messages."""
        return self.gone + self.tail


def cut_at(
    survey: Survey,
    cut: int,
    protection: Protection,
    reason: str,
    *,
    keep_earlier: bool,
    keep_first_user: bool,
) -> Cut:
    """Divide a conversation before message `cut`, not counting system messages.

    `keep_earlier` carries on the summaries of earlier compactions unchanged.
    """
    rest = survey.rest
    spoken = survey if rest is survey.messages else Survey(rest)
    spare = _typed(rest) if keep_first_user else set[str]()
    drop = drop_range(spoken, 0, cut, protection, reason, spare)
    stay = {message.key for message in drop.kept}
    stays = {block.key for message in drop.kept for block in message.blocks}
    notes = [rest[i] for i in spoken.notes if i < cut]
    return Cut(
        given=survey.messages,
        system=survey.system,
        gone=rest[:cut],
        kept=_plain(drop.kept),
        earlier=tuple(_summaries(notes, stays)) if keep_earlier else (),
        tail=_plain(rest[cut:]),
        drop=drop,
        removed=drop.removed - sum(message.key not in stay and is_marker(message) for message in notes),
        carried=sum(map(_taken_out, notes)),
        protected=drop.protected,
    )


def replaced(
    cut: Cut, text: str, author: Author, boundary: Boundary, context: Context, reason: str
) -> StageResult:
    """Replace what is removed by `text`; fills in the counts of the boundary.

    A summary also names the index of removed results.
    """
    ends = cut.kept + cut.tail
    told = replace(
        boundary,
        time=context.now,
        removed=cut.removed + cut.carried,
        preserved=(ends[0].key, ends[-1].key) if ends else None,
    )
    if author is Author.SUMMARY or boundary.strategy == "recover":
        text += index_line(context, cut.drop.gone, ends, cut.earlier)
    made = boundary_message(cut.drop.first, text, author, told, cut.earlier)
    at = len(cut.system)
    after = sized((*cut.system, made, *ends), at, cut.given, context)
    carried = [made_change(block, "the earlier summary, as it was") for block in made.blocks[1:]]
    also = (*carried, made_change(made.blocks[0], reason))
    return StageResult(
        after,
        Changes(len(cut.changes) + len(also), lambda: (*cut.changes, *also)),
        boundary=after[at].boundary,
        protected=cut.protected,
        size_before=context.survey(cut.given).total(context.estimator),
    )


def _typed(messages: Messages) -> set[str]:
    """What the person made of the first request: a client puts summaries and reminders into its message."""
    first = first_request(messages)
    return {
        block.key
        for block in (() if first is None else messages[first].blocks)
        if not isinstance(block, ToolResult)
        and not (isinstance(block, Text) and block.author is not Author.USER)
    }


def _summaries(messages: Iterable[Message], stays: Collection[str]) -> Iterator[Text]:
    for block in (block for message in messages for block in message.blocks):
        if isinstance(block, Text) and block.author is Author.SUMMARY and block.key not in stays:
            yield block


def _plain(messages: Messages) -> Messages:
    """Messages that stay, without a boundary that hides: they stand behind the new one."""
    return tuple(
        replace(message, boundary=None)
        if message.boundary is not None and message.boundary.hides
        else message
        for message in messages
    )


def _taken_out(message: Message) -> int:
    """What the boundary and the markers of a message say was taken out before."""
    if message.boundary is not None and message.boundary.hides:
        return message.boundary.removed or 0
    return sum(map(_taken_out_by, message.blocks))


def _taken_out_by(block: Block) -> int:
    """What a snip marker, or the summary of a stretch, says was taken out where it stands."""
    if not isinstance(block, Text) or block.author not in (Author.MARKER, Author.SUMMARY):
        return 0
    boundary = boundary_of(block.content.preview, block.key, None)
    return 0 if boundary is None or boundary.hides else boundary.removed or 0
