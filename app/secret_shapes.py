"""Patterns of secrets: well-known key formats, and values assigned to names such as `api_key`.

A match may be an example from a document, and a secret of an unknown shape is not found. Each finder
has needles, substrings of every match: it runs only on a text that contains one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

from msgspec import Struct


class Secret(Struct, frozen=True):
    """The span of one string that looks like a key."""

    kind: str
    """What key it looks like, in a word or two."""
    start: int
    end: int
    """Code points; the span covers the secret itself, not the name it is assigned to."""


class Finder(Protocol):
    """Finds one kind of secret."""

    @property
    def needles(self) -> tuple[str, ...]:
        """Lower case; every text (in lower case) with such a secret contains one of them."""

    def find(self, text: str, lowered: str) -> Iterator[Secret]:
        """Every such secret, in order; `lowered` is the text in lower case."""


class SecretPattern(Struct, frozen=True):
    """A secret known by its own form, or by its context; then the group `value` is the secret."""

    kind: str
    needles: tuple[str, ...]
    pattern: str
    """Compiled on first use: few texts hold many kinds."""
    is_one: Callable[[re.Match[str]], bool]
    is_token: bool = False
    """Whether it extends as far as there are letters and digits."""

    def find(self, text: str, lowered: str) -> Iterator[Secret]:
        pattern = re.compile(self.pattern)
        group: str | int = "value" if "value" in pattern.groupindex else 0
        position = 0
        while match := pattern.search(text, position):
            if not self.is_one(match):
                # A secret may begin inside a rejected match.
                position = match.start() + 1
                continue
            start, end = match.span(group)
            if self.is_token:
                rest = _token_rest.match(text, end)
                end = rest.end() if rest else end
            yield Secret(self.kind, start, end)
            position = max(end, match.start() + 1)


def names_secret(name: str) -> bool:
    """Whether the value of this name is a secret: `apiKey`, `DB_PASSWORD`."""
    return _telling_name.search(name) is not None


def is_secret_value(name: str, value: str) -> bool:
    """Whether the value of such a name is a secret and not code, a reference or a placeholder."""
    if _NO_SECRET.search(value) or value.lower() in name.lower():
        return False
    # A single word is prose or code ("password: required"); a passphrase has punctuation or digits.
    return not value.isalpha()


def _always(_: re.Match[str]) -> bool:
    return True


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether no letter or digit precedes it. Cheaper than a lookbehind, which hides the literal prefix."""
    start = match.start()
    return start == 0 or not (match.string[start - 1].isalnum() or match.string[start - 1] == "_")


def _is_given(match: re.Match[str]) -> bool:
    value, behind = match["value"], match.string[match.end() : match.end() + 1]
    is_spaced = " " in match.groupdict().get("gives", "")
    if _identifier.fullmatch(value) and (behind in _CALLS or is_spaced):
        # `password = read_password(...)`, `key_password=key_password,`
        return False
    if behind == "(" and value.isidentifier():
        return False
    return not _code.fullmatch(value) and is_secret_value(match["name"], value)


def _has_figures(match: re.Match[str]) -> bool:
    """Whether it holds a letter and a digit: words alone are prose."""
    value = match["value"]
    if _NO_SECRET.search(value) or _code.fullmatch(value):
        return False
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _token(kind: str, *heads: str, body: str) -> SecretPattern:
    """A key known by its prefix."""
    pattern = f"(?:{'|'.join(map(re.escape, heads))}){body}"
    return SecretPattern(kind, tuple(head.lower() for head in heads), pattern, _stands_alone, is_token=True)


