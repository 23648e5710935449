"""Which model a person chose to ask, as their settings say; nothing else can choose one.

The table `[model]` of `config.toml` in the folder of preferences:

    [model]
    kind = "command"                # a program that reads the prompt on standard input
    argv = ["claude", "-p"]

    [model]
    kind = "anthropic"              # or "openai", and whatever speaks Chat Completions as it does
    model = "claude-sonnet-4-5"
    key_variable = "MY_KEY"         # the environment variable that holds the key
    base_url = "https://..."        # only where it is not the provider's own
    max_tokens = 8000               # of the longest answer
    timeout_seconds = 300           # for the whole answer; any kind

A key is only sent where it was said to be: to an address of one's own none goes unless `key_variable` names
one. The proxy that the environment names is used, is told beside the address, and never stands between
this program and this machine.
"""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

from app.errors import InputError
from app.settings import config_dir
from app.summarizers.asking import TIMEOUT_SECONDS, AnswerLimits, Ask

_SERVICES: Final = {
    "anthropic": ("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
}
"""Kind -> the provider's own address, and the usual name of the variable with the key."""
_KEYS: Final = {
    "command": frozenset({"kind", "argv", "timeout_seconds"}),
    **dict.fromkeys(
        _SERVICES,
        frozenset({"kind", "model", "base_url", "key_variable", "max_tokens", "timeout_seconds"}),
    ),
}


@dataclass(frozen=True, slots=True)
class Provider:
    """A model that can be asked: a program on this machine, or a service."""

    kind: str
    argv: tuple[str, ...] = ()
    model: str = ""
    base_url: str = ""
    """Empty: the provider's own."""
    key_variable: str = ""
    """Empty: the usual one for the provider's own address, none for any other."""
    max_tokens: int | None = None
    timeout_seconds: float = TIMEOUT_SECONDS
    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False, compare=False)

    @property
    def place(self) -> str:
        """Where a prompt would go, in words. Not safe for a terminal."""
        if self.kind == "command":
            return f"the program {shlex.join(self.argv)}"
        address = self._address
        proxy = _proxy(address)
        way = f", through the proxy {_host(urlsplit(proxy))}" if proxy else ""
        plain = ", not encrypted" if address.scheme == "http" else ""
        return f"{self.model} at {_host(address)}{way}{plain}"

    def ask(
        self, stop: Callable[[], bool] = lambda: False, told: Callable[[int], None] = lambda chars: None
    ) -> Ask:
        """The way to ask it, until `stop` says so; raises InputError where it cannot be asked at all.

        `told` is called from some thread with the code points that were answered so far.
        """
        patience = AnswerLimits(self.timeout_seconds, stop, told)
        # Imported when a model is really asked: a service brings the network's half of the standard library.
        if self.kind == "command":
            from app.summarizers.program import by_command

            return by_command(self.argv, patience)
        from app.summarizers.service import Service, by_service

        address, variable = self._address, self._variable
        service = Service(
            self.kind,
            self.model,
            urlunsplit(address),
            _host(address),
            self._key(variable) if variable else "",
            variable,
            self.max_tokens,
            _proxy(address),
        )
        return by_service(service, patience)

    @property
    def _address(self) -> SplitResult:
        return _as_library_takes_it(self.kind, self.base_url or _SERVICES[self.kind][0])

    @property
    def _variable(self) -> str:
        return self.key_variable or ("" if self.base_url else _SERVICES[self.kind][1])

    def _key(self, variable: str) -> str:
        key = self.env.get(variable, "").strip()
        if not key:
            raise InputError(f"the environment variable {variable} is not set: it should contain the key")
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise InputError(f"the environment variable {variable} contains characters that no key has")
        return key


def _as_library_takes_it(kind: str, base_url: str) -> SplitResult:
    """An address, however much of it was named: the libraries put the rest behind it."""
    address = urlsplit(base_url)
    path = address.path
    for end in ("/chat/completions", "/messages"):
        path = path.rstrip("/").removesuffix(end)
    if kind == "anthropic":
        path = path.removesuffix("/v1")
    elif path == address.path == "":
        path = "/v1"
    return address._replace(path=path)


def _host(address: SplitResult) -> str:
    """The host of an address with its port, and nothing that may be secret."""
    host = address.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if address.port is None else f"{host}:{address.port}"


def _proxy(address: SplitResult) -> str | None:
    """The proxy that the environment names for an address; none for this machine."""
    from urllib.request import getproxies, proxy_bypass

    host = address.hostname or ""
    if _is_here(host) or proxy_bypass(host):
        return None
    named = getproxies()
    proxy = named.get(address.scheme) or named.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def load_provider(folder: Path | None = None) -> Provider | None:
    """The model that the settings name; None where they name none. Raises InputError saying what is wrong."""
    file = settings_file(folder)
    try:
        text = file.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}") from error
    try:
        table = tomllib.loads(text).get("model")
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file} is not TOML: {error}") from error
    return None if table is None else _parsed(table, str(file))


def settings_file(folder: Path | None = None) -> Path:
    """The file that a model is named in."""
    return (folder or config_dir()) / "config.toml"


def _parsed(table: Any, where: str) -> Provider:
    kind = table.get("kind") if isinstance(table, dict) else None
    if not isinstance(kind, str) or kind not in _KEYS:
        raise InputError(f"{where}: [model] needs kind = one of {', '.join(_KEYS)}")
    if unknown := set(table) - _KEYS[kind]:
        known = ", ".join(sorted(_KEYS[kind]))
        raise InputError(f"{where}: [model] of kind {kind} has {known}, and no {', '.join(sorted(unknown))}")
    seconds = table.get("timeout_seconds", TIMEOUT_SECONDS)
    if type(seconds) not in (int, float) or not 0 < seconds < float("inf"):
        raise InputError(f"{where}: timeout_seconds must be a number above 0")
    if kind == "command":
        argv = table.get("argv")
        if not isinstance(argv, list) or not argv or not all(isinstance(part, str) for part in argv):
            raise InputError(f'{where}: [model] needs argv = ["program", "argument", ...]')
        return Provider(kind, argv=tuple(argv), timeout_seconds=seconds)
    words = {name: table.get(name, "") for name in ("model", "base_url", "key_variable")}
    if not all(isinstance(word, str) for word in words.values()) or not words["model"]:
        raise InputError(f"{where}: [model] needs model; model, base_url and key_variable must be strings")
    if words["base_url"] and (wrong := _why_no_address(words["base_url"])):
        raise InputError(f"{where}: base_url {wrong}")
    max_tokens = table.get("max_tokens")
    if max_tokens is not None and (type(max_tokens) is not int or max_tokens < 1):
        raise InputError(f"{where}: max_tokens must be a whole number of at least 1")
    return Provider(kind, **words, max_tokens=max_tokens, timeout_seconds=seconds)


def _why_no_address(base_url: str) -> str | None:
    """What is wrong with an address that somebody named; None when nothing is."""
    try:
        address = urlsplit(base_url)
        known = address.hostname and (address.port is None or address.port > 0)
    except ValueError:
        known = False
    if not known or address.scheme not in ("http", "https"):
        return "must begin with https:// or http:// and a host"
    if address.username is not None or address.query or address.fragment:
        return "must be only an address: put the key into the variable named by key_variable"
    return None
