"""Making session text safe for a terminal, measuring it in cells, and formatting numbers.

Session text is written by models, tools and web pages: it may hold sequences that write the
clipboard, move the cursor or reverse a line. `safe_text` and `safe_lines` are the only way from a
session to the screen. Widths are terminal cells throughout, never characters.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from rich.cells import cell_len

TAB_CELLS: Final = 4
"""Distance of tab stops in cells; small, because panes are narrow."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters that the screens draw with.

    The ascii set holds nothing but ASCII: characters of ambiguous width (box lines, the ellipsis,
    the middle dot) take two cells in some terminals with East Asian settings.
    """

    name: str
    bar: tuple[str, str, str, str, str, str]
    """Textures of the usage bar: kept, superseded, regenerable, error, compacted, free."""
    ellipsis: str
    rule: str
    column: str
    """Separates the two halves of a row."""
    dot: str
    """Separates two facts on one line."""
    arrow: str
    border: str
    """Name of a Textual border."""
    levels: str
    """Partly filled cells, from the lowest to the highest."""
    cursor: str = ">"
    pinned: str = "*"
    marked: str = "+"
    warning: str = "!"
    done: str = "v"
    waiting: str = "-"
    skipped: str = "x"
    nothing: str = "="
    here: str = "^"
    """Marks the cursor's position on the line below."""
    rewritten: str = ">"
    """From here on a request is written to the provider's cache again."""
    frozen: str = "]"
    """Everything before it may not be changed."""
    pictures: bool = False
    """Whether a control character is shown as its control picture instead of `^[`."""


UNICODE: Final = Glyphs(
    name="unicode",
    bar=("█", "▓", "▒", "▚", "░", " "),
    ellipsis="…",
    rule="─",
    column="│",
    dot="·",
    arrow="→",
    border="round",
    levels="▁▂▃▄▅▆▇█",
    done="✓",
    skipped="×",
    pictures=True,
)
ASCII: Final = Glyphs(
    name="ascii",
    bar=("#", "=", ":", "%", ".", " "),
    ellipsis="...",
    rule="-",
    column="|",
    dot="-",
    arrow="->",
    border="ascii",
    levels=".:-=+*%#",
)


def glyphs_for(env: Mapping[str, str], encoding: str | None) -> Glyphs:
    """The glyph set for a terminal: ascii unless the locale is UTF-8 and the terminal has the glyphs.

    `encoding` is that of standard output. The Linux console (TERM=linux) and dumb terminals have
    fonts of a few hundred glyphs.
    """
    try:
        is_utf8 = encoding is not None and codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        is_utf8 = False
    return UNICODE if is_utf8 and env.get("TERM") not in ("linux", "dumb") else ASCII


