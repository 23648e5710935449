"""Results that somebody compacted already, and results that only look so."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from app.compactability import CUT_MIDDLE, CUT_TAIL, Form, compacted_form, is_cut
from app.compactability.placeholders import saved_path
from app.model import PREVIEW_CHARS, Author, Held, Text, ToolResult
from tests.build import image, result


@dataclass
class OnDisk:
    """Content as a file gives it, which says whether it was read."""

    text: str
    reads: int = 0

    @property
    def chars(self) -> int:
        return len(self.text)

    @property
    def size(self) -> int:
        return len(self.text.encode())

    @property
    def preview(self) -> str:
        return self.text[:PREVIEW_CHARS]

    def read(self) -> str:
        self.reads += 1
        return self.text

    def value(self) -> object:
        return self.text


def on_disk(*texts: str) -> tuple[ToolResult, list[OnDisk]]:
    contents = [OnDisk(text) for text in texts]
    return result("r", *(Text("", content, Author.INJECTED) for content in contents)), contents


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("[Old tool result content cleared]", Form.CLEARED),
        ("[Old tool result content cleared] tool=Read " + "/very/long" * 40, Form.CLEARED),
        ("[Old tool result content cleared by time-based microcompact]", Form.CLEARED),
        ("[Earlier tool result compacted. Re-run if needed.]", Form.CLEARED),
        ("[compacted]", Form.CLEARED),
        ("[cleared]", Form.CLEARED),
        ("[Output removed to save context - information superseded or no longer needed]", Form.CLEARED),
        ("[旧工具结果已清] read", Form.CLEARED),
        ("[Superseded read cleared] app/[id].tsx was read again later", Form.CLEARED),
        ("[Superseded result cleared] the same call gave the same later", Form.CLEARED),
        ("[Failed call cleared] a later try worked", Form.CLEARED),
        ("[Write result cleared] its call says what was written", Form.CLEARED),
        ("[Old image cleared] it can be had again", Form.CLEARED),
        ("[Old listing cleared] the same search can be run again", Form.CLEARED),
        ("[Unchanged file cleared] app/[id].tsx can be read again", Form.CLEARED),
        ("[Earlier tool result saved at .task_outputs/tool-results/a.txt]", Form.SAVED),
        (
            "[Tool result persisted to disk — 9000 chars]\nTool: read_file\nPath: a.txt\n\n--- Preview",
            Form.SAVED,
        ),
        (
            "<persisted-output>\nFull output: a.txt\nPreview:\n" + "x" * 2_000 + "\n</persisted-output>",
            Form.SAVED,
        ),
        ("<persisted-output>\nOutput too large (120.3KB). Full output saved to: /a\n", Form.SAVED),
        ("...output truncated...\n\nFull output saved to: /a/tool_1\n\n2026", Form.SAVED),
        ("[Read deduplicated: a.py]\nFile unchanged since last read. The content", Form.STUB),
        ("File unchanged since last read. The content from the earlier Read tool_result in this", Form.STUB),
        ("x" * 4_000 + CUT_TAIL, Form.CUT),
        ("界" * 4_000 + CUT_TAIL, Form.CUT),
        ("😀" * 2_000 + CUT_TAIL, Form.CUT),
        ("x" * 4_096 + CUT_MIDDLE + "y" * 1_024, Form.CUT),
        ("x" * 4_090 + CUT_MIDDLE + "y" * 1_020, Form.CUT),
    ],
)
def test_what_was_compacted_is_known_from_a_file(text: str, form: Form) -> None:
    assert compacted_form(on_disk(text)[0]) is form


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "[1, 2, 3]",
        "[INFO] 3 files removed",
        '{"note": "[Old tool result content cleared]"}',
        "  12\t[Old tool result content cleared]",
        "[Old tool result content cleared]\nmeans that\na result went.",
        "[Old tool result content cleared]" + "x" * 9_000,
        "persisted-output is a tag",
        "x" * 1_000 + CUT_MIDDLE + "y" * 4_110,
        "x" * 4_500 + CUT_MIDDLE + "y" * 560,
        "The marker is " + CUT_TAIL + " and more" + "é" * 3_000,
        CUT_MIDDLE,
        CUT_TAIL.strip() + "x" * 4_000,
    ],
)
def test_a_result_that_quotes_a_marker_is_whole(text: str) -> None:
    assert compacted_form(on_disk(text)[0]) is None


def test_a_cut_of_any_length_is_known_in_memory() -> None:
    assert compacted_form(result("r", "x" * 50 + CUT_TAIL)) is Form.CUT
    assert compacted_form(result("r", "x" * 50 + CUT_MIDDLE + "y" * 10)) is Form.CUT
    assert not is_cut("x" + CUT_MIDDLE + "y" + CUT_MIDDLE + "z")


def test_a_cut_over_several_parts_is_known() -> None:
    held, _ = on_disk("x" * 3_000, "x" * 1_096 + CUT_MIDDLE, "y" * 1_024)
    assert compacted_form(held) is Form.CUT


def test_texts_of_other_lengths_are_not_read() -> None:
    held, contents = on_disk("x" * 300, "é" * 60_000)
    assert compacted_form(held) is None
    assert [content.reads for content in contents] == [0, 0]


def test_pictures_and_nothing_are_no_placeholders() -> None:
    assert compacted_form(result("r")) is None
    assert compacted_form(result("r", image())) is None
    assert (
        compacted_form(ToolResult("r", "r", (Text("", Held("[cleared]"), Author.INJECTED),))) is Form.CLEARED
    )


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[Earlier tool result saved at /w/a [1].txt]", "/w/a [1].txt"),
        ("<persisted-output>\nFull output: /w/a.txt\nPreview:\nx\n</persisted-output>", "/w/a.txt"),
        ("<persisted-output>\nOutput too large (120.3KB). Full output saved to: /w/a.txt\n\nx", "/w/a.txt"),
        ("...output truncated...\n\nFull output saved to: /w/a\n\n2026", "/w/a"),
        ("[Tool result persisted to disk — 9 chars]\nTool: Read\nPath: a.txt\n\n--- Preview", "a.txt"),
        ("I see a <persisted-output>\nFull output: /w/a.txt", None),
        ("[Earlier tool result saved at /w/a.txt] it says", None),
        ("", None),
    ],
)
def test_a_saved_result_names_its_file(text: str, path: str | None) -> None:
    assert saved_path(text) == path
