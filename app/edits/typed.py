"""A hand edit as a person types it: its name, keys, and options as NAME=VALUE."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from app.edits.base import Edit
from app.edits.by_stage import ByStage


def typed(edit: Edit) -> str:
    """The words that make this edit, quoted as in a POSIX shell."""
    return shlex.join([edit.name, *_own(edit), *edit.keys, *_options(edit)])


def _own(edit: Edit) -> Iterator[str]:
    """What a stage run by hand says first: the stage and its options."""
    if isinstance(edit, ByStage):
        yield edit.stage
        yield from edit.settings


def _options(edit: Edit) -> Iterator[str]:
    own = ("stage", "settings") if isinstance(edit, ByStage) else ()
    for option in edit.options():
        value = getattr(edit, option.name)
        if value != option.default and option.name not in own:
            yield f"{option.name}={_word(value)}"


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    # What begins with one @ names a file that holds the text.
    return f"@{text}" if text.startswith("@") else text