def _tokens() -> Iterator[SecretPattern]:
    yield _token("Anthropic key", "sk-ant-", body=r"[A-Za-z0-9_-]{20,300}")
    yield _token("OpenAI-like key", "sk-", body=r"(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,300}")
    yield _token("GitHub token", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", body=r"[A-Za-z0-9]{30,300}")
    yield _token("GitHub token", "github_pat_", body=r"[A-Za-z0-9_]{30,300}")
    yield _token("GitLab token", "glpat-", "gldt-", "glrt-", "glptt-", body=r"[A-Za-z0-9_-]{20,300}")
    yield _token("AWS key id", "AKIA", "ASIA", body=r"[A-Z0-9]{12,300}\b")
    yield _token("Google key", "AIza", body=r"[A-Za-z0-9_-]{35}")
    yield _token("Google key", "ya29.", "GOCSPX-", body=r"[A-Za-z0-9_-]{20,300}")
    yield _token("Hugging Face token", "hf_", body=r"[A-Za-z0-9]{30,300}")
    yield _token(
        "Slack token", "xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-", body=r"[A-Za-z0-9-]{10,300}"
    )
    yield _token("Slack token", "xapp-", body=r"[A-Za-z0-9-]{20,300}")
    yield _token("Slack token", "hooks.slack.com/services/T", body=r"[A-Za-z0-9/]{20,300}")
    yield _token("Discord webhook", "discord.com/api/webhooks/", body=r"\d{10,300}/[A-Za-z0-9_-]{30,300}")
    yield _token("Stripe key", "sk_live_", "sk_test_", "rk_live_", "rk_test_", body=r"[A-Za-z0-9]{16,300}")
    yield _token("Stripe key", "whsec_", body=r"[A-Za-z0-9]{24,300}")
    yield _token("package registry token", "npm_", body=r"[A-Za-z0-9]{30,300}")
    yield _token("package registry token", "pypi-", body=r"[A-Za-z0-9_-]{40,300}")
    yield _token("package registry token", "rubygems_", "dckr_pat_", body=r"[A-Za-z0-9_-]{24,300}")
    yield _token("SendGrid key", "SG.", body=r"[A-Za-z0-9_-]{16,300}\.[A-Za-z0-9_-]{16,300}")
    yield _token("Groq key", "gsk_", body=r"[A-Za-z0-9]{30,300}")
    yield _token("model provider key", "xai-", "pplx-", "nvapi-", "r8_", body=r"[A-Za-z0-9_-]{30,300}")
    yield _token("Databricks token", "dapi", body=r"[a-f0-9]{32}")
    yield _token("DigitalOcean token", "dop_v1_", "doo_v1_", body=r"[a-f0-9]{40,300}")
    yield _token("Shopify token", "shpat_", "shpss_", "shppa_", body=r"[A-Za-z0-9]{30,300}")
    yield _token("Linear key", "lin_api_", body=r"[A-Za-z0-9]{30,300}")
    yield _token("Atlassian token", "ATATT3", body=r"[A-Za-z0-9_=-]{40,300}")
    yield _token("Grafana token", "glsa_", "glc_", body=r"[A-Za-z0-9_=+/]{30,300}")
    yield _token("Vault token", "hvs.", "hvb.", body=r"[A-Za-z0-9_-]{24,300}")
    yield _token("age key", "AGE-SECRET-KEY-1", body=r"[A-Z0-9]{40,300}")
    yield _token("Supabase token", "sbp_", body=r"[a-f0-9]{40,300}")


_PEM: Final = (
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    # Everything up to the END line; without one (the text was cut), the lines of base64 that follow.
    r"(?:(?:(?!-----)[\s\S]){0,12000}?-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:[^A-Za-z0-9+/=-]{0,12}(?:\d{1,6}[^A-Za-z0-9+/=-]{1,4})?[A-Za-z0-9+/=]{8,})*)"
)
_PEM_END: Final = (
    r"(?:[A-Za-z0-9+/=]{16,}[^A-Za-z0-9+/=-]{1,12}(?:\d{1,6}[^A-Za-z0-9+/=-]{1,4})?){0,400}"
    r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
)
"""The rest of a key whose beginning was cut away."""

_code: Final = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+")
"""`state.tokens`: an expression in code, not a value."""
_identifier: Final = re.compile(r"_?[A-Za-z]+(?:_[A-Za-z]+)+")
_CALLS: Final = frozenset("(),")
_token_rest: Final = re.compile(r"[A-Za-z0-9_-]*")

_telling_name: Final = re.compile(
    r"(?:pass(?:[_-]?(?:word|phrase|wd))?|pwd|secret|credentials?|cookie|^authorization|^token|[_-]auth"
    r"|(?:api|access|account|private|auth|signing|encryption)[_-]?key"
    r"|(?:auth|access|refresh|session|bearer|api|bot|id|deploy)[_-]?token|[_-](?:token|key))$",
    re.IGNORECASE,
)


GIVEN: Final = "password or key given to a name"
HEAD_CHARS: Final = 24
"""Code points before the needle of a name that are examined."""
_option: Final = re.compile(r"--[A-Za-z-]{0,20}$")


class NamedSecret(Struct, frozen=True):
    """The value assigned to a name that contains a telling word: `api_key = ...`, `--password ...`."""

    needle: str
    tail: str
    """Pattern from the needle on: the rest of the name, the assignment, and the value."""
    head: str | None
    """Pattern of what must precede the needle; None accepts anything."""
    is_one: Callable[[re.Match[str]], bool]

    @property
    def needles(self) -> tuple[str, ...]:
        return (self.needle,)

    def find(self, text: str, lowered: str) -> Iterator[Secret]:
        tail = re.compile(self.tail)
        for place in _places(lowered, self.needle):
            match = tail.match(text, place)
            if match is None:
                continue
            before = text[max(0, place - HEAD_CHARS) : place]
            is_option = _option.search(before) is not None
            if match["gives"].isspace() and not is_option:
                continue
            has_head = is_option or self.head is None or re.search(self.head, before)
            if has_head and self.is_one(match):
                yield Secret(GIVEN, *match.span("value"))


def _word(
    needle: str,
    more: str = "",
    *,
    head: str | None = None,
    shortest: int = 8,
    is_one: Callable[[re.Match[str]], bool] = _is_given,
) -> NamedSecret:
    tail = (
        rf"(?i)(?P<name>{needle}{more})(?P<gives>[\"']?\s{{0,3}}(?:=>|[:=])\s{{0,3}}|[ ]{{1,3}})[\"']?"
        rf"(?P<value>[^\s\"'`,;&<>(){{}}\[\]]{{{shortest},300}})"
    )
    return NamedSecret(needle, tail, None if head is None else f"(?:{head})$", is_one)


_KEYS: Final = r"(?i:api|access|account|private|auth|signing|encryption)[_-]?"
_TOKENS: Final = r"[_-]|(?i:auth|access|refresh|session|bearer|api|bot|deploy)"
_WORDS: Final = (
    _word("pass", r"[_-]?(?:word|phrase|wd)"),
    _word("pwd"),
    _word("secret", r"s?(?:[_-](?:key|id|token|value))?"),
    _word("credential", "s?"),
    _word("key", head=_KEYS),
    # Many other names end like this, too, so the value must look like a secret.
    _word("pass", head="[_-]", is_one=_has_figures),
    _word("key", head="[A-Z0-9]_", is_one=_has_figures),
    _word("token", head=_TOKENS, is_one=_has_figures),
    _word("token", head="(?<![A-Za-z0-9_-])", shortest=16, is_one=_has_figures),
    _word("auth", head="[_-]", is_one=_has_figures),
    _word("dsn", head="[A-Z0-9]_", is_one=_has_figures),
    _word("salt", head="[A-Z0-9]_", is_one=_has_figures),
)


class EnvFile:
    """The values in an `.env` file or in the output of `printenv`: lines of NAME=value."""

    needles: tuple[str, ...] = ("=",)

    def find(self, text: str, lowered: str) -> Iterator[Secret]:
        run: list[re.Match[str]] = []
        if len(_given_in_capitals.findall(text)) < ENV_LEAST:
            # Much code assigns to names; few texts to names in capitals, which are worth the slower search.
            return
        for match in re.finditer(_ENV_LINE, text, re.MULTILINE):
            if match["value"].rstrip().endswith((",", "(")):
                # Arguments of a function call, or the beginning of one.
                continue
            if run and not re.compile(_ENV_BETWEEN).fullmatch(text, run[-1].end(), match.start()):
                yield from _values(run)
                run = []
            run.append(match)
        yield from _values(run)


def _values(run: Sequence[re.Match[str]]) -> Iterator[Secret]:
    if len(run) < ENV_LEAST:
        return
    for match in run:
        value = match["value"].rstrip("\"'\r")
        if len(value) >= ENV_CHARS and not _plain_value.fullmatch(value):
            start = match.start("value")
            yield Secret("value in an .env file", start, start + len(value))


ENV_LEAST: Final = 3
"""Consecutive lines of NAME=value, with names in capitals, from which a text is taken for an `.env` file."""
ENV_CHARS: Final = 4
"""Values with fewer characters are switches and numbers."""
_given_in_capitals: Final = re.compile("=(?<=[A-Z0-9_]=)")
_ENV_BETWEEN: Final = r"[^\n]*\n(?:[ \t]*(?:\d{1,6}[^\w\n]{1,4})?[ \t]*(?:#[^\n]*)?\r?\n)*"
_ENV_LINE: Final = (
    r"^[ \t]*(?:\d{1,6}[^\w\n]{1,4})?(?:export[ \t]+)?(?P<name>[A-Z][A-Z0-9_]{1,80})=[\"']?"
    r"(?P<value>[^\n\"'`]{0,4000})"
)
_plain_value: Final = re.compile(
    r"(?:[$<\[].*|true|false|yes|no|on|off|none|null|debug|info|warn|warning|error|[0-9.]{1,5}|[a-z]{1,3}[_-]?[A-Z]{0,3}"
    r"|production|development|staging|test|testing|local|localhost|xterm[a-z0-9-]*|utf-?8|C\.UTF-8)",
    re.IGNORECASE,
)


def _places(lowered: str, needle: str) -> Iterator[int]:
    place = lowered.find(needle)
    while place >= 0:
        yield place
        place = lowered.find(needle, place + 1)


_BEARER: Final = r"(?i)\bBearer\s{1,4}(?P<value>[A-Za-z0-9._~+/-]{16,}=*)"
_BASIC: Final = r"(?i)\bBasic\s{1,4}(?P<value>[A-Za-z0-9+/]{12,}=*)"
_COOKIE: Final = (
    r"(?i)\b(?:set-)?cookie[\"']?\s{0,3}:\s{0,3}[\"']?(?P<value>[^\s\"'=]{1,80}=[^\n\"']{8,4000})"
)
_ADDRESS: Final = r"(?P<name>[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"<>]{0,60}):(?P<value>[^\s:/@'\"<>]{3,100})@"
_SIGNED: Final = r"(?i)[?&;](?:sig|signature|x-amz-signature)=(?P<value>[A-Za-z0-9%/+=_-]{20,})"
_CURL: Final = r"(?:\s-u|--user)[ =]{1,3}[\"']?[^\s:\"']{1,60}:(?P<value>[^\s\"'@/]{4,100})"

FINDERS: Final[tuple[Finder, ...]] = (
    SecretPattern("private key", ("-----begin ",), _PEM, _always),
    SecretPattern("private key", ("-----end ",), _PEM_END, _always),
    *_tokens(),
    SecretPattern(
        "Telegram bot token",
        (":aa",),
        r"\b\d{8,10}:AA[A-Za-z0-9_-]{30,}",
        _always,
    ),
    SecretPattern(
        "signed token",
        ("eyj",),
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        _always,
    ),
    SecretPattern("password in an address", ("://",), _ADDRESS, _is_given),
    SecretPattern("bearer token", ("bearer",), _BEARER, _has_figures),
    SecretPattern("password of a request", ("basic",), _BASIC, _has_figures),
    SecretPattern("cookie", ("cookie",), _COOKIE, _always),
    SecretPattern("signed address", ("sig=", "signature="), _SIGNED, _always),
    SecretPattern("password of a command", (" -u", "--user"), _CURL, _has_figures),
    *_WORDS,
    EnvFile(),
)
"""The more specific kinds first: if two find the same string, the first one names it."""

_NO_SECRET: Final = re.compile(
    r"\$|%\(|\*{3}|x{4}|\.{3}|…|\b(?:os|process|env|config|settings|self|req|request|null|none|true|false"
    r"|undefined|str|string|secret|password|changeme|example|placeholder|your|my|masked)\b|environ|getenv|redacted",
    re.IGNORECASE,
)
"""A value with this refers to a secret kept elsewhere, or is a placeholder."""
