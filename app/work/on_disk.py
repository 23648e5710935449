"""Finds the reads of a session whose file is unchanged on disk; runs only if a person asks for it.

It opens files that the session names, so only regular files of limited size are opened and none of their
content is kept: the result is a set of keys.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Final

from app.compactability import Cause, Kind, answered, classify
from app.model import Message, text_of

MAX_BYTES: Final = 20_000_000
"""Maximum size of a file that is opened."""

_NUMBERED: Final = re.compile(r"\s*(\d+)(?:→|\t|\| )(.*)", re.DOTALL)
_REMINDER: Final = re.compile(r"\s*<system-reminder>.*\Z", re.DOTALL)


class DiskState(StrEnum):
    """What became of a file since it was read."""

    SAME = "unchanged"
    CHANGED = "changed"
    GONE = "gone"
    """Or not a regular text file, or too large, or a relative path without a known folder."""


def reads_today(
    messages: Sequence[Message], cwd: str | None = None, keys: Collection[str] | None = None
) -> dict[str, DiskState]:
    """The state of the file of each read that is not superseded, by the key of its result.

    With `keys` exactly these are checked, superseded or not. A relative path is resolved against `cwd`;
    without one it is not looked for.
    """
    judgements = classify(messages, cwd)
    lines_of = lru_cache(maxsize=64)(_lines)
    found: dict[str, DiskState] = {}
    for answer in answered(messages, cwd):
        key, path = answer.result.key, answer.call.path
        is_read = answer.call.kind is Kind.READ if keys else judgements[key].cause is Cause.FILE
        if path is None or not is_read or (keys is not None and key not in keys):
            continue
        lines = lines_of(path)
        if lines is None:
            found[key] = DiskState.GONE
        else:
            found[key] = DiskState.SAME if _stands(text_of(answer.result), lines) else DiskState.CHANGED
    return found


def told(found: Iterable[DiskState]) -> str:
    """`5 unchanged, 2 changed, 1 gone`; empty for none."""
    count = Counter(found)
    return ", ".join(f"{count[each]:,} {each}" for each in DiskState if count[each])


def unchanged_reads(messages: Sequence[Message], cwd: str | None = None) -> frozenset[str]:
    """Keys of results of reads whose lines are in the file as they were read."""
    return frozenset(key for key, today in reads_today(messages, cwd).items() if today is DiskState.SAME)


def _lines(path: str) -> list[str] | None:
    """The lines of a regular text file; None for anything else."""
    try:
        file = Path(path).expanduser()
        if not file.is_absolute() or not file.is_file() or file.stat().st_size > MAX_BYTES:
            return None
        return file.read_text("utf-8").split("\n")
    except (OSError, ValueError):
        return None


def _stands(text: str, lines: list[str]) -> bool:
    """Whether a read matches the file: numbered lines by their number, unnumbered ones as the whole file."""
    read = _REMINDER.sub("", text).rstrip("\n").split("\n")
    numbered = [_NUMBERED.fullmatch(line) for line in read]
    first, last = numbered[0], numbered[-1]
    if first is None or last is None or None in numbered:
        return read == _without_end(lines)
    start = int(first[1])
    return [line[2] for line in numbered if line] == lines[start - 1 : start - 1 + len(read)]


def _without_end(lines: list[str]) -> list[str]:
    while len(lines) > 1 and not lines[-1]:
        lines = lines[:-1]
    return lines
