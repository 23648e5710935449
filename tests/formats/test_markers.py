"""Who wrote a text, told by how it begins."""

from __future__ import annotations

import time

import pytest

from app.formats.markers import MADE_TEXTS, author_of, boundary_of, holds_user_words
from app.model import Author


@pytest.mark.parametrize(
    ("text", "author", "hides", "removed", "tokens"),
    [
        ("[Compacted]\n\nGoal: x", Author.SUMMARY, True, None, None),
        ("[Reactive compact]\n\nGoal: x", Author.SUMMARY, True, None, None),
        ("[Context compacted at 14:32:15 via Session Memory]\nMessages removed: 12. Tokens before: ~48,210\n",
         Author.SUMMARY, True, 12, 48210),
        ("[Context compacted at 14:32:15 \u2014 Full Compact]\nOriginal: ~48210 tokens, 31 messages\n",
         Author.SUMMARY, True, 31, 48210),
        ("[Context aggressively truncated for recovery \u2014 attempt 2]", Author.MARKER, True, None, None),
        ("[12 earlier messages dropped]", Author.MARKER, True, 12, None),
        ("[Summary of 4 messages]\n\nThe login was mended.", Author.SUMMARY, False, 4, None),
        ("[snipped 30 messages]", Author.MARKER, False, 30, None),
        ("[snipped 1 message]\n", Author.MARKER, False, 1, None),
        ("[4 messages archived at /w/.transcripts/transcript_x.jsonl]", Author.MARKER, False, 4, None),
        ("This session is being continued from a previous conversation that ran out of context. The summary",
         Author.SUMMARY, True, None, None),
    ],
)  # fmt: skip
def test_what_a_compaction_left_is_known(
    text: str, author: Author, hides: bool, removed: int | None, tokens: int | None
) -> None:
    assert author_of(text, Author.USER) is author
    boundary = boundary_of(text, "key", 3)
    assert boundary is not None
    assert (boundary.key, boundary.record, boundary.hides) == ("key", 3, hides)
    assert (boundary.removed, boundary.tokens_before) == (removed, tokens)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "see [Compacted]\n\nabove",
        "[Compacted]",
        "[snipped 30 messages]x",
        "[snipped 30 messages] is what I saw",
        "[snipped many messages]",
        "This session is slow.",
        "[Context compacted at noon]",
        "<b>bold</b>",
        "<system-reminder>never closed",
        "<system-reminder>a</system-reminder> and my words",
        "my words <system-reminder>a</system-reminder>",
        "<system-reminder>a</system-reminder>words<system-reminder>b</system-reminder>",
    ],
)
def test_words_of_the_person_stay_theirs(text: str) -> None:
    assert author_of(text, Author.USER) is Author.USER
    assert boundary_of(text, "key", None) is None


@pytest.mark.parametrize(
    "text",
    [
        "<system-reminder>a</system-reminder>",
        "\n<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>\n",
        "<command-name>/clear</command-name>\n  <command-message>clear</command-message>",
        "<environment_context>\n<cwd>/w</cwd>\n</environment_context>",
        "[Request interrupted by user for tool use]",
        *MADE_TEXTS,
    ],
)
def test_what_a_client_or_a_repair_put_there_is_nobodys_words(text: str) -> None:
    assert author_of(text, Author.USER) is Author.INJECTED


def test_a_hostile_text_costs_no_more_than_its_length() -> None:
    started = time.process_time()
    for text in (
        "<system-reminder>" * 200_000,
        "<system-reminder " + "x" * 2_000_000,
        "[snipped " + "9" * 2_000_000,
    ):
        assert author_of(text, Author.USER) is Author.USER
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    ("tool", "text", "said"),
    [
        ("AskUserQuestion", "Blue", True),
        ("ask_user_question", "Blue", True),
        ("request-user-input", "Blue", True),
        ("Bash", "The user doesn't want to proceed with this tool use. The user said: never", True),
        ("Bash", "The user doesn't want to proceed with this tool use.", False),
        ("Read", "# notes\nThe user doesn't want to. The user said: never", False),
        ("Bash", "the user said: never", False),
    ],
)
def test_answers_and_reasons_are_the_persons_words(tool: str, text: str, said: bool) -> None:
    assert holds_user_words(tool, text) is said
