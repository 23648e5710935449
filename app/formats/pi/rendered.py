"""The text that pi sends for a command the person ran, which no single value of the file holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.formats.store import RecordStore
from app.model import PREVIEW_CHARS


class RenderedCommand:
    """An `app.model.Content` assembled from the members of a `bashExecution` message."""

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
        """The text itself: it has no JSON value."""
        return self.read()


def command_text(message: Mapping[str, Any]) -> str:
    """A command with its output and exit status, as pi sends it to the model."""
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
