"""What the Messages API demands of pictures, read from their first bytes."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.validity.base import EVERYWHERE, Report, Spot, shown

MEDIA_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
MAX_CHARS = 5 * 1024 * 1024
"""Base64 characters of one image: the encoded text is what the provider measures."""
MAX_SIDE = 8000
"""Pixels."""
MAX_SIDE_OF_MANY = 2000
"""Pixels, in a request of more than `MANY` images."""
MANY = 20
MAX_IMAGES = 100

_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_HEAD_CHARS = 64 * 1024
"""Base64 characters that are decoded at first; a JPEG may tell its size later than that."""
_JPEG_SIZE_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE_MARKERS = frozenset({0x01, *range(0xD0, 0xD8)})


@dataclass(frozen=True, slots=True)
class Picture:
    """What the bytes of an image say of themselves."""

    media_type: str
    """Empty where they are of no type that is taken."""
    width: int = 0
    """Pixels; 0 where it cannot be read."""
    height: int = 0

    @property
    def side(self) -> int:
        """The longer side in pixels."""
        return max(self.width, self.height)


class ImageRules:
    """Sees each image block once; holds those whose size depends on how many there are."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._count = 0
        self._large: list[tuple[Spot, Picture]] = []

    def see(self, block: Mapping[str, Any], spot: Spot) -> None:
        """The next image block, wherever it stands."""
        self._count += 1
        source = block.get("source")
        if not isinstance(source, Mapping):
            self._report.add("anthropic.image-empty", spot, "no source")
        elif source.get("type") == "base64":
            self._see_base64(source, spot)

    def end(self) -> None:
        """There are no more images."""
        if self._count > MANY:
            for spot, picture in self._large:
                self._report_pixels(spot, picture, MAX_SIDE_OF_MANY)
        if self._count > MAX_IMAGES:
            self._report.add("anthropic.image-count", EVERYWHERE, str(self._count))

    def _see_base64(self, source: Mapping[str, Any], spot: Spot) -> None:
        declared, data = source.get("media_type"), source.get("data")
        known = declared in MEDIA_TYPES if isinstance(declared, str) else False
        if not known:
            self._report.add("anthropic.image-type", spot, shown(declared))
        if not isinstance(data, str) or len(data) % 4 or not _BASE64.fullmatch(data):
            self._report.add("anthropic.image-empty", spot)
            return
        if len(data) > MAX_CHARS:
            self._report.add("anthropic.image-size", spot, f"{len(data)} base64 characters")
        if known:
            self._see_picture(declared, picture_of(data), spot)

    def _see_picture(self, declared: Any, picture: Picture, spot: Spot) -> None:
        if picture.media_type != declared:
            found = picture.media_type or "no image"
            self._report.add("anthropic.image-bytes", spot, f"declared {declared}, found {found}")
        if picture.side > MAX_SIDE:
            self._report_pixels(spot, picture, MAX_SIDE)
        elif picture.side > MAX_SIDE_OF_MANY:
            self._large.append((spot, picture))

    def _report_pixels(self, spot: Spot, picture: Picture, limit: int) -> None:
        self._report.add(
            "anthropic.image-pixels", spot, f"{picture.width} x {picture.height}, limit {limit}"
        )


def picture_of(data: str) -> Picture:
    """Type and size of an image, from the fewest of its bytes; `data` must be valid base64."""
    picture = _look(b64decode(data[:_HEAD_CHARS]))
    if picture.media_type == "image/jpeg" and not picture.width and len(data) > _HEAD_CHARS:
        return _look(b64decode(data))
    return picture


def _look(raw: bytes) -> Picture:
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
    """Width and height from the first frame header; zeros if there is none."""
    at = 2
    while at + 9 <= len(raw) and raw[at] == 0xFF:
        marker = raw[at + 1]
        if marker in _JPEG_SIZE_MARKERS:
            return _big(raw, at + 7, 2), _big(raw, at + 5, 2)
        if marker == 0xFF:
            at += 1
        elif marker in _JPEG_BARE_MARKERS:
            at += 2
        else:
            at += 2 + _big(raw, at + 2, 2)
    return 0, 0


def _webp_size(raw: bytes) -> tuple[int, int]:
    """Width and height from the first chunk, of any of the three kinds; zeros if it is cut."""
    if len(raw) < 30:
        return 0, 0
    match raw[12:16]:
        case b"VP8X":
            return 1 + _little(raw, 24, 3), 1 + _little(raw, 27, 3)
        case b"VP8L":
            bits = _little(raw, 21, 4)
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            return _little(raw, 26, 2) & 0x3FFF, _little(raw, 28, 2) & 0x3FFF
        case _:
            return 0, 0


def _big(raw: bytes, at: int, length: int) -> int:
    return int.from_bytes(raw[at : at + length], "big")


def _little(raw: bytes, at: int, length: int) -> int:
    return int.from_bytes(raw[at : at + length], "little")
