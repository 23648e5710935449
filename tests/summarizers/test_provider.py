"""Which model may be asked comes from the settings alone, and a wrong one is told in a line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.errors import InputError
from app.summarizers.provider import Provider, load_provider


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
    limits = '[model]\nkind = "openai"\nmodel = "m"\nmax_tokens = 500\ntimeout_seconds = 2.5'
    limited = load_provider(written(tmp_path, limits))
    assert limited is not None and (limited.max_tokens, limited.timeout_seconds) == (500, 2.5)
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
        ('[model]\nkind = "openai"\nmodel = "m"\nbase_url = "https://"', "must begin with https"),
        ('[model]\nkind = "openai"\nmodel = "m"\nbase_url = "http://h:99999"', "must begin with https"),
        ('[model]\nkind = "openai"\nmodel = "m"\nbase_url = "https://me:pw@h"', "must be only an address"),
        ('[model]\nkind = "openai"\nmodel = "m"\nbase_url = "https://h?key=1"', "must be only an address"),
        ('[model]\nkind = "openai"\nmodel = "m"\nmax_tokens = "many"', "a whole number of at least 1"),
        ('[model]\nkind = "openai"\nmodel = "m"\nmax_tokens = true', "a whole number of at least 1"),
        ('[model]\nkind = "command"\nargv = ["x"]\ntimeout_seconds = 0', "a number above 0"),
        ('[model]\nkind = "command"\nargv = ["x"]\ntimeout_seconds = inf', "a number above 0"),
    ],
)
def test_what_is_wrong_with_settings_is_told(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words.replace("[", r"\[")):
        load_provider(written(tmp_path, text))


@pytest.mark.parametrize("kind", ["anthropic", "openai"])
def test_the_usual_key_goes_to_its_own_service_alone(kind: str) -> None:
    env = {"ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": ""}
    with pytest.raises(InputError, match=f"{kind.upper()}_API_KEY is not set"):
        Provider(kind, model="m", env=env).ask()
    # To an address of one's own no key goes that was not named for it, so none is missing.
    assert callable(Provider(kind, model="m", base_url="http://127.0.0.1:9/v1", env=env).ask())


def test_a_missing_key_and_a_missing_library_are_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="MY_KEY is not set"):
        Provider("openai", model="m", key_variable="MY_KEY", env={}).ask()
    monkeypatch.setitem(sys.modules, "anthropic", None)
    ours = Provider("anthropic", model="m", key_variable="MY_KEY", env={"MY_KEY": "k"})
    with pytest.raises(InputError, match=r"pip install 'handcompact\[anthropic\]'"):
        ours.ask()
