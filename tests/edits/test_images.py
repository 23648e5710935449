"""Pictures: one goes, the words beside it stay."""

from __future__ import annotations

import base64

import pytest

from app.model import Text, ToolResult
from app.stages.base import Messages
from tests.build import assistant, conversation, image, result, use, user
from tests.edits.given import blocks, done, text, why_not

HEAD = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (1280).to_bytes(4, "big") + (720).to_bytes(4, "big")
PNG = base64.b64encode(HEAD + bytes(3000)).decode()
NOTE = "[Image removed: PNG, 1280 x 720 pixels, 3.0 KiB]"


def talk() -> Messages:
    return conversation(
        user("See this.", image(PNG)),
        assistant("Yes.", use("s", "Screenshot")),
        user(result("s", "shot", image(PNG), image(PNG))),
        assistant("And?"),
        user(image(PNG), image(PNG)),
        assistant("Good."),
    )


def parts(messages: Messages, key: str) -> list[str]:
    found = blocks(messages)[key]
    assert isinstance(found, ToolResult)
    return [part.content.read() if isinstance(part, Text) else part.kind for part in found.parts]


def test_a_dropped_picture_leaves_the_words_beside_it() -> None:
    after = done("drop_image", talk(), ["m1/1", "m3/0"])
    assert [block.key for block in after.messages[0].blocks] == ["m1/0"]
    assert parts(after.messages, "m3/0") == ["shot"]
    assert {change.key for change in after.changes} == {"m1/1", "m3/0"}


def test_one_picture_of_a_result_can_be_named() -> None:
    assert parts(done("drop_image", talk(), ["m3/0/1"]).messages, "m3/0") == ["shot", "image"]
    assert parts(done("note_image", talk(), ["m3/0/2"]).messages, "m3/0") == ["shot", "image", NOTE]


def test_a_noted_picture_says_what_it_was() -> None:
    after = done("note_image", talk(), ["m1/1", "m2/1"])
    assert text(after.messages, "m1/1") == NOTE
    assert parts(after.messages, "m3/0") == ["shot", NOTE, NOTE]


def test_a_message_or_result_of_pictures_alone_keeps_a_line() -> None:
    before = talk()
    after = done("drop_image", before, ["m5"])
    assert [text(after.messages, block.key) for block in after.messages[4].blocks] == ["[Image removed]"]
    only = conversation(
        user("Go."), assistant(use("s", "Screenshot")), user(result("s", image(PNG))), assistant("Ok.")
    )
    assert parts(done("drop_image", only, ["m3/0"]).messages, "m3/0") == ["[Image removed]"]


@pytest.mark.parametrize(
    ("picture", "line"),
    [
        (image("https://example.org/x.png", media_type=""), "[Image removed]"),
        (image("!!", media_type="image/webp"), "[Image removed: WEBP, 1 B]"),
        (image("", media_type="image/png"), "[Image removed: PNG, 0 B]"),
    ],
)
def test_what_cannot_be_read_is_not_told(picture: object, line: str) -> None:
    before = conversation(user("See.", picture), assistant("Ok."))  # type: ignore[arg-type]
    assert text(done("note_image", before, ["m1/1"]).messages, "m1/1") == line


def test_what_holds_no_picture_is_told() -> None:
    assert why_not("drop_image", talk(), ["m1/0"]) == "not an image"
    assert why_not("drop_image", talk(), ["m4"]) == "there is no image in it"
