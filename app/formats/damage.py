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
"""Warning word -> what an export to JSONL does about the damage."""

SAME_MESSAGES: Final = FILE_REPAIRS.keys() | {"result-twice"}
"""Words of repairs that do not change what is sent."""


def file_repairs(notices: Iterable[Notice]) -> list[Notice]:
    """What an export to JSONL repairs in a file with these notices."""
    return [
        Notice(notice.word, notice.line, FILE_REPAIRS[notice.word])
        for notice in notices
        if notice.word in FILE_REPAIRS
    ]
