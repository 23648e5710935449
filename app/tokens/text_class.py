"""Classifying a text by a cheap test of its head: tokenizers differ by kind of text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

HEAD_CHARS = 2_048
"""Code points of a text that are examined."""

_LINES = 12
"""Lines of the head that are examined."""


class TextClass(StrEnum):
    """A column of the table of factors (see `app.tokens.families`)."""

    NUMBERED = "numbered read"
    PROSE = "prose"
    CODE = "code"
    DIFF = "diff"
    DIGITS = "digits, logs"
    GREP = "grep"
    PATHS = "paths"
    JSON = "JSON"
    REPLY = "reply text"
    INPUT = "tool input"
    CHINESE = "Chinese"


_NUMBERED = re.compile(r"\s*\d+(?:→|\t|\||: )")
_DIFF_HEAD = re.compile(r"(?:diff --git |--- \S.*\n\+\+\+ |@@ -\d|Index: )")
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+", re.MULTILINE)
# Names are bounded: otherwise a line of dashes and dots takes quadratic time.
_GREP = re.compile(r"[A-Za-z_./~][^\s:]{0,200}?(?::\d+[:-]|[./][^\s:]{0,60}-\d+-)")
_PATH = re.compile(r"(?=.{2,255}$)[\w@~. -]*/[^\s:]*$")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60]")
_CODE_MARKS = "{}();=<>[]_"
_STAMP = re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d")


def text_class(head: str) -> TextClass:
    """The class of the text that starts with `head` (pass up to `HEAD_CHARS` code points).

    A reply and a tool's input are known by their block and not detected here.
    """
    head = head[:HEAD_CHARS]
    if _is_chinese(head):
        return TextClass.CHINESE
    start = head.lstrip()
    if start[:1] in ("{", "[") and start[1:].lstrip()[:1] in ('"', "{", "["):
        return TextClass.JSON
    if _DIFF_HEAD.match(start) or ("@@ -" in head and _HUNK.search(head)):
        return TextClass.DIFF
    return _by_lines(head)


def _is_chinese(head: str) -> bool:
    if head.isascii():
        return False
    # Most non-ASCII texts have few such characters: counting them all is quick.
    foreign = len(head) - len(head.encode("ascii", "ignore"))
    return foreign > 0.3 * len(head) and len(_HAN.findall(head)) > 0.3 * len(head)


def _by_lines(head: str) -> TextClass:
    lines = [line for line in head.split("\n", _LINES)[:_LINES] if line.strip()]
    for found, pattern in (
        (TextClass.NUMBERED, _NUMBERED),
        (TextClass.DIGITS, _STAMP),
        (TextClass.GREP, _GREP),
        (TextClass.PATHS, _PATH),
    ):
        if lines and _fits_most(pattern, lines):
            return found
    if sum(map(head.count, "0123456789")) > 0.2 * len(head):
        return TextClass.DIGITS
    return TextClass.CODE if sum(map(head.count, _CODE_MARKS)) > 0.04 * len(head) else TextClass.PROSE


def _fits_most(pattern: re.Pattern[str], lines: Sequence[str]) -> bool:
    """Whether at least six of ten lines begin as the pattern says."""
    others, most = 0, len(lines) - 0.6 * len(lines)
    for line in lines:
        if pattern.match(line) is None:
            others += 1
            if others > most:
                return False
    return True
