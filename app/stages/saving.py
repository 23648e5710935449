"""Plans saved results: file names, file contents, and the previews that stay in the conversation.

Nothing is written here; an export writes the planned files. File names come from tool names or call ids,
which can be anything, so they are sanitised; two results never share one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import blake2b
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from app.compactability.placeholders import saved_path
from app.errors import BadPipeline
from app.model import Placeholder, text_of
from app.stages.base import ChangeKind, Context, PlannedFile, option
from app.stages.draft import Draft, ResultAt
from app.stages.graphemes import whole_start
from app.stages.options import told

FOLDER: Final = ".task_outputs/tool-results"
MINICODE_FOLDER: Final = ".mini-code-tool-results"

_NAME_CHARS: Final = 100
_FOLDER_CHARS: Final = 200
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)
"""Device names reserved by Windows, with any extension."""


def folder_option(default: str = FOLDER) -> Any:
    """The option that says where saved results go."""
    return option(default, "folder for saved results, under `root`")


def root_option() -> Any:
    """The option that says where the folder lies; no pipeline file may set it."""
    return option("", "absolute folder for all saved results; empty: beside the new session")


def check_folders(stage: str, folder: str, root: str) -> None:
    """Raise BadPipeline if the folder could lead out of the root, or the root is not absolute."""
    parts = PurePosixPath(folder).parts
    if len(folder) > _FOLDER_CHARS or not folder.isprintable():
        raise BadPipeline(
            f"{stage}.folder must be a plain name of up to {_FOLDER_CHARS} characters, not {told(folder)}"
        )
    if not parts or ".." in parts or "\\" in folder or ":" in folder or "\0" in folder or parts[0] == "/":
        raise BadPipeline(
            f"{stage}.folder must be a folder under the root, like {FOLDER}, not {folder!r}:"
            " for an absolute one use root"
        )
    if root and not (PurePosixPath(root).is_absolute() or PureWindowsPath(root).is_absolute()):
        raise BadPipeline(f"{stage}.root must be an absolute folder, not {root!r}")


def safe_name(name: str) -> str:
    """A file name (without ending) of letters, digits, `.`, `_` and `-` alone, at most 100 characters."""
    safe = _UNSAFE.sub("_", name) or "unknown"
    if _RESERVED.match(safe):
        safe = f"_{safe}"
    if len(safe) <= _NAME_CHARS:
        return safe
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{safe[: _NAME_CHARS - 9]}-{digest}"


class SavedForm(Protocol):
    """The form of a saved result: its file's name and content, and its preview."""

    def name(self, at: ResultAt, context: Context) -> str:
        """The file's name, without ending, not yet made safe."""

    def body(self, at: ResultAt, text: str, context: Context) -> str:
        """What the file holds."""

    def preview(self, at: ResultAt, text: str, path: str) -> str:
        """The preview that stays; `path` is the file as named in texts."""


class HeadForm(Struct, frozen=True):
    """The text in a file called by its call id; its first characters stay (learn-claude-code)."""

    chars: int
    whole_graphemes: bool = True

    def name(self, at: ResultAt, context: Context) -> str:
        return at.result.tool_use_id

    def body(self, at: ResultAt, text: str, context: Context) -> str:
        return text

    def preview(self, at: ResultAt, text: str, path: str) -> str:
        head = text[: self.chars]
        if self.whole_graphemes:
            head = whole_start(text, head)
        return f"<persisted-output>\nFull output: {path}\nPreview:\n{head}\n</persisted-output>"


class ClientForm(HeadForm, frozen=True):
    """The text in a file called by its call id; what stays is in the words of Claude Code itself."""

    def preview(self, at: ResultAt, text: str, path: str) -> str:
        head = whole_start(text, text[: self.chars])
        size = len(text.encode("utf-8", "surrogatepass"))
        more = "" if head == text else "\n..."
        return (
            f"<persisted-output>\nOutput too large ({size / 1024:.1f}KB). Full output saved to: {path}\n\n"
            f"Preview (first {self.chars / 1000:g}KB):\n{head}{more}\n</persisted-output>"
        )


