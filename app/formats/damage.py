"""Damage of a file that an export does not copy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from app.model import Notice

FILE_REPAIRS: Final[Mapping[str, str]] = {
    "bad-line": "written as valid JSON, or left out where nothing could be read",
    "bom": "the byte-order mark was left out",
    "crlf": "lines end with LF",
    "glued-records": "each record is on a line of its own",
    "invalid-utf8": "invalid bytes were replaced by U+FFFD",
    "nul-bytes": "NUL bytes were left out",
    "spliced-record": "each record is on a line of its own",
    "torn-tail": "the torn record was left out",
}
"""By warning word, what an export of lines does about it."""

SAME_MESSAGES: Final = FILE_REPAIRS.keys() | {"result-twice"}
"""Words of repairs that change nothing of what is sent."""


def file_repairs(notices: Iterable[Notice]) -> list[Notice]:
    """What an export of lines mends in a file of which these notices were given."""
    return [
        Notice(notice.word, notice.line, FILE_REPAIRS[notice.word])
        for notice in notices
        if notice.word in FILE_REPAIRS
    ]
