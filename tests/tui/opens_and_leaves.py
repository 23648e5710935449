"""A program of its own, in which nothing is imported yet: it opens a file and leaves."""

from __future__ import annotations

import asyncio

from app.tui.app import HandcompactApp, Opening
from tests.tui.on_screen import settle


def main(file: str) -> int:
    """0 when the file was opened."""
    return asyncio.run(_opened(file))


async def _opened(file: str) -> int:
    app = HandcompactApp(Opening(file=file))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        return 0 if "handcompact · shop.json" in text else 1
