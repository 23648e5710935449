"""Pictures: their limits, and types and sizes read from their first bytes."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from app.formats.pictures import MAX_CHARS, Picture, picture_of
from app.validity import check_anthropic
from tests.validity.made import assistant, call, image, jpeg, paired, png, user, webp


def found(*images: dict[str, Any]) -> list[tuple[str, str]]:
    return [(v.rule.removeprefix("anthropic."), v.where) for v in check_anthropic(paired([user(*images)]))]


@pytest.mark.parametrize(
    ("data", "picture"),
    [
        (png(640, 480), Picture("image/png", 640, 480)),
        (b"GIF89a\x40\x01\xf0\x00", Picture("image/gif", 320, 240)),
        (jpeg(320, 240), Picture("image/jpeg", 320, 240)),
        (jpeg(320, 240, before=240_000), Picture("image/jpeg", 320, 240)),
        (b"\xff\xd8\xff\xe0\x00\x00\x00", Picture("image/jpeg")),
        (webp(b"VP8X", 9000, 20), Picture("image/webp", 9000, 20)),
        (webp(b"VP8L", 300, 16_000), Picture("image/webp", 300, 16_000)),
        (webp(b"VP8 ", 300, 200), Picture("image/webp", 300, 200)),
        (b"RIFF\x00\x00\x00\x00WEBPVP8", Picture("image/webp")),
        (b"\x89PNG\r\n\x1a\n", Picture("")),
        (b"<!doctype html>", Picture("")),
    ],
)
def test_type_and_size_are_read_from_the_bytes(data: bytes, picture: Picture) -> None:
    assert picture_of(b64encode(data).decode()) == picture


def test_what_is_no_base64_is_no_picture() -> None:
    assert [picture_of(data) for data in ("", "a", "a b=", None)] == [None] * 4


def test_the_limit_of_five_megabytes_is_on_the_encoded_text() -> None:
    just_over = png(10, 10, more=MAX_CHARS // 4 * 3)
    assert found(image(just_over)) == [("image-size", "messages[0].content[0]")]
    assert found(image(just_over[: MAX_CHARS // 4 * 3])) == []


def test_above_twenty_images_the_sides_are_held_shorter() -> None:
    large, small = image(png(2001, 10)), image(png(2000, 10))
    assert found(*[large] * 20) == []
    assert found(*[small] * 20, large) == [("image-pixels", "messages[0].content[20]")]


def test_a_hundred_images_are_the_most_wherever_they_stand() -> None:
    inside = {"type": "tool_result", "tool_use_id": "a", "content": [image(png(1, 1))] * 51}
    messages = [user(*[image(png(1, 1))] * 50), assistant(call("a")), user(inside)]
    assert [(v.rule, v.key, v.detail) for v in check_anthropic(paired(messages))] == [
        ("anthropic.image-count", "", "101")
    ]
    inside["content"] = inside["content"][:50]
    assert check_anthropic(paired(messages)) == []
