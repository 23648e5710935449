"""How full the context window is, and with what."""

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct
from rich.segment import Segment
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from app.display import UNICODE, Glyphs, cells, fit, human_number, one_line, percent, short_number

SHARES: Final = ("kept", "superseded", "regenerable", "error", "compacted", "free")
"""What the bar is made of, in the order of `Glyphs.bar`; the last is what is left of the window."""
WIDE: Final = 100
"""Cells from which on the estimator is named."""
LEAST_BAR: Final = 18
"""Cells that the bar keeps when words are chosen for how the figures were got."""


class UsageFigures(Struct, frozen=True):
    """Tokens of the live segment by what they are; `kept` is all that no stage would take."""

    window: int
    kept: int = 0
    superseded: int = 0
    regenerable: int = 0
    error: int = 0
    compacted: int = 0
    estimator: str = ""
    calibration: str = ""
    """What the session's own usage says of the estimate."""
    margin: str = ""
    """By how much it may be off, in a few signs."""
    exact: bool = False
    """Whether the figures were counted; estimates carry `~`."""
    note: str = ""
    """Stands at the right of the legend when there is room."""

    @property
    def total(self) -> int:
        return self.kept + self.superseded + self.regenerable + self.error + self.compacted

    def parts(self) -> tuple[int, ...]:
        """Tokens of each of `SHARES`; nothing is free in a window that is overfull."""
        free = max(0, self.window - self.total)
        return (self.kept, self.superseded, self.regenerable, self.error, self.compacted, free)


class UsageBar(Widget):
    """A line with the total and a bar in one texture per share, and a legend line under it."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"usage-bar--{share}" for share in SHARES),
        "usage-bar--over",
        "usage-bar--legend",
    }
    DEFAULT_CSS = """
    UsageBar {
        height: 2;
        & > .usage-bar--kept { color: $text-success; }
        & > .usage-bar--superseded { color: $text-warning; }
        & > .usage-bar--regenerable { color: $text-warning; }
        & > .usage-bar--error { color: $text-error; }
        & > .usage-bar--compacted { color: $text-secondary; }
        & > .usage-bar--free { color: $text-muted; }
        & > .usage-bar--over { color: $text-error; text-style: bold; }
        & > .usage-bar--legend { color: $text-muted; }
    }
    """

    glyphs: reactive[Glyphs] = reactive(UNICODE)

    def __init__(
        self,
        figures: UsageFigures | None = None,
        *,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 (Textual's name)
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._figures = figures or UsageFigures(window=0)
        self.set_reactive(UsageBar.glyphs, glyphs)

    def show(self, figures: UsageFigures) -> None:
        """Draw other figures."""
        self._figures = figures
        self.refresh()

    def render_line(self, y: int) -> Strip:
        if y > 1:
            return Strip.blank(self.size.width, self.rich_style)
        segments = self._bar_line() if y == 0 else self._legend_line()
        return Strip(segments).crop_extend(0, self.size.width, self.rich_style)

    def _bar_line(self) -> list[Segment]:
        figures, width = self._figures, self.size.width
        is_over = figures.total > figures.window
        about = "" if figures.exact else "~"
        total = f" {about}{human_number(figures.total)} of {human_number(figures.window)} tokens"
        share = f" {percent(figures.total, figures.window):>4} "
        method = self._method(width - len(total) - len(share) - 4 - LEAST_BAR)
        room = width - len(total) - cells(method) - len(share) - 4
        bar = self._bar(max(0, room)) if room >= 10 else []
        plain = self.rich_style
        return [
            Segment(total, self.get_component_rich_style("usage-bar--over") if is_over else plain),
            Segment(method, self.get_component_rich_style("usage-bar--legend")),
            *([Segment("  [", plain), *bar, Segment("]", plain)] if bar else []),
            Segment(share, self.get_component_rich_style("usage-bar--over") if is_over else plain),
        ]

    def _method(self, room: int) -> str:
        """How the figures were got: as much of it as has room."""
        figures = self._figures
        short = "" if figures.exact else " ".join(filter(None, ("est.", figures.margin)))
        name = figures.estimator
        whole = ", ".join(filter(None, (name, figures.calibration)))
        found = (one_line(words, cells(words), self.glyphs) for words in (whole, name) if words)
        fits = (words for words in found if self.size.width >= WIDE and cells(words) + 3 <= room)
        words = next(fits, short)
        return f" ({words})" if words else ""

    def _bar(self, width: int) -> list[Segment]:
        lengths = apportion(self._figures.parts(), width)
        return [
            Segment(glyph * length, self.get_component_rich_style(f"usage-bar--{share}"))
            for share, glyph, length in zip(SHARES, self.glyphs.bar, lengths, strict=True)
            if length
        ]

    def _legend_line(self) -> list[Segment]:
        figures, width = self._figures, self.size.width
        muted = self.get_component_rich_style("usage-bar--legend")
        segments = [Segment(" ", self.rich_style)]
        used = 1
        for share, sign, words in self._legend(width - 1):
            segments.append(Segment(sign, self.get_component_rich_style(f"usage-bar--{share}")))
            segments.append(Segment(words, muted))
            used += cells(sign + words)
        note = one_line(figures.note, cells(figures.note), self.glyphs)
        if note and used + cells(note) < width:
            segments.append(Segment(fit(note, width - used - 1, self.glyphs, right=True), self.rich_style))
        return segments

    def _legend(self, width: int) -> list[tuple[str, str, str]]:
        """(share, texture, words) of what is not nothing; the smallest shares give way, free last."""
        parts = self._figures.parts()
        entries = {
            share: (share, f"{glyph} ".lstrip(), f"{share} {short_number(tokens)}  ")
            for share, glyph, tokens in zip(SHARES, self.glyphs.bar, parts, strict=True)
            if tokens
        }
        sizes = dict(zip(SHARES, parts, strict=True))
        while entries and sum(cells(sign + words) for _, sign, words in entries.values()) - 2 > width:
            del entries[min(entries, key=lambda share: (share == "free", sizes[share]))]
        return list(entries.values())


def apportion(parts: tuple[int, ...], width: int) -> list[int]:
    """Cells for each part: `width` in all, at least one for what is not nothing, if there is room."""
    whole = sum(parts)
    if whole <= 0 or width <= 0:
        return [0] * len(parts)
    exact = [part * width / whole for part in parts]
    lengths = [max(int(share), 1 if part > 0 else 0) for share, part in zip(exact, parts, strict=True)]
    while sum(lengths) > width:
        lengths[lengths.index(max(lengths))] -= 1
    while sum(lengths) < width:
        lacking = [share - length for share, length in zip(exact, lengths, strict=True)]
        lengths[lacking.index(max(lacking))] += 1
    return lengths