_HEAD_LINES: Final = 8
_TAIL_LINES: Final = 3
_SHORT_LINES: Final = 12
"""Lines up to which no tail is shown."""


class LinesForm(Struct, frozen=True):
    """A file called by tool, message and time, with a header; first and last lines stay (MiniCode)."""

    chars: int
    whole_graphemes: bool = True

    def name(self, at: ResultAt, context: Context) -> str:
        return f"{at.tool or 'unknown'}_{at.message}_{int((context.now or 0) * 1000)}"

    def body(self, at: ResultAt, text: str, context: Context) -> str:
        head = {
            "tool_name": at.tool or "unknown",
            "message_index": at.message,
            "original_size": len(text),
            "timestamp": context.now,
        }
        return f"{json.dumps(head)}\n---CONTENT---\n{text}"

    def preview(self, at: ResultAt, text: str, path: str) -> str:
        lines = text.splitlines()
        shown = lines[:_HEAD_LINES]
        if len(lines) > _SHORT_LINES:
            left_out = len(lines) - _HEAD_LINES - _TAIL_LINES
            shown += [f"... ({left_out} lines omitted) ...", *lines[-_TAIL_LINES:]]
        file = path.rsplit("/", 1)[-1]
        stub = "\n".join(
            [
                f"[Tool result persisted to disk — {len(text)} chars]",
                f"Tool: {at.tool or 'unknown'}",
                f"Path: {file}",
                "",
                "--- Preview (first/last lines) ---",
                *shown,
            ]
        )
        cut = stub[: self.chars]
        return whole_start(stub, cut) if self.whole_graphemes else cut


class Saver:
    """Plans the files of one stage; files of earlier stages are never overwritten."""

    def __init__(self, draft: Draft, folder: str, root: str = "") -> None:
        self._draft = draft
        self._folder = str(PurePosixPath(folder))
        self._root = root
        there = {} if root else draft.context.files
        self._taken = {path.casefold(): text for path, text in there.items()}
        self._next: dict[str, int] = {}

    def save(self, at: ResultAt, form: SavedForm, reason: str) -> bool:
        """Save a result and leave a preview, unless a rule forbids it; returns whether it was done."""
        text = text_of(at.result)
        return self._save(at, form, text, lambda path: form.preview(at, text, path), reason)

    def clear(self, at: ResultAt, reason: str) -> bool:
        """Save a result and leave only its path, unless a rule forbids it; returns whether it was done.

        A result that was saved before keeps its path.
        """
        text = text_of(at.result)
        known = saved_path(text)
        if known is not None:
            return self._draft.clear(at, Placeholder.of(saved_at(known)), reason)
        return self._save(at, HeadForm(0), text, saved_at, reason)

    def _save(
        self, at: ResultAt, form: SavedForm, text: str, left: Callable[[str], str], reason: str
    ) -> bool:
        context = self._draft.context
        file = PlannedFile(*self._place(safe_name(form.name(at, context)), form.body(at, text, context)))
        is_new = file.path.casefold() not in self._taken
        planned = replace(file, root=self._root, of=at.result.key) if is_new else None
        done = self._draft.set_text(at, left(self._shown(file.path)), ChangeKind.SAVED, reason, planned)
        if done:
            self._taken[file.path.casefold()] = file.text
        return done

    def _place(self, stem: str, body: str) -> tuple[str, str]:
        """A free path for `body`, or the newest of this name when it holds the same."""
        number = self._next.get(stem.casefold(), 1)
        while True:
            path = f"{self._folder}/{stem}.txt" if number == 1 else f"{self._folder}/{stem}-{number}.txt"
            if self._taken.get(path.casefold(), body) == body:
                self._next[stem.casefold()] = number
                return path, body
            number += 1

    def _shown(self, path: str) -> str:
        root = (self._root or self._draft.context.root).rstrip("/")
        return f"{root}/{path}" if root else path


def saved_at(path: str) -> str:
    """The text that replaces a result saved to a file."""
    return f"[Earlier tool result saved at {path}]"
