"""The rough count is near the real one for every kind of text, and never reads a text."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import dataclass
from typing import Any

import pytest

from app.model import Held
from app.tokens.encode import encoder
from app.tokens.rough import rough_tokens

_RANDOM = random.Random(7)
_WORDS = ["the", "session", "budget", "every", "message", "should", "counted", "before", "stage", "anything"]
_HAN = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产"


def _lines(make: Any) -> str:
    return "\n".join(make(n) for n in range(300))


def _word() -> str:
    return _RANDOM.choice(_WORDS)


TEXTS = {
    "prose": _lines(lambda n: " ".join(_word() for _ in range(12)).capitalize() + "."),
    "numbered code": _lines(
        lambda n: f"{n + 1:>6}→    def {_word()}_{_word()}(self, {_word()}: int | None = {n}) -> str:"
    ),
    "grep": _lines(lambda n: f"src/{_word()}/{_word()}.py:{n}:    {_word()} = {_word()}({_word()!r})"),
    "log": _lines(
        lambda n: f"2026-01-05T09:{n % 60:02}:11.{n:03} INFO {_word()}[{n * 37}] {_word()} id={n * 7919:06x}"
    ),
    "JSON": json.dumps(
        [{"id": n * 7919, "name": f"{_word()}-{_word()}", "ok": True, "score": n / 7} for n in range(200)]
    ),
    "numbers": _lines(lambda n: f"{n * 1.37:.3f},{n * 7919 % 1000},2026-01-{n % 28 + 1:02}"),
    "Chinese": _lines(lambda n: "".join(_RANDOM.choices(_HAN, k=30)) + "。"),
    "Russian": _lines(lambda n: "Каждое сообщение сессии считается до того, как его изменят."),
    "base64": base64.b64encode(_RANDOM.randbytes(20_000)).decode(),
    "data URL": "data:image/png;base64," + base64.b64encode(_RANDOM.randbytes(20_000)).decode(),
    "hexadecimal": _RANDOM.randbytes(8_000).hex(),
}


@dataclass(frozen=True)
class Unread:
    """Content that must not be read."""

    chars: int
    size: int
    preview: str

    def read(self) -> str:
        raise AssertionError("the rough estimate read a text")

    def value(self) -> Any:
        raise AssertionError("the rough estimate read a value")


def _unread(text: str) -> Unread:
    held = Held(text)
    return Unread(held.chars, held.size, held.preview)


@pytest.mark.parametrize("kind", TEXTS)
def test_within_a_third_of_the_real_count(kind: str) -> None:
    text = TEXTS[kind]
    real = encoder().count(text)
    assert real is not None
    assert abs(rough_tokens(_unread(text)) / real - 1) < 0.33


def test_base64_is_far_above_a_quarter_of_its_characters() -> None:
    text = TEXTS["data URL"]
    assert rough_tokens(_unread(text)) > 0.5 * len(text)


@pytest.mark.parametrize("text", ["", " ", "a", "\n" * 5_000, "\ud800", "😀", "\x00" * 300, "的" * 300])
def test_odd_texts_have_a_sane_size(text: str) -> None:
    assert 0 <= rough_tokens(_unread(text)) <= 2 * len(text)


def test_blanks_are_nearly_nothing() -> None:
    assert rough_tokens(_unread(" " * 100_000)) < 2_000
