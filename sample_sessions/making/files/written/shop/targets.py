"""Where a login may send a visitor: to a page of this shop, and nowhere else."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

HOME = "/"
NEVER = ("/login", "/logout")
"""Pages that would send the visitor round in a circle, or out again."""


def safe_target(wanted: str) -> str:
    """`wanted` when it is a path of this shop, else the home page.

    Browsers are generous readers: `//host` is another host, a backslash counts as a slash, and
    control characters inside an address are dropped before it is understood. Whatever could be
    read so is not a path for us. The target itself is never logged: it can hold an order number.
    """
    plain = unquote(wanted)
    if any(ord(sign) <= 32 or sign == "\\" for sign in plain):
        return HOME
    if not plain.startswith("/") or plain.startswith("//"):
        return HOME
    parts = urlsplit(wanted)
    if parts.scheme or parts.netloc or parts.path.rstrip("/") in NEVER:
        return HOME
    return wanted
