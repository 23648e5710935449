"""Reading an image's type and size from its bytes, and the limits of the Messages API."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Any, Final

from msgspec import Struct

MEDIA_TYPES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
MAX_CHARS: Final = 5 * 1024 * 1024
"""Base64 characters of one image (anthropics/claude-code#10612)."""
MAX_SIDE: Final = 8000
"""Pixels of the longer side."""
MAX_SIDE_OF_MANY: Final = 2000
"""The same in a request with more than `MANY` images (anthropics/claude-code#34120)."""
MANY: Final = 20
MAX_PICTURES: Final = 100

_HEAD_CHARS = 64 * 1024
_base64 = re.compile(r"[A-Za-z0-9+/]++={0,2}")
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD8)})


class Picture(Struct, frozen=True):
    """An image's type and size, from its first bytes."""

    media_type: str
    """Empty if the API does not accept the type."""
    width: int = 0
    """Pixels; 0 if it cannot be read."""
    height: int = 0

    @property
    def side(self) -> int:
        """The longer side in pixels."""
        return max(self.width, self.height)


def picture_of(data: Any) -> Picture | None:
    """Type and size of an image given as base64 text; None if it is not base64 or empty."""
    if not isinstance(data, str) or len(data) % 4 or not _base64.fullmatch(data):
        return None
    picture = look(b64decode(data[:_HEAD_CHARS]))
    if picture.media_type == "image/jpeg" and not picture.width and len(data) > _HEAD_CHARS:
        picture = look(b64decode(data))
    return picture


def look(raw: bytes) -> Picture:
    """Type and size from an image file's first bytes; in a JPEG the size may follow a long preview."""
    if raw.startswith(b"\x89PNG\r\n\x1a\n") and raw[12:16] == b"IHDR" and len(raw) >= 24:
        return Picture("image/png", _big(raw, 16, 4), _big(raw, 20, 4))
    if raw.startswith((b"GIF87a", b"GIF89a")) and len(raw) >= 10:
        return Picture("image/gif", _little(raw, 6, 2), _little(raw, 8, 2))
    if raw.startswith(b"\xff\xd8\xff"):
        return Picture("image/jpeg", *_jpeg_size(raw))
    if raw.startswith(b"RIFF") and raw[8:12] == b"WEBP":
        return Picture("image/webp", *_webp_size(raw))
    return Picture("")


def _jpeg_size(raw: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(raw) and raw[at] == 0xFF:
        marker = raw[at + 1]
        if marker in _JPEG_FRAMES:
            return _big(raw, at + 7, 2), _big(raw, at + 5, 2)
        if marker == 0xFF:
            at += 1
        elif marker in _JPEG_BARE:
            at += 2
        else:
            at += 2 + _big(raw, at + 2, 2)
    return 0, 0


def _webp_size(raw: bytes) -> tuple[int, int]:
    kind = raw[12:16] if len(raw) >= 30 else b""
    if kind == b"VP8X":
        return _little(raw, 24, 3) + 1, _little(raw, 27, 3) + 1
    if kind == b"VP8L":
        bits = _little(raw, 21, 4)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        return _little(raw, 26, 2) & 0x3FFF, _little(raw, 28, 2) & 0x3FFF
    return 0, 0


def _big(raw: bytes, at: int, length: int) -> int:
    return int.from_bytes(raw[at : at + length], "big")


def _little(raw: bytes, at: int, length: int) -> int:
    return int.from_bytes(raw[at : at + length], "little")
