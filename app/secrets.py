"""Strings that look like keys: counted before a text leaves the machine, and findable for masking.

Only well-known shapes, and assignments to names that say what they hold. What is found may be an
example from a document, and a secret of no known shape is not found: the count is a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Secret:
    """One string that looks like a key, by where it stands."""

    kind: str
    """Whose key it looks like, in a word or two."""
    start: int
    end: int
    """Code points; the secret itself, not the name it is given to."""


def find_secrets(text: str) -> Iterator[Secret]:
    """Every secret-like string, in order; none overlaps another. Linear in the text."""
    kinds = _possible(text)
    for found in _pattern(kinds).finditer(text) if kinds else ():
        kind = found.lastgroup or ""
        whole = found[kind]
        if kind in _VALUED:
            name, value = found.group(f"{kind}_name"), found.group(f"{kind}_value")
            if not _is_secret_value(name, value):
                continue
            yield Secret(_WORDS[kind], *found.span(f"{kind}_value"))
        elif whole:
            yield Secret(_WORDS[kind], *found.span(kind))


def count_secrets(text: str) -> int:
    """How many strings of a text look like keys."""
    return sum(1 for _ in find_secrets(text))


_SHAPES: Final = {
    "private_key": (
        "private key",
        r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?:(?!-----END)[\s\S]){0,8000}",
    ),
    "anthropic": ("Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    "openai": ("OpenAI-like key", r"\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}"),
    "github": ("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
    "gitlab": ("GitLab token", r"\bgl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,}"),
    "aws": ("AWS key id", r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b"),
    "google": ("Google key", r"\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20,}"),
    "hugging_face": ("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}"),
    "slack": (
        "Slack token",
        r"\bxox[abeprs]-[A-Za-z0-9-]{10,}|\bhooks\.slack\.com/services/T[A-Za-z0-9/]{20,}",
    ),
    "stripe": ("Stripe key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{24,}"),
    "package": ("package registry token", r"\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{40,}"),
    "telegram": ("Telegram bot token", r"\b\d{8,10}:AA[A-Za-z0-9_-]{30,}"),
    "sendgrid": ("SendGrid key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    "jwt": ("signed token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    "bearer": (
        "bearer token",
        r"\bBearer\s{1,4}(?=[A-Za-z0-9._~+/-]{0,200}\d)[A-Za-z0-9._~+/-]{20,}=*",
    ),
    "url": (
        "password in an address",
        r"\b(?P<url_name>[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"<>]{0,60}):(?P<url_value>[^\s:/@'\"<>]{3,100})@",
    ),
    "assigned": (
        "password or key given to a name",
        r"(?P<assigned_name>password|passwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|_token|-token)"
        r"[\"']?\s{0,3}[:=]\s{0,3}"
        r"[\"']?(?P<assigned_value>[^\s\"'`,;&<>(){}\[\]]{8,200})",
    ),
}
_WORDS: Final = {kind: words for kind, (words, _) in _SHAPES.items()}
_VALUED: Final = frozenset({"url", "assigned"})
_IGNORING_CASE: Final = frozenset({"assigned"})
_TELLING: Final[Mapping[str, tuple[str, ...]]] = {
    "private_key": ("-----BEGIN",),
    "anthropic": ("sk-ant-",),
    "openai": ("sk-",),
    "github": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    "gitlab": ("glpat-", "gldt-", "glrt-", "glptt-"),
    "aws": ("AKIA", "ASIA"),
    "google": ("AIza", "ya29."),
    "hugging_face": ("hf_",),
    "slack": ("xox", "hooks.slack"),
    "stripe": ("k_live_", "k_test_", "whsec_"),
    "package": ("npm_", "pypi-"),
    "telegram": (":AA",),
    "sendgrid": ("SG.",),
    "jwt": ("eyJ",),
    "bearer": ("Bearer",),
    "url": ("://",),
    "assigned": (
        "password", "passwd", "secret", "_token", "-token",
        *(f"{what}{joint}key" for what in ("api", "access", "private") for joint in ("", "_", "-")),
    ),
}  # fmt: skip
"""Kind -> strings of which every secret of that kind holds one. To look for a string is many times faster
than to try all shapes at every place of a text."""


def _possible(text: str) -> tuple[str, ...]:
    """The kinds of secrets that a text may hold."""
    folded = text.lower() if text.isascii() else text.casefold()
    found = [
        kind
        for kind, telling in _TELLING.items()
        if any(word in (folded if kind in _IGNORING_CASE else text) for word in telling)
    ]
    # Addresses are in many texts, passwords in them need this sign as well.
    return tuple([kind for kind in found if kind != "url" or "@" in text])


@cache
def _pattern(kinds: tuple[str, ...]) -> re.Pattern[str]:
    """All secrets of these kinds."""
    shapes = ((kind, _SHAPES[kind][1]) for kind in kinds)
    return re.compile(
        "|".join(
            f"(?P<{kind}>{f'(?i:{shape})' if kind in _IGNORING_CASE else shape})" for kind, shape in shapes
        )
    )


_NO_SECRET: Final = re.compile(
    r"\$|%\(|\*{3}|x{4}|\.{3}|…|\b(?:os|process|env|config|settings|self|req|request|null|none|true|false"
    r"|undefined|str|string|secret|password|changeme|example|placeholder|your|my)\b|environ|getenv|redacted",
    re.IGNORECASE,
)
"""In a value, it stands for a secret that lies elsewhere, or for none."""


def _is_secret_value(name: str, value: str) -> bool:
    """Whether what is given to a telling name is a secret and not code, a reference or a sample."""
    if _NO_SECRET.search(value) or value.lower() in name.lower():
        return False
    # A word alone is prose or code ("password: required"); a passphrase has marks or figures in it.
    return not value.isalpha()
