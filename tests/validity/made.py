"""What the tests of the checkers share: pairs from plain messages, the tables of cases, small pictures."""

from __future__ import annotations

import gc
import json
import struct
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"


def paired(messages: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """The messages with keys `k0`, `k1` ..."""
    return ((f"k{i}", message) for i, message in enumerate(messages))


def table(name: str) -> list[dict[str, Any]]:
    """A table of `data/validity`."""
    entries: list[dict[str, Any]] = json.loads((DATA / "validity" / f"{name}.json").read_text("utf-8"))
    return entries


def growth(work: Callable[[int], object]) -> float:
    """How many times as long `work` takes on ten times as much: about 10 if linear, 100 if quadratic."""

    def seconds(amount: int) -> float:
        start = time.process_time()
        work(amount)
        return time.process_time() - start

    gc.disable()  # its pauses grow with what other tests have left behind
    try:
        return min(seconds(10_000) for _ in range(2)) / min(seconds(1_000) for _ in range(5))
    finally:
        gc.enable()


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str = "hi") -> dict[str, Any]:
    return {"type": "text", "text": words}


def thinking(words: str, signature: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": words, "signature": signature}


def call(call_id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "Read", "input": {}}


def result(call_id: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "ok"}


def image(data: bytes, media_type: str = "image/png") -> dict[str, Any]:
    source = {"type": "base64", "media_type": media_type, "data": b64encode(data).decode()}
    return {"type": "image", "source": source}


def png(width: int, height: int, more: int = 0) -> bytes:
    """The start of a PNG of this size in pixels, with `more` bytes behind it."""
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + bytes(more)


def jpeg(width: int, height: int, before: int = 0) -> bytes:
    """The start of a JPEG of this size in pixels, with `before` bytes of other segments before the size."""
    segment = b"\xff\xe1" + struct.pack(">H", 60_002) + bytes(60_000)
    frame = b"\xff\xff\xc2\x00\x11\x08" + struct.pack(">HH", height, width) + bytes(10)
    return b"\xff\xd8" + segment * (before // 60_000) + frame


def webp(kind: bytes, width: int, height: int) -> bytes:
    """The start of a WebP of this size in pixels, by the kind of its first chunk."""
    match kind:
        case b"VP8X":
            size = bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        case b"VP8L":
            size = b"\x2f" + (width - 1 | height - 1 << 14).to_bytes(4, "little") + bytes(5)
        case _:
            size = bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", width, height)
    return b"RIFF\x00\x00\x00\x00WEBP" + kind + bytes(4) + size
