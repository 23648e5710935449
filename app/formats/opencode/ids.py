"""opencode's ids: a kind, 12 hexadecimal digits that grow with time, and a suffix that makes them unique.

Messages and parts are ordered by their ids, so a new session's ids must sort like the old ones.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable, Mapping
from typing import Final

from app.formats.opencode.names import ID

_SIGNS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_REST: Final = 14
_LAST: Final = "z"

_quoted = re.compile(rb'"((?:ses|msg|prt)_[^"\\]++)"')


def fresh_session_id() -> str:
    """An id for a new session, made as the client does: sessions sort newest first."""
    moment = int(time.time() * 1000) * 0x1000 + 1
    import secrets  # imported lazily: it takes milliseconds, and new sessions are rare

    rest = "".join(secrets.choice(_SIGNS) for _ in range(_REST))
    return f"ses_{(~moment) & 0xFFFFFFFFFFFF:012x}{rest}"


def renamed(old: Iterable[str], seed: str) -> dict[str, str]:
    """New ids for messages and parts, deterministic for a `seed`, with the same length and order.

    An id of an unknown form gets another suffix.
    """
    names: dict[str, str] = {}
    stems: dict[str, list[str]] = {}
    for ident in sorted(set(old)):
        found = ID.fullmatch(ident)
        stem = f"{found['kind']}_{found['time']}" if found else ident
        stems.setdefault(stem, []).append(ident)
    for stem, group in stems.items():
        length = max(len(ident) - len(stem) for ident in group) or _REST
        rests = sorted(_rest(f"{seed}/{ident}", length) for ident in group)
        names.update((ident, f"{stem}{rest}") for ident, rest in zip(group, rests, strict=True))
    return names


def after(ident: str, following: str | None, kind: str, number: int, seed: str) -> str:
    """The `number`th new id of a kind that sorts after `ident` (of any kind) and before `following`."""
    found = ID.fullmatch(ident)
    next_one = ID.fullmatch(following) if following is not None else None
    moment = int(found["time"], 16) if found else 0
    rest = _rest(f"{seed}/{kind}/{ident}/{number}", _REST - 4)
    if next_one is None or int(next_one["time"], 16) > moment + 1:
        return f"{kind}_{moment + 1:012x}{number:04d}{rest}"
    return f"{kind}_{moment:012x}{_LAST * 2}{number:04d}{rest[: _REST - 6]}"


def with_names(raw: bytes, names: Mapping[str, str]) -> bytes:
    """JSON with every string that is one of the ids `names` replaced; every other byte stays."""

    def name(found: re.Match[bytes]) -> bytes:
        new = names.get(found[1].decode("utf-8", "replace"))
        return found[0] if new is None else b'"' + new.encode() + b'"'

    return _quoted.sub(name, raw)


def _rest(text: str, length: int) -> str:
    """Characters derived from a text alone; the first is not among the last in sort order."""
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    signs = []
    for place in range(length):
        number, sign = divmod(number, 36 if place == 0 else len(_SIGNS))
        signs.append(_SIGNS[sign])
    return "".join(signs)
