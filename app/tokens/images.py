"""Tokens of an image: its size in pixels from the head of its data, then the provider's rule."""

from __future__ import annotations

import math
from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Callable
from typing import TypeAlias

from app.formats.pictures import look
from app.model import Image

Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""

Rule: TypeAlias = Callable[[int, int], int]
"""Returns the tokens of an image, given its width and height in pixels."""

UNKNOWN_SIZE: Size = (1092, 1092)
"""Used if the size cannot be read: about the largest that Claude does not scale down."""

_HEAD_CHARS = 131_072
"""Characters of base64 that are decoded at most: in a JPEG the size comes after its embedded preview."""


def claude_rule(long_edge: int, most: int) -> Rule:
    """Anthropic's rule: scaled down to `long_edge` pixels and `most` tokens, then one token per 28 x 28.

    Source: platform.claude.com/docs/en/build-with-claude/vision. An older wording of the same page,
    width x height / 750, gives 5 % more.
    """

    def tokens(width: int, height: int) -> int:
        scale = min(1.0, long_edge / max(width, height))
        return min(most, math.ceil(width * scale / 28) * math.ceil(height * scale / 28))

    return tokens


def openai_rule(base: int, tile: int) -> Rule:
    """OpenAI's rule for high detail: into 2048 x 2048, the short side to 768, then tiles of 512 x 512.

    Source: platform.openai.com/docs/guides/images-vision, "Calculating costs".
    """

    def tokens(width: int, height: int) -> int:
        scale = min(1.0, 2048 / max(width, height))
        scale *= min(1.0, 768 / (min(width, height) * scale))
        return base + tile * math.ceil(width * scale / 512) * math.ceil(height * scale / 512)

    return tokens


def flat_rule(each: int) -> Rule:
    """The rule of a provider that charges the same for an image of any size."""
    return lambda width, height: each


def image_tokens(image: Image, rule: Rule, *, read: bool = True) -> int:
    """Tokens of `image`; with `read` off only its preview is searched for the size."""
    return rule(*(image_size(image, read=read) or UNKNOWN_SIZE))


def image_size(image: Image, *, read: bool = True) -> Size | None:
    """Width and height in pixels; None for a URL, a damaged image or an unknown type."""
    found = pixel_size(_decoded(image.data.preview))
    if found is None and read and image.data.chars > len(image.data.preview):
        found = pixel_size(_decoded(image.data.read()[:_HEAD_CHARS]))
    return found


def _decoded(text: str) -> bytes:
    """The bytes of the complete base64 groups in `text`, without a `data:` prefix."""
    if text.startswith("data:"):
        text = text.partition(",")[2]
    text = "".join(text.split())
    try:
        return a2b_base64(text[: len(text) // 4 * 4].encode("ascii"))
    except (Base64Error, UnicodeEncodeError):
        return b""


def pixel_size(head: bytes) -> Size | None:
    """The size in the head of a PNG, GIF, WebP or JPEG file; None if there is no positive one."""
    picture = look(head)
    return (picture.width, picture.height) if picture.width > 0 and picture.height > 0 else None
