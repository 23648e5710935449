"""Which model a person chose to ask, as their settings say; nothing else can choose one.

The table `[model]` of `config.toml` in the folder of preferences:

    [model]
    kind = "command"                # a program that reads the prompt on standard input
    argv = ["claude", "-p"]

    [model]
    kind = "anthropic"              # or "openai", and whatever speaks Chat Completions as it does
    model = "claude-sonnet-4-5"
    base_url = "https://..."        # only where it is not the provider's own
    key_variable = "MY_KEY"         # the environment variable that holds the key
"""

from __future__ import annotations

import importlib
import os
import threading
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from app.errors import InputError, Stopped, SummaryFailed
from app.settings import config_dir
from app.summarizers.base import SummaryRequest
from app.summarizers.model import (
    POLL_SECONDS,
    TIMEOUT_SECONDS,
    Ask,
    by_anthropic,
    by_command,
    by_openai,
)

_SERVICES: Final = {
    "anthropic": ("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
}
"""Kind -> the provider's own address, and the usual name of the variable with the key."""
_KEYS: Final = {
    "command": frozenset({"kind", "argv"}),
    **dict.fromkeys(_SERVICES, frozenset({"kind", "model", "base_url", "key_variable"})),
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
    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False, compare=False)

    @property
    def place(self) -> str:
        """Where a prompt would go, in words. Not safe for a terminal."""
        if self.kind == "command":
            return f"the program {' '.join(self.argv)}"
        address = self.base_url or _SERVICES[self.kind][0]
        plain = ", not encrypted" if urlsplit(address).scheme == "http" else ""
        return f"{self.model} at {urlsplit(address).netloc or address}{plain}"

    def ask(self, stop: Callable[[], bool] = lambda: False) -> Ask:
        """The way to ask it, until `stop` says so; raises InputError where it cannot be asked at all."""
        if self.kind == "command":
            return by_command(self.argv, stop=stop)
        key = self.env.get(self.key_variable, "")
        if not key:
            raise InputError(
                f"the environment variable {self.key_variable} is not set: it should hold the key"
            )
        client = self._client(key)
        whole = (
            by_anthropic(client, self.model) if self.kind == "anthropic" else by_openai(client, self.model)
        )
        return _stoppable(whole, stop)

    def _client(self, key: str) -> Any:
        try:
            sdk = importlib.import_module(self.kind)
        except ImportError as error:
            raise InputError(f"to ask {self.place}: pip install handcompact[{self.kind}]") from error
        made = sdk.Anthropic if self.kind == "anthropic" else sdk.OpenAI
        return made(api_key=key, base_url=self.base_url or None, timeout=TIMEOUT_SECONDS, max_retries=0)


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
    if kind == "command":
        argv = table.get("argv")
        if not isinstance(argv, list) or not argv or not all(isinstance(part, str) for part in argv):
            raise InputError(f'{where}: [model] needs argv = ["program", "argument", ...]')
        return Provider(kind, argv=tuple(argv))
    words = {name: table.get(name, "") for name in ("model", "base_url", "key_variable")}
    if not all(isinstance(word, str) for word in words.values()) or not words["model"]:
        raise InputError(f"{where}: [model] needs model, and all of its values are texts")
    if words["base_url"] and urlsplit(words["base_url"]).scheme not in ("http", "https"):
        raise InputError(f"{where}: base_url must begin with https:// or http://")
    words["key_variable"] = words["key_variable"] or _SERVICES[kind][1]
    return Provider(kind, **words)


def _stoppable(ask: Ask, stop: Callable[[], bool]) -> Ask:
    """Asks in a thread of its own, so that nobody has to wait for an answer that is not wanted any more."""

    def asked(request: SummaryRequest) -> str:
        answers: list[str | Exception] = []

        def run() -> None:
            try:
                answers.append(ask(request))
            except Exception as error:
                answers.append(error)

        # It must not keep the program from ending.
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        end = time.monotonic() + TIMEOUT_SECONDS
        while thread.is_alive():
            thread.join(POLL_SECONDS)
            if stop():
                raise Stopped("the model's answer is not waited for any more")
            if time.monotonic() > end:
                raise SummaryFailed(f"the model gave no answer within {TIMEOUT_SECONDS:g} seconds")
        [answer] = answers
        if isinstance(answer, Exception):
            raise answer
        return answer

    return asked