# Every code point that a terminal acts on, that reverses text, or that is invisible although it
# carries meaning: controls, format characters, fillers, variation selectors, tags, lone surrogates.
_RISKY_CLASS = (
    r"\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_RISKY = re.compile(f"[{_RISKY_CLASS}]")

# The same code points where they are part of a character: emoji sequences (UTS 51), keycaps,
# ideographic variants, and the non-joiner in scripts that use it.
_KEPT_OR_RISKY = (
    r"(\p{Extended_Pictographic}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier})?"
    r"(?:\u200d\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)*"
    r"|[0-9#*]\ufe0f\u20e3"
    r"|\p{Han}[\ufe00-\ufe02\U000e0100-\U000e01ef]"
    r"|[\p{Arabic}\p{Devanagari}\p{Bengali}\p{Tamil}\p{Telugu}\p{Kannada}\p{Malayalam}\p{Khmer}]\u200c)"
    rf"|[{_RISKY_CLASS}]"
)


@cache
def _compiled(pattern: str) -> Any:
    """A pattern with Unicode properties. Few runs need one, so the `regex` library is imported lazily."""
    import regex

    return regex.compile(pattern)


def safe_text(text: str, glyphs: Glyphs = UNICODE) -> str:
    """`text` on one line, with every code point that could act, hide or reverse text made visible.

    Line ends and tabs become visible too; use `safe_lines` for text of several lines. The result
    holds no control, format or surrogate code point except inside emoji sequences and the
    non-joiner of scripts written with it. Idempotent.
    """
    if text.isascii():
        return text if text.isprintable() else text.translate(_ASCII_SIGNS[glyphs.pictures])
    if not _RISKY.search(text):
        return text
    shown: str = _compiled(_KEPT_OR_RISKY).sub(lambda found: found[1] or _spell(found[0], glyphs), text)
    return shown


# How C0 and DEL are shown: caret notation, or control pictures.
_ASCII_SIGNS: Final[Mapping[bool, dict[int, str]]] = {
    False: {code: f"^{chr(code ^ 0x40)}" for code in (*range(0x20), 0x7F)},
    True: {**{code: chr(0x2400 + code) for code in range(0x20)}, 0x7F: "\u2421"},
}


def _spell(char: str, glyphs: Glyphs) -> str:
    return _ASCII_SIGNS[glyphs.pictures].get(ord(char)) or f"<U+{ord(char):04X}>"


def escaped(text: str) -> str:
    """Any text as one editable line: backslashes and unsafe code points as `\\\\`, `\\n`, `\\u202e` ..."""
    return printable(text.replace("\\", "\\\\"))


def printable(text: str) -> str:
    """The text with unsafe code points written as `\\n`, `\\u202e` ...; backslashes are not escaped."""
    if text.isprintable() and not _RISKY.search(text):
        return text
    return "".join([c if c.isprintable() and not _RISKY.match(c) else _escape(c) for c in text])


def unescaped(line: str) -> str:
    """The inverse of `escaped`; a backslash before anything else is kept literally."""
    return _ESCAPE.sub(lambda found: _UNESCAPED.get(found[1]) or chr(int(found[1][1:], 16)), line)


_UNESCAPED: Final = {"\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
_ESCAPE = re.compile(r"\\(\\|n|t|r|u[0-9a-fA-F]{4}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})")


def _escape(char: str) -> str:
    short = next((f"\\{letter}" for letter, plain in _UNESCAPED.items() if plain == char), None)
    code = ord(char)
    return short or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def safe_lines(text: str, glyphs: Glyphs = UNICODE) -> list[str]:
    """The lines of `text`, each safe, with tabs expanded to spaces.

    A line ends at LF or CRLF only: the other characters that `str.splitlines` splits at are content.
    The list has one entry more than there are line ends, so it is never empty.
    """
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines[:-1]] + lines[-1:]
    return [line if line.isascii() and line.isprintable() else safe_line(line, glyphs) for line in lines]


def safe_line(line: str, glyphs: Glyphs = UNICODE) -> str:
    """One line as `safe_lines` returns it; a line end inside it is made visible."""
    if "\t" not in line:
        return safe_text(line, glyphs)
    parts = [safe_text(part, glyphs) for part in line.split("\t")]
    spread = [part + " " * (TAB_CELLS - cells(part) % TAB_CELLS) for part in parts[:-1]]
    return "".join([*spread, parts[-1]])


# Characters that are one grapheme each, unless a mark follows: ASCII, one cell wide and one byte of
# UTF-8 long; kana, ideographs, Hangul syllables and their punctuation, two cells and three bytes.
_PLAIN = re.compile(
    r"[ -~\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*"
)

# One cell each: ASCII, and the ellipsis, dot and arrow of the Unicode glyph set.
_NARROW = re.compile(r"[ -~\u00b7\u2026\u2192]*")


def cells(text: str) -> int:
    """Width of safe text in terminal cells."""
    if text.isascii() or _NARROW.fullmatch(text):
        return len(text)
    if _PLAIN.fullmatch(text):
        return (len(text) + len(text.encode())) // 2
    return cell_len(text)


def cut(text: str, width: int) -> str:
    """The longest prefix of safe text of at most `width` cells that splits no grapheme."""
    if text.isascii():
        return text[: max(width, 0)]
    plain = _PLAIN.match(text, 0, max(width, 0) + 2)
    # The last one may be the start of a longer grapheme.
    length = max(0, plain.end() - 1) if plain else 0
    used = 0
    for index, char in enumerate(text[:length]):
        used += 1 if char <= "~" else 2
        if used > width:
            return text[:index]
    for found in _compiled(r"\X").finditer(text, pos=length):
        used += cells(found[0])
        if used > width:
            return text[:length]
        length = found.end()
    return text


def wrap_points(text: str, width: int, also: str = "") -> list[int]:
    """Offsets at which rows after the first begin when safe text is wrapped to `width` cells.

    A row breaks after a space, or a character of `also`, if there is one in its last two thirds, else
    between two graphemes. The space itself may stick out by one cell.
    """
    width = max(width, 2)
    points: list[int] = []
    start, stop = 0, _row_end(text, 0, width)
    while stop < len(text):
        first = start + width // 3
        last = max(text.rfind(" ", first, stop + 1), *(text.rfind(sign, first, stop) for sign in also), -1)
        start = stop if last < 0 else last + 1
        if start == len(text):
            break
        points.append(start)
        stop = _row_end(text, start, width)
    return points


def _row_end(text: str, start: int, width: int) -> int:
    if text.isascii():
        return start + width
    # Enough for a row of decomposed characters; a longer cluster of marks is cut at this length.
    head = text[start : start + 4 * width + 32]
    return start + (len(cut(head, width)) or 1)


def fit(text: str, width: int, glyphs: Glyphs = UNICODE, *, right: bool = False) -> str:
    """Safe text in exactly `width` cells: padded (on the left if `right`), or cut with an ellipsis."""
    used = cells(text)
    if used > width:
        dots = glyphs.ellipsis if width > len(glyphs.ellipsis) else ""
        text = cut(text, width - len(dots)) + dots
        used = cells(text)
    blanks = " " * (width - used)
    return blanks + text if right else text + blanks


def one_line(text: str, width: int, glyphs: Glyphs = UNICODE) -> str:
    """A preview of any session text in exactly `width` cells: runs of whitespace become one space."""
    start = text.lstrip()
    head = start[: 4 * width + 64]
    flat = safe_text(" ".join(head.split()), glyphs)
    if len(head) < len(start) and cells(flat) <= width:
        flat += glyphs.ellipsis
    return fit(flat, width, glyphs)


def spread(left: str, right: str, width: int, glyphs: Glyphs = UNICODE) -> str:
    """Two session texts at both ends of `width` cells: the right one whole, the left one cut to fit."""
    right = safe_text(right, glyphs)
    return fit(safe_text(left, glyphs), max(0, width - cells(right) - 2), glyphs) + "  " + right


def ruled(text: str, width: int, glyphs: Glyphs = UNICODE) -> str:
    """Session text inside a horizontal rule of exactly `width` cells."""
    words = one_line(text, max(0, width - 6), glyphs).rstrip()
    line = f"{glyphs.rule * 4} {words} "
    return fit(line + glyphs.rule * max(0, width - cells(line)), width, glyphs)


def short_path(path: Path) -> str:
    """A path as a person writes it: beginning with `~` if it is inside the home folder."""
    home = Path.home()
    return (
        f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) and path != home else str(path)
    )


