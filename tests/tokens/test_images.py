"""A picture costs what the provider's size rule says, and its data is hardly read."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest

from app.model import Held, Image
from app.tokens.families import CLAUDE_NEW, CLAUDE_OLD, GPT_4O, GPT_5
from app.tokens.images import image_size, image_tokens, pixel_size


def png(width: int, height: int, body: int = 0) -> bytes:
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", width, height) + b"\x08" * (5 + body)


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x00" * 20


def jpeg(width: int, height: int, before: int = 0, marker: bytes = b"\xe1") -> bytes:
    segment = b"\xff" + marker + struct.pack(">H", before + 2) + b"\x07" * before
    frame = b"\xff\xc0" + struct.pack(">HBHH", 17, 8, height, width) + b"\x03" * 10
    return b"\xff\xd8" + segment + b"\xff\xd0\xff" + frame


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF\x00\x00\x00\x00WEBP" + kind + b"\x00" * 4 + body + b"\x00" * 10


def lossless(width: int, height: int) -> bytes:
    return b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14)


def extended(width: int, height: int) -> bytes:
    return b"\x10\x00\x00\x00" + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")


def picture(data: bytes, head: str = "") -> Image:
    return Image("k", Held(head + base64.b64encode(data).decode()), "image/png")


@pytest.mark.parametrize(
    "data",
    [
        png(1280, 720),
        gif(1280, 720),
        jpeg(1280, 720),
        jpeg(1280, 720, before=60_000),
        jpeg(1280, 720, before=400, marker=b"\xc4"),
        webp(b"VP8 ", b"\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", 1280, 720)),
        webp(b"VP8L", lossless(1280, 720)),
        webp(b"VP8X", extended(1280, 720)),
    ],
    ids=[
        "png",
        "gif",
        "jpeg",
        "jpeg behind a preview",
        "jpeg behind a table",
        "webp lossy",
        "webp lossless",
        "webp extended",
    ],
)
def test_size_of_each_kind(data: bytes) -> None:
    assert image_size(picture(data)) == (1280, 720)
    assert image_size(picture(data, "data:image/png;base64,")) == (1280, 720)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        png(0, 720),
        b"\xff\xd8" + b"\xff" * 3_000,
        b"\xff\xd8\xff\xe1\x00\x00" * 50,
        b"\xff\xd8\xff\xd9",
        b"RIFF\x00\x00\x00\x00WEBPABCD" + b"\x00" * 30,
        b"BM" + b"\x00" * 60,
        bytes(range(256)),
    ],
)
def test_a_damaged_picture_has_no_size_and_a_sane_price(data: bytes) -> None:
    assert pixel_size(data) is None
    assert image_tokens(picture(data), CLAUDE_OLD.image) == 1_521


@pytest.mark.parametrize("text", ["https://example.org/a.png", "no base64 §", "data:,", "A"])
def test_what_is_no_base64_has_no_size(text: str) -> None:
    assert image_size(Image("k", Held(text))) is None


@pytest.mark.parametrize(
    ("size", "old", "new"),
    [
        ((200, 200), 64, 64),
        ((1000, 1000), 1296, 1296),
        ((1920, 1080), 1568, 2691),
        ((8000, 8000), 1568, 4784),
    ],
)
def test_claude(size: tuple[int, int], old: int, new: int) -> None:
    block = picture(png(*size))
    assert image_tokens(block, CLAUDE_OLD.image) == old
    assert image_tokens(block, CLAUDE_NEW.image) == new


def test_openai_tiles() -> None:
    # The provider's own two examples, and a picture so thin that a side shrinks to nothing.
    assert image_tokens(picture(png(1024, 1024)), GPT_4O.image) == 765
    assert image_tokens(picture(png(2048, 4096)), GPT_4O.image) == 1105
    assert image_tokens(picture(png(1024, 1024)), GPT_5.image) == 630
    assert image_tokens(picture(png(2**31, 1)), GPT_4O.image) == 85 + 4 * 170


def test_the_rough_size_comes_from_the_preview() -> None:
    class Unread(Held, frozen=True):
        def read(self) -> Any:
            raise AssertionError("the picture was read")

    data = base64.b64encode(png(1000, 1000, body=500_000)).decode()
    assert image_tokens(Image("k", Unread(data)), CLAUDE_OLD.image) == 1296
    late = base64.b64encode(jpeg(1000, 1000, before=50_000)).decode()
    assert image_tokens(Image("k", Unread(late)), CLAUDE_OLD.image, read=False) == 1_521
