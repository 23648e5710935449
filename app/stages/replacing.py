"""Putting one message, behind a boundary, in the place of all that stands before a cut."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from app.formats.markers import boundary_of
from app.model import Author, Block, Boundary, Message, Text, blocks_of
from app.stages.base import Change, Context, Messages, Protection, StageResult
from app.stages.cuts import is_marker, split_system
from app.stages.made import boundary_message, index_line, made_change, sized
from app.stages.ranges import drop_range, words_of_request


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
    """Earlier summaries whose words are carried on, since the new one was not made from them."""
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

    `keep_earlier` carries on the summaries of earlier compactions, as they are.
    """
    system, rest = split_system(messages)
    gone = rest[:cut]
    spare = _typed(rest, words_of_request(rest)) if keep_first_user else set[str]()
    drop = drop_range(rest, 0, cut, protection, reason, spare)
    stay = {message.key for message in drop.kept}
    markers = sum(message.key not in stay and is_marker(message) for message in gone)
    return Cut(
        given=messages,
        system=system,
        gone=gone,
        kept=_plain(drop.kept),
        earlier=tuple(_summaries(drop.changes)) if keep_earlier else (),
        tail=_plain(rest[cut:]),
        changes=drop.changes,
        removed=drop.removed - markers,
        carried=_carried(gone),
        protected=drop.protected,
    )


def replaced(
    cut: Cut, text: str, author: Author, boundary: Boundary, context: Context, reason: str
) -> StageResult:
    """The conversation with `text` in the place of what goes; the boundary gets its counts here.

    A summary says where the results are listed that are no longer there.
    """
    ends = cut.kept + cut.tail
    told = replace(
        boundary,
        time=context.now,
        removed=cut.removed + cut.carried,
        preserved=(ends[0].key, ends[-1].key) if ends else None,
    )
    if author is Author.SUMMARY or boundary.strategy == "recover":
        text += index_line(context, cut.changes, ends, cut.earlier)
    made = boundary_message(cut.changes[0].key, text, author, told, cut.earlier)
    at = len(cut.system)
    after = sized((*cut.system, made, *ends), at, cut.given, context)
    carried = (made_change(block, "the earlier summary, as it was") for block in made.blocks[1:])
    return StageResult(
        after,
        (*cut.changes, *carried, made_change(made.blocks[0], reason)),
        boundary=after[at].boundary,
        protected=cut.protected,
        size_before=context.estimator.total(cut.given),
    )


def _typed(messages: Messages, keys: Collection[str]) -> set[str]:
    """Those blocks that the person made: a client puts summaries and reminders into the same message."""
    return {
        block.key
        for _, block in blocks_of(messages)
        if block.key in keys and not (isinstance(block, Text) and block.author is not Author.USER)
    }


def _summaries(changes: Iterable[Change]) -> Iterator[Text]:
    for change in changes:
        if isinstance(change.before, Text) and change.before.author is Author.SUMMARY:
            yield change.before


def _plain(messages: Messages) -> Messages:
    """Messages that stay, without a boundary that hides: they stand behind the new one."""
    return tuple(
        replace(message, boundary=None)
        if message.boundary is not None and message.boundary.hides
        else message
        for message in messages
    )


def _carried(messages: Messages) -> int:
    """What the boundaries and markers among these messages say was taken out before."""
    return sum(_taken_out(message) for message in messages)


def _taken_out(message: Message) -> int:
    if message.boundary is not None and message.boundary.hides:
        return message.boundary.removed or 0
    return sum(map(_taken_out_by, message.blocks))


def _taken_out_by(block: Block) -> int:
    """What a snip marker, or the summary of a stretch, says was taken out where it stands."""
    if not isinstance(block, Text) or block.author not in (Author.MARKER, Author.SUMMARY):
        return 0
    boundary = boundary_of(block.content.preview, block.key, None)
    return 0 if boundary is None or boundary.hides else boundary.removed or 0
