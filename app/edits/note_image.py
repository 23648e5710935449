"""A picture becomes a line that says what it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.display import human_bytes
from app.edits.images import ImageEdit
from app.model import Image
from app.stages.base import option
from app.tokens.images import image_size


@dataclass(frozen=True, kw_only=True)
class NoteImage(ImageEdit):
    """Replaces images with a line that gives type, size in pixels and bytes."""

    name: ClassVar[str] = "note_image"
    title: ClassVar[str] = "note image"
    done: ClassVar[str] = "noted"
    unfit: ClassVar[str] = "there is no image in it"

    note: str = option("", "a note to add: what the image showed")

    def line(self, image: Image) -> str:
        kind = image.media_type.removeprefix("image/").upper()
        size = image_size(image)
        pixels = f"{size[0]} x {size[1]} pixels" if size else ""
        # Base64 has four characters for three bytes; without a type the data is an address.
        weight = human_bytes(image.data.chars * 3 // 4) if kind else ""
        facts = ", ".join(filter(None, (kind, pixels, weight, " ".join(self.note.split()))))
        return f"[Image removed: {facts}]" if facts else "[Image removed]"
