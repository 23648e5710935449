"""A command that the person ran, in the words in which pi sends it: no value of the file says all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.formats.store import RecordStore
from app.model import PREVIEW_CHARS


class RenderedCommand:
    """A `app.model.Content` that is put together from the members of a `bashExecution` message."""

    __slots__ = ("_record", "_store", "chars", "preview", "size")

    def __init__(self, store: RecordStore, record: int, text: str) -> None:
        self._store = store
        self._record = record
        self.chars = len(text)
        self.size = self.chars if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        self.preview = text[:PREVIEW_CHARS]

    def read(self) -> str:
        """The whole text."""
        return command_text(self._store.value(self._record)["message"])

    def value(self) -> Any:
        """The text: no JSON value stands behind it."""
        return self.read()


def command_text(message: Mapping[str, Any]) -> str:
    """A command with its output and how it ended, as pi tells the model."""
    output, code = message.get("output"), message.get("exitCode")
    text = f"Ran `{message.get('command')}`\n"
    text += f"```\n{output}\n```" if output else "(no output)"
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif code is not None and code != 0:
        text += f"\n\nCommand exited with code {code}"
    if message.get("truncated") and message.get("fullOutputPath"):
        text += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
    return text
