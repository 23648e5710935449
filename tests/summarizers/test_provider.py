"""Which model may be asked comes from the settings alone, and a wrong one is told in a line."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.errors import InputError, Stopped, SummaryFailed
from app.summarizers import SummaryRequest
from app.summarizers.model import by_command, obtain
from app.summarizers.provider import Provider, load_provider

REQUEST = SummaryRequest("Summarise.", "x" * 500)


def written(folder: Path, text: str) -> Path:
    (folder / "config.toml").write_text(text)
    return folder


def test_without_settings_there_is_no_model(tmp_path: Path) -> None:
    assert load_provider(tmp_path) is None
    assert load_provider(written(tmp_path, 'theme = "dark"')) is None


def test_a_program_and_two_kinds_of_services(tmp_path: Path) -> None:
    program = load_provider(written(tmp_path, '[model]\nkind = "command"\nargv = ["claude", "-p"]'))
    assert program is not None and program.place == "the program claude -p"
    service = load_provider(written(tmp_path, '[model]\nkind = "anthropic"\nmodel = "claude-x"'))
    assert service is not None and service.place == "claude-x at api.anthropic.com"
    assert service.key_variable == "ANTHROPIC_API_KEY"
    near = '[model]\nkind = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:8080/v1"'
    local = load_provider(written(tmp_path, near))
    assert local is not None and local.place == "m at 127.0.0.1:8080, not encrypted"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[model", "is not TOML"),
        ("model = 3", "needs kind = one of command, anthropic, openai"),
        ('[model]\nkind = "mind-reader"', "needs kind"),
        ('[model]\nkind = "command"\nargv = "claude -p"', 'needs argv = ["program"'),
        ('[model]\nkind = "command"\nargv = []', "needs argv"),
        ('[model]\nkind = "anthropic"', "needs model"),
        ('[model]\nkind = "openai"\nmodel = "m"\nkey = "sk-123"', "and no key"),
        ('[model]\nkind = "openai"\nmodel = "m"\nbase_url = "file:///etc"', "must begin with https"),
    ],
)
def test_what_is_wrong_with_settings_is_told(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words.replace("[", r"\[")):
        load_provider(written(tmp_path, text))


def test_a_missing_key_and_a_missing_library_are_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="MY_KEY is not set"):
        Provider("openai", model="m", key_variable="MY_KEY", env={}).ask()
    monkeypatch.setitem(sys.modules, "anthropic", None)
    ours = Provider("anthropic", model="m", key_variable="MY_KEY", env={"MY_KEY": "k"})
    with pytest.raises(InputError, match=r"pip install handcompact\[anthropic\]"):
        ours.ask()


class _Sdk:
    """Stands in for both libraries: notes what it was made with, and answers."""

    def __init__(self, answer: Any) -> None:
        self.made: dict[str, Any] = {}
        self.messages = SimpleNamespace(create=lambda **_: SimpleNamespace(content=answer))
        choice = SimpleNamespace(message=SimpleNamespace(content=answer))
        create = lambda **_: SimpleNamespace(choices=[choice])  # noqa: E731
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=create))

    def __call__(self, **settings: Any) -> _Sdk:
        self.made = settings
        return self


def test_a_library_is_given_the_key_and_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [SimpleNamespace(type="thinking"), SimpleNamespace(type="text", text="Short.")]
    sdk = _Sdk(said)
    monkeypatch.setitem(sys.modules, "anthropic", SimpleNamespace(Anthropic=sdk))
    ours = Provider("anthropic", model="m", key_variable="K", base_url="https://x.test", env={"K": "k1"})
    assert obtain(REQUEST, ours.ask(), allowed=True) == "Short."
    assert (sdk.made["api_key"], sdk.made["base_url"]) == ("k1", "https://x.test")
    other = _Sdk("Short too.")
    monkeypatch.setitem(sys.modules, "openai", SimpleNamespace(OpenAI=other))
    asked = Provider("openai", model="m", key_variable="K", env={"K": "k2"}).ask()
    assert obtain(REQUEST, asked, allowed=True) == "Short too."
    assert (other.made["api_key"], other.made["base_url"]) == ("k2", None)


def test_a_service_that_fails_is_a_summary_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    sdk = _Sdk(None)
    monkeypatch.setitem(sys.modules, "anthropic", SimpleNamespace(Anthropic=sdk))
    ours = Provider("anthropic", model="m", key_variable="K", env={"K": "k"})
    with pytest.raises(SummaryFailed, match="could not be asked"):
        obtain(REQUEST, ours.ask(), allowed=True)


def test_asking_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    began = time.monotonic()
    slow = by_command([sys.executable, "-c", "import time; time.sleep(30)"], stop=lambda: True)
    with pytest.raises(Stopped):
        obtain(REQUEST, slow, allowed=True)
    sdk = _Sdk("")
    sdk.chat.completions.create = lambda **_: time.sleep(1)
    monkeypatch.setitem(sys.modules, "openai", SimpleNamespace(OpenAI=sdk))
    asked = Provider("openai", model="m", key_variable="K", env={"K": "k"}).ask(lambda: True)
    with pytest.raises(Stopped):
        obtain(REQUEST, asked, allowed=True)
    assert time.monotonic() - began < 5
