r"""Finding user names in paths (`/home/ada/`, `C:\Users\ada\`, folder names made of them) and e-mail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.secret_shapes import Secret

NAME: Final = "user name in a path"
ADDRESS: Final = "e-mail address"

NOBODY: Final = frozenset(
    {
        "user", "shared", "public", "default", "all", "guest", "root", "runner", "ubuntu", "debian", "node",
        "vscode", "codespace", "app", "dev", "name", "username", "you", "me", "your-name", "linuxbrew",
    }
)  # fmt: skip
"""Names that identify no person: container images, services, examples."""

NAME_NEEDLES: Final = ("/home/", "/users/", "\\users\\", "-home-", "-users-", "%2fhome%2f", "%2fusers%2f")
_path: Final = re.compile(
    r"(?:/(?:home|Users)/|[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2}|\\Users\\|%2F(?:home|Users)%2F)"
    r"(?P<name>[^\s/\\\"'`<>|:;,()\[\]{}%$*?&=#]{1,64})",
    re.IGNORECASE,
)
_slug: Final = re.compile(r"(?<![A-Za-z0-9])-(?:home|Users)-(?P<name>[A-Za-z0-9_.]{1,64})")
"""Agents name a project's folder after its path, with `-` for every other character."""
_stand_in: Final = re.compile(r"user[b-z]+")
"""The replacement that masking gives a name."""
_mail: Final = re.compile(
    r"(?<![\w.+-])(?!git@|someone\d+@masked\.invalid)[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24}\b"
)


def find_names(text: str) -> Iterator[Secret]:
    """Every user name in a path; a span covers the name only. Linear in the text."""
    lowered = text.lower()
    if not any(needle in lowered for needle in NAME_NEEDLES):
        return
    for pattern in (_path, _slug):
        for match in pattern.finditer(text):
            name = match["name"].rstrip(".")
            if name and name.lower() not in NOBODY and not _stand_in.fullmatch(name):
                yield Secret(NAME, match.start("name"), match.start("name") + len(name))


def find_addresses(text: str) -> Iterator[Secret]:
    """Every e-mail address, except `git@host`."""
    if "@" in text:
        yield from (Secret(ADDRESS, *match.span()) for match in _mail.finditer(text))
