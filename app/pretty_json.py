"""Pretty-printing JSON with every number and string spelled as in the file."""

from __future__ import annotations

import re
from typing import Final

INDENT: Final = "  "
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)


def pretty_json(text: str) -> str:
    """`text` with a line for each member and item; text that is not JSON loses nothing but whitespace.

    Nothing is parsed, so strings, numbers and the order of keys are those of the text.
    """
    tokens = [found[0] for found in _TOKEN.finditer(text)]
    pieces: list[str] = []
    depth = 0
    for position, token in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else ""
        if token in "{[":
            depth += 1
            pieces.append(token if following in ("}", "]") else token + _line(depth))
        elif token in "}]":
            depth = max(0, depth - 1)
            is_empty = position > 0 and tokens[position - 1] in ("{", "[")
            pieces.append(token if is_empty else _line(depth) + token)
        elif token == ",":
            pieces.append(token + _line(depth))
        elif token == ":":
            pieces.append(": ")
        else:
            pieces.append(token)
    return "".join(pieces)


def _line(depth: int) -> str:
    # Hostile nesting must not make the output grow quadratically.
    return "\n" + INDENT * min(depth, 40)
