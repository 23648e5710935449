"""Words of a command line that a person copies into a shell."""

from __future__ import annotations

import shlex

from app.display import safe_text


def quoted(word: str) -> str:
    """A word for a shell, in which nothing is left that could act on a terminal.

    What is not printable is spelled within `$'...'` (POSIX 2024; bash, zsh and ksh have long had it).
    """
    if safe_text(word) == word:
        return shlex.quote(word)
    return "$'" + "".join(map(_shell_sign, word)) + "'"


def _shell_sign(char: str) -> str:
    if char in "'\\":
        return f"\\{char}"
    if char.isprintable() and safe_text(char) == char:
        return char
    # Python keeps bytes of file names that are no UTF-8 as these halves of pairs; any other half stays one.
    handler = "surrogateescape" if 0xDC80 <= ord(char) <= 0xDCFF else "surrogatepass"
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", handler))
