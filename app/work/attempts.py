"""Tries a hand edit before it is done, and finds the variants to offer if it is refused.

An edit is refused if it would skip a block, or touch the person's own words or protected blocks. Its variants
leave those blocks alone, or change them with the person's explicit consent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.display import counted, short_number
from app.edits import Edit
from app.edits.scene import ALLOW_WORDS, FORCE, is_typed
from app.model import preview_of
from app.stages.base import Change, Context, Messages, StageResult
from app.work.history import Operation, edit_operation
from app.work.workspace import Workspace

LIFTS = ((), (ALLOW_WORDS,), (FORCE,), (ALLOW_WORDS, FORCE))
"""The options by which a person consents to more, the most careful first."""


@dataclass(frozen=True)
class EditVariant:
    """One way to do an edit, and what it would do."""

    edit: Edit
    changes: Sequence[Change]
    freed: int
    """Tokens it removes from the conversation."""
    own_words: tuple[str, ...]
    """The beginnings of the person's own texts that it would change."""
    protected: int
    """Protected blocks that it would change."""
    messages: Messages
    """The conversation after the edit."""

    @property
    def words(self) -> str:
        """`drop 3 blocks, ~1.2k tokens less`."""
        blocks = sum(change.before is not None for change in self.changes)
        change = f"~{short_number(abs(self.freed))} tokens {'less' if self.freed >= 0 else 'more'}"
        return f"{self.edit.label} {counted(blocks, 'block')}, {change}"

    @property
    def touches(self) -> str:
        """The kept blocks it touches: `3 texts of your own, 2 protected blocks`; empty for none."""
        own, others = len(self.own_words), self.protected
        parts = [counted(own, "text") + " of yours" if own else ""]
        parts.append(counted(others, "protected block") if others else "")
        return ", ".join(filter(None, parts))


@dataclass(frozen=True)
class Attempt:
    """The outcome of trying an edit."""

    done: tuple[Operation, ...]
    """The operations in force when it was tried."""
    reason: str
    """Why the edit cannot be done as requested; empty if it can."""
    ways: tuple[EditVariant, ...]
    """The possible variants, the most careful first; empty if there is none."""
    rule: str = ""
    """The rule that selected the blocks, if they are edited as selected."""


def attempt(workspace: Workspace, edit: Edit, rule: str = "") -> Attempt:
    """Try an edit on the present conversation without recording it. Takes as long as the edit.

    `rule` is the rule that selected its blocks, if it can be applied to another session.
    """
    done, messages, context = workspace.history.done, workspace.messages, workspace.context
    reason = why_not(edit, messages, context)
    if reason is None:
        return Attempt(done, "", (_way(workspace, edit, edit(messages, context), context),), rule)
    return Attempt(done, reason, tuple(_ways(workspace, edit, messages, context)))


def why_not(edit: Edit, messages: Messages, context: Context) -> str | None:
    """Why an edit is refused as it is, without naming the options that would allow it."""
    reason = edit.why_not(messages, context)
    if reason is None:
        return None
    return reason.removesuffix(f" ({ALLOW_WORDS})").removesuffix(f" (override: {FORCE})")


def take(workspace: Workspace, tried: Attempt, way: EditVariant) -> bool:
    """Do the edit; False if another operation was done since it was tried."""
    if workspace.history.done != tried.done:
        return False
    workspace.do(edit_operation(way.edit, tried.rule))
    return True


def _ways(workspace: Workspace, edit: Edit, messages: Messages, context: Context) -> Iterator[EditVariant]:
    known = {option.name for option in edit.options()}
    reached: set[frozenset[str]] = set()
    for lifts in LIFTS:
        if not known.issuperset(lifts):
            continue
        lifted = edit.with_options(dict.fromkeys(lifts, True))
        if lifted.why_not(messages, context) is not None:
            fitting = lifted.fitting(messages, context)
            lifted = lifted.with_keys(fitting)
            if not fitting or lifted.why_not(messages, context) is not None:
                continue
        result = lifted(messages, context)
        keys = frozenset(change.key for change in result.changes)
        if keys and keys not in reached:
            reached.add(keys)
            yield _way(workspace, lifted, result, context)


def _way(workspace: Workspace, edit: Edit, result: StageResult, context: Context) -> EditVariant:
    tokens = workspace.block_tokens
    protection = context.protection
    before = [change.before for change in result.changes if change.before is not None]
    after = [change.after for change in result.changes if change.after is not None]
    own = [block for block in before if is_typed(block)]
    return EditVariant(
        edit=edit,
        changes=result.changes,
        freed=sum(map(tokens, before)) - sum(map(tokens, after)),
        own_words=tuple(preview_of(block) for block in own),
        protected=sum(
            (protection.keeps_place if change.after is None else protection.keeps_text)(change.key)
            is not None
            for change in result.changes
            if change.before is not None and not is_typed(change.before)
        ),
        messages=result.messages,
    )
