"""Lines of a comparison with colours, where a terminal takes them; the signs say the same without."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from app.cli.output import say
from app.display import safe_text
from app.session_diff.lines import Line, Tone

_COLOURS = {Tone.HEAD: "1", Tone.CHANGED: "33", Tone.GONE: "31", Tone.ADDED: "32", Tone.FAINT: "2"}
"""SGR parameters."""


def say_lines(lines: Iterable[Line]) -> None:
    """Print lines as they come, made safe for a terminal."""
    has_colours = _has_colours()
    for line in lines:
        colour = _COLOURS.get(line.tone)
        if colour is None or not has_colours:
            say(line.text)
        else:
            # Our own codes around a text in which no code is left.
            encoding = sys.stdout.encoding or "utf-8"
            text = safe_text(line.text).encode(encoding, "backslashreplace").decode(encoding)
            sys.stdout.write(f"\x1b[{colour}m{text}\x1b[0m\n")


def _has_colours() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
