"""Predefined edits for what people most often remove, with a preview of what each frees."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from app.compactability import Cause, classify
from app.compactability.turns import newest_turn
from app.edits import Edit
from app.edits.by_stage import ByStage
from app.edits.drop import Drop
from app.edits.note_image import NoteImage
from app.edits.strip_thinking import StripThinking
from app.errors import InputError
from app.model import Image, ToolResult, blocks_of
from app.work.on_disk import reads_today, told, unchanged_reads
from app.work.workspace import Workspace


class QuickFix(Struct, frozen=True):
    """One predefined edit."""

    name: str
    title: str
    about: str
    make: Callable[[Workspace], Edit]
    """Builds the edit for the present state of the session."""
    looks_at_disk: bool = False
    """Whether it opens files that the session names, which happens only if a person asks for it."""

    @property
    def rule(self) -> str:
        """The rule that repeats it on another session; empty if it looks at the disk."""
        return "" if self.looks_at_disk else f"fix {self.name}"


class QuickFixOffer(Struct, frozen=True):
    """What a quick fix would do now."""

    fix: QuickFix
    edit: Edit
    blocks: int
    """Number of blocks it changes."""
    tokens: int
    """Tokens it frees from the window."""
    note: str = ""
    """Why it does nothing, or what it leaves unchanged."""

    @property
    def does_something(self) -> bool:
        return self.blocks > 0


def offer(workspace: Workspace, fix: QuickFix) -> QuickFixOffer:
    """Preview a quick fix on the present conversation without doing it.

    A fix that looks at the disk opens the files named by the session's reads.
    """
    edit = fix.make(workspace)
    seen = told(reads_today(workspace.messages, workspace.session.cwd).values()) if fix.looks_at_disk else ""
    if not edit.keys and (edit.needs_keys or fix.looks_at_disk):
        return QuickFixOffer(fix, edit, 0, 0, seen or f"none found: {fix.about}")
    step = workspace.try_edit(edit)
    if not step.changes:
        return QuickFixOffer(fix, edit, 0, 0, step.result.note)
    freed = workspace.tokens(step.before) - workspace.tokens(step.result.messages)
    # What is dropped leaves nothing in its place, and a short seal counts as no token.
    if freed <= 0 and any(change.after is not None for change in step.changes):
        return QuickFixOffer(fix, edit, 0, 0, "the placeholders would be as long as the results")
    return QuickFixOffer(fix, edit, len(step.changes), freed, seen or step.result.note)


def offers(workspace: Workspace, *, look_at_disk: bool = False) -> list[QuickFixOffer]:
    """Preview every quick fix, least regret first; those that look at the disk only if asked for."""
    return [offer(workspace, fix) for fix in QUICK_FIXES if look_at_disk or not fix.looks_at_disk]


def fix_named(name: str) -> QuickFix:
    """The quick fix of this name; raises InputError with the names there are."""
    for fix in QUICK_FIXES:
        if fix.name == name:
            return fix
    raise InputError(f"unknown quick fix {name!r}; available: {', '.join(f.name for f in QUICK_FIXES)}")


def _superseded(kind: str, called: str, *, keep_recent: int = 0) -> Callable[[Workspace], Edit]:
    """A fix that clears superseded results of one kind, as `drop_superseded` does."""
    settings = (f"kinds={kind}", f"keep_recent={keep_recent}")
    return lambda _: ByStage(stage="drop_superseded", settings=settings, called=called)


def _duplicates(_: Workspace) -> Edit:
    return ByStage(stage="read_dedup", called="duplicate reads")


def _thinking(_: Workspace) -> Edit:
    return StripThinking()


def _failed_calls(workspace: Workspace) -> Edit:
    judgements = classify(workspace.messages, workspace.session.cwd)
    failed = (key for key, judgement in judgements.items() if judgement.cause is Cause.RETRIED)
    return _fitting(workspace, Drop(), failed)


def _old_images(workspace: Workspace) -> Edit:
    messages = workspace.messages
    older = blocks_of(messages[: newest_turn(messages)])
    pictures = (
        block.key
        for _, block in older
        if isinstance(block, Image)
        or (isinstance(block, ToolResult) and any(isinstance(part, Image) for part in block.parts))
    )
    return _fitting(workspace, NoteImage(), pictures)


def _on_disk(workspace: Workspace) -> Edit:
    keys = tuple(sorted(unchanged_reads(workspace.messages, workspace.session.cwd)))
    settings = ("kinds=unchanged-file", "keep_recent=0")
    return ByStage(stage="drop_superseded", settings=settings, keys=keys, called="unchanged files")


def _fitting(workspace: Workspace, edit: Edit, keys: Iterable[str]) -> Edit:
    """The edit restricted to the blocks it may change."""
    edit = edit.with_keys(keys)
    return edit.with_keys(edit.fitting(workspace.messages, workspace.context))


QUICK_FIXES: Final = (
    QuickFix(
        "superseded-reads",
        "superseded reads",
        "reads of files that were read again or changed later",
        _superseded("superseded-read", "superseded reads"),
    ),
    QuickFix(
        "duplicate-reads", "duplicate reads", "reads with the same content as an earlier one", _duplicates
    ),
    QuickFix(
        "failed-calls",
        "failed calls",
        "failed calls that worked when retried, and their results",
        _failed_calls,
    ),
    QuickFix(
        "echoes",
        "write and edit echoes",
        "results that only repeat what their call wrote",
        _superseded("write-echo", "write and edit echoes"),
    ),
    QuickFix("old-thinking", "old thinking", "thinking from all turns but the newest", _thinking),
    QuickFix(
        "old-images", "old images", "images before the newest turn, replaced by one line each", _old_images
    ),
    QuickFix(
        "long-listings",
        "long listings",
        "long results of searches and listings, except the newest results",
        _superseded("long-listing", "long listings", keep_recent=4),
    ),
    QuickFix(
        "on-disk",
        "files unchanged on disk",
        "reads whose file on this machine is unchanged",
        _on_disk,
        looks_at_disk=True,
    ),
)
"""Every quick fix, least regret first."""
