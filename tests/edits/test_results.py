"""Clearing, saving, cutting and rewriting by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from app.compactability import Form, compacted_form
from app.errors import BadPipeline
from app.model import Message, ToolResult
from app.stages.base import ChangeKind
from app.tokens.pipeline_measures import CharsEstimator
from tests.build import assistant, conversation, image, injected, result, thinking, use, user
from tests.edits.given import LONG, blocks, done, results, talk, text, why_not
from tests.stages.given import context

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize("key", ["m3/0", "m2/2", "m2", "m3", "m3/0/0"])
def test_a_cleared_result_leaves_a_clue_to_its_call(key: str) -> None:
    after = done("clear", talk(), [key])
    cleared = blocks(after.messages)["m3/0"]
    assert text(after.messages, "m3/0") == "[Old tool result content cleared] tool=Read src/login.py"
    assert isinstance(cleared, ToolResult) and compacted_form(cleared) is Form.CLEARED
    assert [(change.key, change.kind) for change in after.changes] == [("m3/0", ChangeKind.CLEARED)]


def test_clearing_twice_and_clearing_what_is_short_is_refused() -> None:
    once = done("clear", talk(), ["m3/0"]).messages
    assert why_not("clear", once, ["m3/0"]) == "already a placeholder"
    assert why_not("clear", talk(), ["m9/0"]) == "no replacement would be shorter (1 tried)"
    assert why_not("clear", talk(), ["m1/0"]) == "not a tool result"


def test_a_result_that_was_saved_keeps_its_path_when_it_is_cleared() -> None:
    saved = done("save", talk(), ["m3/0"], preview_chars=200)
    after = done("clear", saved.messages, ["m3/0"])
    assert text(after.messages, "m3/0") == "[Earlier tool result saved at /saved/tool-results/r1.txt]"


def test_a_saved_result_is_named_as_the_agent_itself_would() -> None:
    after = done("save", talk(), ["m3/0"], preview_chars=20)
    assert [(file.path, file.text) for file in after.files] == [("tool-results/r1.txt", LONG)]
    assert text(after.messages, "m3/0") == (
        "<persisted-output>\n"
        f"Output too large ({len(LONG) / 1024:.1f}KB). Full output saved to: /saved/tool-results/r1.txt\n\n"
        "Preview (first 0.02KB):\n"
        f"{LONG[:20]}\n...\n</persisted-output>"
    )
    assert why_not("save", after.messages, ["m3/0"]) == "already saved or cleared"


@pytest.mark.parametrize("folder", ["../up", "/etc", "a\\b", ""])
def test_files_stay_below_the_sessions_folder(folder: str) -> None:
    with pytest.raises(BadPipeline, match="folder"):
        done("save", talk(), ["m3/0"], folder=folder)


def test_a_cut_leaves_lines_of_both_ends() -> None:
    after = done("cut", talk(), ["m3/0"], head=2, tail=1)
    lines = LONG.split("\n")
    assert results(after.messages)["r1"] == (
        f"{lines[0]}\n{lines[1]}\n\n\n[... tool result middle pruned ...]\n\n{lines[-1]}"
    )
    cut = blocks(after.messages)["m3/0"]
    assert isinstance(cut, ToolResult) and compacted_form(cut) is Form.CUT


@pytest.mark.parametrize(("head", "tail"), [(1, 1), (2, 0), (0, 3), (0, 0)])
def test_a_cut_in_characters_splits_none_that_people_see(head: int, tail: int) -> None:
    before = conversation(user(FAMILY * 40), assistant("Yes."))
    cut = text(
        done("cut", before, ["m1/0"], head=head, tail=tail, unit="characters", allow_words=True).messages,
        "m1/0",
    )
    # Nothing stands behind the marker, and a final text may not end in white space.
    assert cut == "\n\n[... middle cut ...]"
    five = done("cut", before, ["m1/0"], head=5, tail=5, unit="characters", allow_words=True)
    assert text(five.messages, "m1/0") == f"{FAMILY}\n\n[... middle cut ...]\n\n{FAMILY}"


def test_a_cut_that_would_save_nothing_is_not_made() -> None:
    before = talk()
    assert "longer than what would be kept" in str(why_not("cut", before, ["m3/0"], head=150, tail=50))
    assert "longer than what would be kept" in str(why_not("cut", before, ["m6/0"]))
    assert done("cut", before, ["m3/0"], head=199, tail=0).messages is before


def test_a_cut_over_several_parts_keeps_pictures_where_they_are() -> None:
    before = conversation(
        user("Go."),
        assistant(use("r", "Read")),
        user(result("r", "a" * 100, image(), "b" * 100)),
        assistant("Ok."),
    )
    cut = blocks(done("cut", before, ["m3/0"], head=10, tail=10, unit="characters").messages)["m3/0"]
    assert isinstance(cut, ToolResult)
    assert [part.kind for part in cut.parts] == ["text", "image", "text"]
    assert text((before[2],), "m3/0") == "a" * 100 + "b" * 100


def test_a_text_is_written_anew() -> None:
    after = done("replace_text", talk(), ["m6/0"], text="It failed. [/x] 登录")
    assert text(after.messages, "m6/0") == "It failed. [/x] 登录"
    assert after.changes[0].kind is ChangeKind.EDITED
    assert why_not("replace_text", after.messages, ["m6/0"], text="It failed. [/x] 登录") == (
        "the text is the same"
    )


def test_a_rewritten_result_may_be_longer_and_keeps_its_pictures() -> None:
    before = conversation(
        user("Go."), assistant(use("r", "Read")), user(result("r", "a", image())), assistant("Ok.")
    )
    new = blocks(done("replace_text", before, ["m3/0"], text="b" * 500).messages)["m3/0"]
    assert isinstance(new, ToolResult) and [part.kind for part in new.parts] == ["text", "image"]


@pytest.mark.parametrize("words", ["", " \n\t"])
def test_an_empty_text_is_refused(words: str) -> None:
    assert why_not("replace_text", talk(), ["m6/0"], text=words) == (
        "providers refuse empty texts: drop the block instead"
    )
    assert done("replace_text", talk(), ["m6/0"], text=words).changes == ()


@pytest.mark.parametrize("kind", ["cut", "replace_text"])
@pytest.mark.parametrize("force", [False, True])
def test_some_things_are_never_altered(kind: str, force: bool) -> None:
    options = {"text": "x"} if kind == "replace_text" else {"head": 0, "tail": 0}
    before = (*talk()[:-1], *conversation(assistant(thinking("Done."), LONG, key="new")))
    for key, words in {"m2/0": "sealed", "new/1": "newest reply", "m8/0": ""}.items():
        told = why_not(kind, before, [key], force=force, **options)
        assert told is not None and words in told, key
    assert why_not(kind, before, ["m1/0"], force=force, **options) is not None


def test_the_persons_words_are_altered_only_after_a_yes() -> None:
    before = (*conversation(user(LONG, key="p")), *talk())
    assert why_not("cut", before, ["p/0"]) == (
        "1 text of yours would be cut: this needs your consent (allow_words)"
    )
    assert why_not("cut", before, ["p/0"], allow_words=True) is None
    assert why_not("cut", (*conversation(injected(LONG, key="i")), *talk()), ["i/0"]) is None


def test_results_of_the_providers_own_tools_are_sealed() -> None:
    before = conversation(
        user("Search."),
        assistant(use("s", "web_search", server=True), result("s", LONG, server=True), "Found."),
        user("On."),
        assistant("Yes."),
    )
    for kind in ("clear", "save", "cut"):
        assert "sealed" in str(why_not(kind, before, ["m2/1"], force=True))


@pytest.mark.parametrize("kind", ["clear", "cut", "save", "drop"])
def test_an_edit_of_one_block_does_not_wait_until_the_whole_session_is_counted(kind: str) -> None:
    """To count half a million messages takes long, and the person has pressed a key."""
    messages, totals = talk(), []

    class Watching(CharsEstimator):
        def total(self, messages: Iterable[Message]) -> int:
            totals.append(messages)
            return super().total(messages)

    asked = replace(context(messages), estimator=Watching(), tokens=None)
    assert done(kind, messages, ["m3/0"], given=asked).changes
    assert totals == []
