"""Which figures hold for which model, as model names are really written."""

from __future__ import annotations

import pytest

from app.tokens.families import (
    CLAUDE_NEW,
    CLAUDE_OLD,
    CLAUDE_OPUS_46,
    CLAUDE_SONNET_46,
    GEMINI,
    GPT_4,
    GPT_4O,
    GPT_5,
    OTHER,
    UNNAMED,
    ModelFamily,
    family_of,
)
from app.tokens.text_class import TextClass

MODELS = [
    ("claude-3-5-sonnet-20241022", CLAUDE_OLD),
    ("claude-opus-4-20250514", CLAUDE_OLD),
    ("claude-sonnet-4-5-20250929", CLAUDE_OLD),
    ("claude-haiku-4-5", CLAUDE_OLD),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", CLAUDE_OLD),
    ("claude-opus-4@20250514", CLAUDE_OLD),
    ("claude-2.1", CLAUDE_OLD),
    ("claude-instant-1.2", CLAUDE_OLD),
    ("github-copilot/claude-sonnet-4", CLAUDE_OLD),
    ("anthropic/claude-opus-4.6", CLAUDE_OPUS_46),
    ("claude-opus-4-6[1m]", CLAUDE_OPUS_46),
    ("claude-sonnet-4-6", CLAUDE_SONNET_46),
    ("claude-opus-4-7", CLAUDE_NEW),
    ("claude-opus-4-10", CLAUDE_NEW),
    ("claude-sonnet-5-20270101", CLAUDE_NEW),
    ("claude-something-new", CLAUDE_NEW),
    ("opus", CLAUDE_NEW),
    ("Claude-Opus-4-7", CLAUDE_NEW),
    ("gpt-5.2-codex", GPT_5),
    ("openai/gpt-5-mini", GPT_5),
    ("gpt-4o-mini", GPT_4O),
    ("gpt-4.1", GPT_4O),
    ("o3", GPT_4O),
    ("gpt-4-turbo", GPT_4),
    ("gpt-3.5-turbo", GPT_4),
    ("google/gemini-3-pro", GEMINI),
    ("gpt-6", OTHER),
    ("kimi-k2", OTHER),
    ("opusculum-7b", OTHER),
    (None, UNNAMED),
    ("", UNNAMED),
    ("<synthetic>", UNNAMED),
]


@pytest.mark.parametrize(("model", "family"), MODELS, ids=[str(model) for model, _ in MODELS])
def test_family(model: str | None, family: ModelFamily) -> None:
    assert family_of(model) is family


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("gpt-5", "o200k, exact for the visible text"),
        ("gpt-4", "cl100k, exact for the visible text"),
        ("claude-opus-4-7", "~ o200k x 1.57 (table)"),
        ("claude-sonnet-4-5", "~ o200k x 1.09 (table)"),
        ("gemini-3-pro", "~ o200k x 1.10 (table)"),
        ("kimi-k2", "~ o200k x 1.00 (a guess for this model)"),
        (None, "~ o200k x 1.00 (a guess, no model named)"),
    ],
)
def test_words(model: str | None, words: str) -> None:
    assert family_of(model).describe() == words


def test_every_class_has_a_factor_of_its_own() -> None:
    assert all(kind in CLAUDE_OLD.factors and kind in CLAUDE_NEW.factors for kind in TextClass)
    assert (CLAUDE_OLD.factor(TextClass.DIFF), CLAUDE_NEW.factor(TextClass.DIFF)) == (1.25, 1.57)
    assert (CLAUDE_OLD.factor(TextClass.INPUT), CLAUDE_NEW.factor(TextClass.INPUT)) == (1.10, 1.48)
