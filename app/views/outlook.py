"""A snapshot of what the steps so far did and what the remaining stages would do.

Asking the workspace for each row would walk the history each time, so a screen takes one snapshot after
every change, in a thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec import Struct

from app.compactability import Verdict
from app.display import short_number
from app.model import Block, SendStatus
from app.stages.base import Change, ChangeKind, Messages
from app.work.checks import words_gone
from app.work.history import State
from app.work.rows import BlockRow
from app.work.walk import Told, untold
from app.work.workspace import Status, Step, Workspace


class Figures(Struct, frozen=True):
    """Tokens of the live segment as far as they are counted at one moment."""

    before: int
    """As the session was opened."""
    now: int
    """As the steps so far leave it."""
    ahead: int
    """Once every stage is accepted, after what was done by hand."""
    by_verdict: Mapping[Verdict, int]
    """Of its blocks as they are now; messages' own costs are in none."""


@dataclass(frozen=True)
class Outlook:
    """A snapshot of a workspace. Its figures are not cached: they become exact while counting goes on."""

    workspace: Workspace
    state: State
    messages: Messages
    """The live segment as the steps so far leave it."""
    ahead: tuple[Step, ...]
    """Every step: edits by hand, and every stage, those not accepted yet as previews."""
    changes: Mapping[str, Change]
    """What the steps so far did to each block, by its key."""
    words_gone: int
    """Number of the user's own texts that would be lost with all stages."""

    @cached_property
    def touches(self) -> Mapping[str, tuple[tuple[Step, Change], ...]]:
        """What each step, taken or ahead, does to a block, by its key."""
        found: dict[str, tuple[tuple[Step, Change], ...]] = {}
        for step in self.ahead:
            for change in step.changes:
                found[change.key] = (*found.get(change.key, ()), (step, change))
        return found

    @cached_property
    def frozen(self) -> frozenset[str]:
        """Results that were there when the latch of a replaying stage opened: it never touches them."""
        replays = [step.result.replay for step in self.ahead]
        return frozenset(key for replay in replays if replay is not None for key in replay.frozen)

    @property
    def is_done(self) -> bool:
        """Whether no stages remain."""
        return all(step.status is not Status.PREVIEW for step in self.ahead)

    def block(self, row: BlockRow) -> Block | None:
        """A row's present block; None if a step dropped it."""
        change = self.changes.get(row.key)
        return row.block if change is None else change.after

    def verdict(self, row: BlockRow) -> Verdict:
        """A row's verdict as it is now: what a step shortened is compacted, what was written anew is not."""
        change = self.changes.get(row.key)
        return row.verdict if change is None or change.kind is ChangeKind.EDITED else Verdict.COMPACTED

    def figures(self) -> Figures:
        """The figures as counted by now; linear in the blocks."""
        tokens = self.workspace.tokens
        live = self.workspace.session.live
        before = tokens(live)
        now = before if self.messages is live else tokens(self.messages)
        last = self.ahead[-1].result.messages if self.ahead else self.messages
        return Figures(before, now, now if last is self.messages else tokens(last), self._by_verdict())

    def _by_verdict(self) -> dict[Verdict, int]:
        sums = dict.fromkeys(Verdict, 0)
        for row in self.workspace.rows:
            block = self.block(row)
            if block is not None and row.message.standing is SendStatus.LIVE:
                sums[self.verdict(row)] += self.workspace.block_tokens(block)
        return sums

    def sentence(self, figures: Figures) -> str:
        """The summary line: how much can be freed, and whether any of the user's own texts are lost."""
        name = self.workspace.pipeline.name
        saved = short_number(figures.before - figures.ahead)
        of = f"~{saved} of ~{short_number(figures.before)} tokens"
        gone = self.words_gone
        if not any(step.changes for step in self.ahead):
            reasons = {step.result.note for step in self.ahead}
            if len(reasons) == 1 and (reason := reasons.pop()):
                return f"{name} {'freed' if self.is_done else 'frees'} nothing: {reason}"
            return f"{name} {'found' if self.is_done else 'finds'} nothing to remove"
        if self.is_done:
            theirs = f"lost {gone} of your messages" if gone else "kept all your messages"
            return f"{name}: freed {of}, {theirs}"
        theirs = f"loses {gone} of your messages" if gone else "keeps all your messages"
        if figures.now == figures.before:
            return f"{name}: frees {of}, {theirs}"
        so_far = f"~{short_number(figures.before - figures.now)} of ~{short_number(figures.before)} freed"
        more = figures.now - figures.ahead
        can = f"{name}: ~{short_number(more)} more" if more > 0 else f"{name}: no more"
        return f"{so_far}; {can}, {theirs}"


def first_look(workspace: Workspace) -> Outlook:
    """A snapshot without running the remaining stages, to show at once."""
    return Outlook(workspace, workspace.state, workspace.messages, (), workspace.changes, 0)


def outlook(workspace: Workspace, told: Told = untold) -> Outlook:
    """A full snapshot; takes as long as the stages that were not run yet."""
    ahead = workspace.look_ahead(told)
    live = workspace.session.live
    last = ahead[-1].result.messages if ahead else live
    return Outlook(
        workspace=workspace,
        state=workspace.state,
        messages=workspace.messages,
        ahead=ahead,
        changes=workspace.changes,
        words_gone=len(words_gone(live, last)),
    )
