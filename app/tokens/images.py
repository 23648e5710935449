"""Tokens of a picture: its size in pixels from the head of its data, then the provider's rule."""

from __future__ import annotations

import math
from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Callable
from typing import TypeAlias

from app.model import Image

Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""

Rule: TypeAlias = Callable[[int, int], int]
"""Tokens of a picture of that width and height."""

UNKNOWN_SIZE: Size = (1092, 1092)
"""Stands in where the size cannot be read: about the largest that Claude takes as it is."""

_HEAD_CHARS = 131_072
"""Characters of base64 that are decoded at most: a JPEG has its size behind its embedded preview."""


def claude_rule(long_edge: int, most: int) -> Rule:
    """Anthropic's: scaled down to `long_edge` pixels and `most` tokens, then one token per 28 x 28.

    Source: platform.claude.com/docs/en/build-with-claude/vision. An older wording of the same page,
    width x height / 750, gives 5 % more.
    """

    def tokens(width: int, height: int) -> int:
        scale = min(1.0, long_edge / max(width, height))
        return min(most, math.ceil(width * scale / 28) * math.ceil(height * scale / 28))

    return tokens


def openai_rule(base: int, tile: int) -> Rule:
    """OpenAI's for high detail: into 2048 x 2048, the short side to 768, then tiles of 512 x 512.

    Source: platform.openai.com/docs/guides/images-vision, "Calculating costs".
    """

    def tokens(width: int, height: int) -> int:
        scale = min(1.0, 2048 / max(width, height))
        scale *= min(1.0, 768 / (min(width, height) * scale))
        return base + tile * math.ceil(width * scale / 512) * math.ceil(height * scale / 512)

    return tokens


def flat_rule(each: int) -> Rule:
    """A provider that spends the same on a picture of any size."""
    return lambda width, height: each


def image_tokens(image: Image, rule: Rule, *, read: bool = True) -> int:
    """Tokens of `image`; with `read` off its size is looked for in the preview only."""
    return rule(*(image_size(image, read=read) or UNKNOWN_SIZE))


def image_size(image: Image, *, read: bool = True) -> Size | None:
    """Width and height in pixels, or None for a URL, a damaged picture or one of another kind."""
    found = pixel_size(_decoded(image.data.preview))
    if found is None and read and image.data.chars > len(image.data.preview):
        found = pixel_size(_decoded(image.data.read()[:_HEAD_CHARS]))
    return found


def _decoded(text: str) -> bytes:
    """The bytes of as much base64 as `text` holds whole; a `data:` head is left out."""
    if text.startswith("data:"):
        text = text.partition(",")[2]
    text = "".join(text.split())
    try:
        return a2b_base64(text[: len(text) // 4 * 4].encode("ascii"))
    except (Base64Error, UnicodeEncodeError):
        return b""


def pixel_size(head: bytes) -> Size | None:
    """The size that a PNG, GIF, WebP or JPEG file starts with; None where there is no positive one."""
    size: Size | None = None
    if head[:8] == b"\x89PNG\r\n\x1a\n" and len(head) >= 24:
        size = _number(head[16:20]), _number(head[20:24])
    elif head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        size = _number(head[6:8], "little"), _number(head[8:10], "little")
    elif head[:4] == b"RIFF" and head[8:12] == b"WEBP" and len(head) >= 30:
        size = _webp(head)
    elif head[:2] == b"\xff\xd8":
        size = _jpeg(head)
    return size if size and min(size) > 0 else None


def _number(raw: bytes, order: str = "big") -> int:
    return int.from_bytes(raw, "little" if order == "little" else "big")


def _webp(head: bytes) -> Size | None:
    kind = head[12:16]
    if kind == b"VP8X":
        return _number(head[24:27], "little") + 1, _number(head[27:30], "little") + 1
    if kind == b"VP8L":
        bits = _number(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        return _number(head[26:28], "little") & 0x3FFF, _number(head[28:30], "little") & 0x3FFF
    return None


_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The JPEG markers whose segment holds the size."""


def _jpeg(head: bytes) -> Size | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker in _FRAMES:
            return _number(head[at + 7 : at + 9]), _number(head[at + 5 : at + 7])
        if marker == 0xFF:
            at += 1
        elif marker == 0x01 or 0xD0 <= marker <= 0xD9:
            at += 2
        else:
            at += 2 + max(_number(head[at + 2 : at + 4]), 2)
    return None
