"""The Messages API's rules about images, checked by their first bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.formats.pictures import (
    MANY,
    MAX_CHARS,
    MAX_PICTURES,
    MAX_SIDE,
    MAX_SIDE_OF_MANY,
    MEDIA_TYPES,
    Picture,
    picture_of,
)
from app.validity.base import EVERYWHERE, Location, Report, shown


class ImageRules:
    """Checks each image block once; holds those whose size limit depends on the number of images."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._count = 0
        self._large: list[tuple[Location, Picture]] = []

    def see(self, block: Mapping[str, Any], location: Location) -> None:
        """Check the next image block, wherever it is."""
        self._count += 1
        source = block.get("source")
        if not isinstance(source, Mapping):
            self._report.add("anthropic.image-empty", location, "no source")
        elif source.get("type") == "base64":
            self._see_base64(source, location)

    def end(self) -> None:
        """Check the number of images after the last one."""
        if self._count > MANY:
            for location, picture in self._large:
                self._report_pixels(location, picture, MAX_SIDE_OF_MANY)
        if self._count > MAX_PICTURES:
            self._report.add("anthropic.image-count", EVERYWHERE, str(self._count))

    def _see_base64(self, source: Mapping[str, Any], location: Location) -> None:
        declared, data = source.get("media_type"), source.get("data")
        known = declared in MEDIA_TYPES if isinstance(declared, str) else False
        if not known:
            self._report.add("anthropic.image-type", location, shown(declared))
        picture = picture_of(data)
        if picture is None or not isinstance(data, str):
            self._report.add("anthropic.image-empty", location)
            return
        if len(data) > MAX_CHARS:
            self._report.add("anthropic.image-size", location, f"{len(data)} base64 characters")
        if known:
            self._see_picture(declared, picture, location)

    def _see_picture(self, declared: Any, picture: Picture, location: Location) -> None:
        if picture.media_type != declared:
            found = picture.media_type or "no image"
            self._report.add("anthropic.image-bytes", location, f"declared {declared}, found {found}")
        if picture.side > MAX_SIDE:
            self._report_pixels(location, picture, MAX_SIDE)
        elif picture.side > MAX_SIDE_OF_MANY:
            self._large.append((location, picture))

    def _report_pixels(self, location: Location, picture: Picture, limit: int) -> None:
        self._report.add(
            "anthropic.image-pixels", location, f"{picture.width} x {picture.height}, limit {limit}"
        )
