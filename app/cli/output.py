"""What the commands print: plain lines or one JSON object, never a control character of a session."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO, TypeAlias

from app.display import cells, safe_text
from app.json_out import json_pieces
from app.model import Notice

LINES_NAMED = 5
"""Line numbers named for notices of one word."""

Told: TypeAlias = tuple[dict[str, Any], ...]
"""What the proofs of written summaries found, for JSON."""


def say(*lines: str) -> None:
    """Print lines to standard output, made safe for a terminal."""
    for line in lines:
        _put(line, sys.stdout)


def complain(line: str) -> None:
    """Print one line to standard error, made safe for a terminal."""
    _put(line, sys.stderr)


def say_json(value: Any) -> None:
    """Print one JSON object in ASCII, so that no terminal and no pipe can be led by it."""
    sys.stdout.writelines(json_pieces(value))


def progress(text: str) -> None:
    """Show what is going on in the place of the line before; only on a terminal."""
    if sys.stderr.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb":
        sys.stderr.write(f"\r{safe_text(text)[:78]:<78}\r")
        sys.stderr.flush()


def say_json_line(value: Any) -> None:
    """Print one JSON object on a line of its own, at once: others follow."""
    sys.stdout.write(json.dumps(value, ensure_ascii=True, allow_nan=False) + "\n")
    sys.stdout.flush()


BAR_CELLS = 24


def bar(share: float, text: str) -> None:
    """Show how far something is, in the place of the line before; only on a terminal."""
    full = int(share * BAR_CELLS)
    progress(f"[{'#' * full}{'.' * (BAR_CELLS - full)}] {share:4.0%}  {text}")


def end_of_bar() -> None:
    """Make room for what is printed next."""
    progress("")


def notice_lines(notices: Iterable[Notice]) -> list[str]:
    """What is to be known of a file, a line for each word; many of one word are counted."""
    held: dict[str, list[Notice]] = {}
    for notice in notices:
        held.setdefault(notice.word, []).append(notice)
    lines = []
    for word, same in held.items():
        places = [str(notice.line) for notice in same if notice.line is not None]
        shown = ", ".join(places[:LINES_NAMED]) + (" ..." if len(places) > LINES_NAMED else "")
        where = f"line {shown}: " if len(places) == 1 else f"lines {shown}: " if places else ""
        times = f" ({len(same)} times)" if len(same) > 1 else ""
        lines.append(f"! {word}{times}  {where}{same[0].detail}".rstrip(": "))
    return lines


def columns(rows: Iterable[tuple[str, ...]], right: frozenset[int] = frozenset()) -> list[str]:
    """Rows as aligned columns two blanks apart; `right` names those that are set to the right."""
    held = [tuple(safe_text(cell) for cell in row) for row in rows]
    if not held:
        return []
    taken = [[cells(cell) for cell in row] for row in held]
    widths = [max(column) for column in zip(*taken, strict=True)]
    lines = []
    for row, used in zip(held, taken, strict=True):
        parts = []
        for i, cell in enumerate(row):
            blanks = " " * (widths[i] - used[i])
            parts.append(blanks + cell if i in right else cell + blanks)
        lines.append("  ".join(parts).rstrip())
    return lines


def _put(line: str, stream: TextIO) -> None:
    encoding = stream.encoding or "utf-8"
    text = safe_text(line).encode(encoding, "backslashreplace").decode(encoding)
    stream.write(text + "\n")
