"""Single blocks in a form that the target can hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from app.convert.losses import Losses
from app.convert.targets import Target
from app.display import human_bytes
from app.formats.markers import author_of
from app.formats.pictures import MAX_CHARS, MEDIA_TYPES, picture_of
from app.model import Author, Block, Held, HeldValue, Image, Opaque, Part, Text, Thinking, ToolResult, ToolUse

ERROR: Final = "Error: "
_MAX_NAME: Final = 64
_name = re.compile(rf"[A-Za-z0-9_-]{{1,{_MAX_NAME}}}")
_reminder = re.compile(r"\s*<system-reminder>\s*(?P<words>.*?)\s*</system-reminder>\s*", re.DOTALL)
_data_url = re.compile(r"data:(?P<type>[\w.+/-]*)[^,]{0,100};base64,", re.ASCII)


class BlockMover:
    """Makes blocks of the file into ones that stand in none."""

    def __init__(self, target: Target, losses: Losses) -> None:
        self._target = target
        self._losses = losses

    def said(self, block: Block, *, assistant: bool) -> Block | None:
        """A block that is neither call nor result; None where nothing is left of it."""
        match block:
            case Text():
                return self.text(block)
            case Image() if not assistant:
                return self._image(block, taken=self._target.pictures) or self._note(block)
            case Image():
                # No provider takes a picture from the assistant.
                self._losses.add("image")
                return replace(self._note(block), author=Author.ASSISTANT)
            case Thinking():
                self._losses.add("sealed-thinking" if block.signature_chars or block.redacted else "thinking")
            case Opaque():
                self._losses.add("opaque")
                note = self._note(block)
                return replace(note, author=Author.ASSISTANT, content=_bare(block)) if assistant else note
        return None

    def text(self, block: Text) -> Text | None:
        """A text as one of its author's, by its beginning where nothing else tells; None for a blank one."""
        text = block.content.read()
        if not text.strip():
            return None
        known = author_of(text, Author.USER)
        if block.author is Author.SUMMARY:
            if known is Author.SUMMARY or self._target.tells_authors:
                return replace(block, place=None)
            self._losses.add("summary")
            return replace(block, content=Held(f"[Compacted]\n\n{text}"), place=None)
        if block.author is Author.USER and (wrapped := _reminder.fullmatch(text)):
            # So a client sends words that were queued; only its own record tells whose they are.
            self._losses.add("unwrapped")
            return replace(block, content=Held(wrapped["words"]), place=None)
        unclear = block.author in (Author.INJECTED, Author.SYSTEM) and known is Author.USER
        if not unclear or self._target.tells_authors:
            return replace(block, place=None)
        self._losses.add("injected")
        return replace(block, content=Held(reminder(text)), author=Author.INJECTED, place=None)

    def call(self, block: ToolUse, ident: str) -> ToolUse:
        """A call with that id, and an object as its input."""
        value = self._input(block)
        if block.server:
            self._losses.add("server-call")
        name = block.name
        if not _name.fullmatch(name):
            self._losses.add("tool-name")
            name = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_MAX_NAME] or "tool"
        return replace(block, id=ident, name=name, input=value, server=False, place=None)

    def _input(self, block: ToolUse) -> HeldValue:
        try:
            value = block.input.value()
        except (ValueError, RecursionError):
            value = None
        # A reader gives an empty object for arguments that spell none: the text tells more.
        if isinstance(value, dict) and (value or not block.input.read().strip("{} \t\r\n")):
            return HeldValue(value)
        self._losses.add("custom-input")
        return HeldValue({"input": block.input.read()})

    def result(self, block: ToolResult, ident: str) -> ToolResult:
        """A result with that id, of texts and pictures that the target takes."""
        pictures = self._target.pictures_in_results and not block.is_error
        parts = [made for part in block.parts if (made := self._part(part, pictures)) is not None]
        if block.is_error and not self._target.flags_errors:
            self._losses.add("error-flag")
            first = next((i for i, part in enumerate(parts) if isinstance(part, Text)), None)
            text = "" if first is None else _text(parts[first])
            if not text.lower().startswith("error"):
                made = Text(f"{block.key}/error", Held(ERROR + text), Author.INJECTED)
                parts[first or 0 : 0 if first is None else first + 1] = [made]
        return replace(block, tool_use_id=ident, parts=tuple(parts), server=False, place=None)

    def orphan(self, block: ToolResult, opening: str) -> Text:
        """What a result without its call says, as an injected text."""
        self._losses.add("orphan-result")
        text = "".join(_text(part) for part in block.parts if isinstance(part, Text))
        return Text(block.key, Held(f"{opening}\n{text}".rstrip()), Author.INJECTED)

    def _part(self, part: Part, pictures: bool) -> Part | None:
        match part:
            case Text():
                return replace(part, place=None) if part.content.chars else None
            case Image():
                return self._image(part, taken=pictures) or Text(part.key, _bare(part), Author.INJECTED)
            case Opaque():
                self._losses.add("opaque")
                return Text(part.key, _bare(part), Author.INJECTED)

    def _image(self, image: Image, *, taken: bool) -> Image | None:
        """The picture where the target takes it, with the type that its bytes tell."""
        data = image.data.read()
        inline = _data_url.match(data)
        address = data.startswith(("http://", "https://"))
        if taken and address and self._target.takes_addresses:
            return replace(image, media_type="", place=None)
        data = data[inline.end() :] if inline else data
        picture = picture_of(data) if taken and not address and len(data) <= MAX_CHARS else None
        if picture is not None and picture.media_type in MEDIA_TYPES:
            return replace(image, data=Held(data), media_type=picture.media_type, place=None)
        self._losses.add("image")
        return None

    def _note(self, block: Image | Opaque) -> Text:
        text = _bare(block).text
        words = text if self._target.tells_authors else reminder(text)
        return Text(block.key, Held(words), Author.INJECTED)


def reminder(text: str) -> str:
    """A text as one that every reader knows to be no person's."""
    return f"<system-reminder>\n{text}\n</system-reminder>"


def leading(blocks: tuple[Block, ...]) -> Iterator[Text]:
    """The texts of a system prompt."""
    for block in blocks:
        if isinstance(block, Text) and block.content.read().strip():
            yield replace(block, place=None)


def _bare(block: Image | Opaque) -> Held:
    """A note of kind and size."""
    if isinstance(block, Opaque):
        return Held(f"[{block.type or 'block'} of {human_bytes(block.content.size)}, not carried over]")
    kind = block.media_type or "address"
    # Base64 has four characters for three bytes.
    return Held(f"[picture, {kind}, {human_bytes(block.data.chars * 3 // 4)}, not carried over]")


def _text(part: Part) -> str:
    return part.content.read() if isinstance(part, Text) else ""
