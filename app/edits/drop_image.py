"""A picture goes, and the words beside it stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.edits.images import ImageEdit
from app.model import Image


@dataclass(frozen=True, kw_only=True)
class DropImage(ImageEdit):
    """Removes images from messages and results; leaves a line only where nothing else would remain."""

    name: ClassVar[str] = "drop_image"
    title: ClassVar[str] = "drop image"
    done: ClassVar[str] = "dropped"
    unfit: ClassVar[str] = "there is no image in it"

    def line(self, image: Image) -> str:
        return ""
