"""Replacing one string member of a record without changing any other byte."""

from __future__ import annotations

import re
from functools import cache

from app.formats.splice import encode, splice


def with_text(raw: bytes, name: str, text: str) -> bytes:
    """The bytes of a record with its string member `name` replaced by `text`."""
    # The name almost always occurs once, and then nothing needs to be parsed.
    if raw.count(b'"%s"' % name.encode()) == 1:
        return _member(name).sub(lambda found: found[1] + encode(text), raw, count=1)
    return splice(raw, {(name,): encode(text)})


@cache
def _member(name: str) -> re.Pattern[bytes]:
    return re.compile(rb'("%s"[ \t]*+:[ \t]*+)"(?:[^"\\]|\\.)*+"' % re.escape(name.encode()))
