"""Hand edits, one file a kind: what a person does to blocks, in the same history as the stages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.edits.base import Edit
from app.edits.by_stage import ByStage
from app.edits.clear import Clear
from app.edits.cut import Cut
from app.edits.drop import Drop
from app.edits.drop_before import DropBefore
from app.edits.drop_image import DropImage
from app.edits.keep_last_turns import KeepLastTurns
from app.edits.note_image import NoteImage
from app.edits.replace_text import ReplaceText
from app.edits.save import Save
from app.edits.strip_thinking import StripThinking
from app.edits.summarise_range import SummariseRange
from app.errors import BadPipeline

EDITS: tuple[type[Edit], ...] = (
    Drop,
    Clear,
    Cut,
    Save,
    ReplaceText,
    SummariseRange,
    DropImage,
    NoteImage,
    StripThinking,
    KeepLastTurns,
    DropBefore,
    ByStage,
)
"""Every kind of hand edit, in the order in which forms and help list them."""

__all__ = ["EDITS", "Edit", "edit_named", "make_edit"]


def edit_named(name: str) -> type[Edit]:
    """The kind of edit of this name; raises BadPipeline with the names there are."""
    for edit in EDITS:
        if edit.name == name:
            return edit
    raise BadPipeline(f"unknown edit {name!r}; available: {', '.join(edit.name for edit in EDITS)}")


def make_edit(name: str, keys: Iterable[str] = (), options: Mapping[str, Any] | None = None) -> Edit:
    """An edit of this kind; raises BadPipeline for a name or an option that does not fit."""
    return edit_named(name).build(options or {}).with_keys(keys)
