"""Normalising the file and the lines of a read, so that two reads can be compared."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_MAX_NUMBER: Final = 10**9


class Span(NamedTuple):
    """The first and last line of a file that a read asked for, in its tool's numbering."""

    first: int
    last: int


ODD: Final = Span(1, 0)
"""A part of a file that has no known line numbers: its last lines, a page, matching lines."""

DEFAULT_LINES: Final = 2_000
"""Lines that a read returns without a limit (the same in Claude Code, pi, opencode, Gemini CLI)."""

_FIRST: Final = ("offset", "startline", "linestart", "startlineoneindexed")
_LAST: Final = ("endline", "lineend", "endlineoneindexed", "endlineoneindexedinclusive")
_NO_PART: Final = frozenset(
    {
        *(
            "filepath",
            "path",
            "absolutepath",
            "relativepath",
            "targetfile",
            "notebookpath",
            "filename",
            "file",
            "uri",
        ),
        *("command", "workdir", "cwd", "encoding", "shouldreadentirefile"),
        *("description", "explanation", "reason", "purpose", "toolsummary", "toolaction"),
    }
)
_KNOWN: Final = _NO_PART.union(_FIRST, _LAST, ("limit",))


def file_path(name: str, folder: str | None = None) -> str | None:
    """The normalised form of a path as given to a tool; None if it is empty.

    A relative path is resolved against `folder` if that is known. Paths with drive letters or backslashes
    are Windows paths, which are compared without case.
    """
    name = name.strip().removeprefix("file://")
    if not name:
        return None
    if _DRIVE.match(name) or name.startswith("\\\\") or ("\\" in name and "/" not in name):
        name = name.replace("\\", "/").lower()
    if folder and not name.startswith(("/", "~")) and not _DRIVE.match(name):
        name = f"{folder}/{name}"
    return posixpath.normpath(name)


def base_name(path: str) -> str:
    """The last part of a path with slashes of either kind."""
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]


def span_of(arguments: Mapping[str, Any]) -> Span | None:
    """The lines that a read asks for; None is the whole file, `ODD` a part without line numbers."""
    given = {_plain(name): value for name, value in arguments.items() if value is not None and value != ""}
    if _NO_PART.issuperset(given) or given.get("shouldreadentirefile") is True:
        return None
    try:
        if "viewrange" in given:
            first, last = map(_number, given["viewrange"])
            return Span(first, last if last >= 0 else _MAX_NUMBER)
        if not _KNOWN.issuperset(given):
            return ODD
        return _span(*(_first_of(given, names) for names in (_FIRST, _LAST, ("limit",))))
    except (TypeError, ValueError):
        return ODD


@lru_cache(maxsize=256)
def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _span(first: int | None, last: int | None, limit: int | None) -> Span | None:
    if last is not None:
        return Span(1 if first is None else first, last if last >= 0 else _MAX_NUMBER)
    if first is None and limit is None:
        return None
    first = 1 if first is None else first
    return Span(first, first + (DEFAULT_LINES if limit is None else limit) - 1)


def _first_of(given: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    return next((_number(given[name]) for name in names if name in given), None)


def _number(value: Any) -> int:
    """A line number as models write them; raises ValueError or TypeError for anything else."""
    if isinstance(value, bool) or (isinstance(value, str) and len(value) > 10):
        raise ValueError("not a line number")
    number = int(value)
    if isinstance(value, float) and number != value:
        raise ValueError("not a line number")
    return max(-1, min(number, _MAX_NUMBER))