def human_number(number: int) -> str:
    """148210 as `148,210`."""
    return f"{number:,}"


def counted(number: int, noun: str, several: str = "") -> str:
    """`1 row`, `1,204 rows`; `several` is the plural if it is not formed with `s`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {several or f'{noun}s'}"


def size_of_text(lines: int, text: str) -> str:
    """`20 lines, 1,070 characters`."""
    return f"{counted(lines, 'line')}, {counted(len(text), 'character')}"


def short_number(number: int) -> str:
    """A number in at most five characters: `950`, `8.9k`, `61k`, `1.2M`, `34M`."""
    sign, size = ("-", -number) if number < 0 else ("", number)
    if size < 1_000:
        return f"{sign}{size}"
    for unit, factor in (("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)):
        if round(size / factor, 1) < 10:
            return f"{sign}{size / factor:.1f}{unit}"
        if round(size / factor) < 1_000 or unit == "G":
            return f"{sign}{size / factor:,.0f}{unit}"
    raise AssertionError


def human_bytes(size: int) -> str:
    """A size in binary units: `512 B`, `1.9 MiB`."""
    if size < 1024:
        return f"{size} B"
    amount = float(size)
    for unit in ("KiB", "MiB", "GiB"):
        amount /= 1024
        if round(amount, 1) < 1024:
            return f"{amount:.1f} {unit}"
    return f"{amount / 1024:.1f} TiB"


_AGES: Final = (
    (60 * 60, 60, "min"),
    (24 * 60 * 60, 60 * 60, "h"),
    (14 * 24 * 60 * 60, 24 * 60 * 60, "d"),
    (60 * 24 * 60 * 60, 7 * 24 * 60 * 60, "weeks"),
    (730 * 24 * 60 * 60, 30 * 24 * 60 * 60, "months"),
)


def human_age(seconds: float) -> str:
    """How long ago: `just now`, `3 h ago`, `5 weeks ago`. A time in the future is `just now`."""
    if seconds < 60:
        return "just now"
    for limit, unit_seconds, unit in _AGES:
        if seconds < limit:
            return f"{int(seconds // unit_seconds)} {unit} ago"
    return f"{int(seconds // (365 * 24 * 60 * 60))} years ago"


def percent(part: float, whole: float) -> str:
    """`74%`; never `0%` for a part above 0, never `100%` for less than the whole."""
    if whole <= 0:
        return "-"
    share = 100 * part / whole
    if 0 < share < 1:
        return "<1%"
    return f"{99 if 99 < share < 100 else round(share)}%"
