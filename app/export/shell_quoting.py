"""Quotes words of command lines that a person copies into a shell."""

from __future__ import annotations

import shlex

from app.display import safe_text


def quoted(word: str) -> str:
    """Quote a word for a shell so that it contains no terminal control characters.

    Unprintable characters become octal escapes in `$'...'` (POSIX 2024; bash, zsh and ksh have long had it).
    """
    if safe_text(word) == word:
        return shlex.quote(word)
    return "$'" + "".join(map(_shell_sign, word)) + "'"


def _shell_sign(char: str) -> str:
    if char in "'\\":
        return f"\\{char}"
    if char.isprintable() and safe_text(char) == char:
        return char
    # Python decodes non-UTF-8 bytes of file names as these surrogates; other lone surrogates are kept.
    handler = "surrogateescape" if 0xDC80 <= ord(char) <= 0xDCFF else "surrogatepass"
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", handler))
