"""The same file read again with the same content: the later copy names the earlier one (MiniCode)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct, field

from app.compactability.calls import Call
from app.compactability.paths import file_path
from app.compactability.placeholders import compacted_form
from app.model import text_of
from app.stages.base import ChangeKind, Context, Messages, Stage, StageResult, option
from app.stages.draft import Draft, ResultAt
from app.stages.tool_list import aliases_option, is_listed


@dataclass(frozen=True, kw_only=True)
class ReadDedup(Stage):
    """Replaces each read that repeats the path and content of an earlier one with a stub."""

    name: ClassVar[str] = "read_dedup"
    title: ClassVar[str] = "read dedup"

    tools: tuple[str, ...] = option(("read_file",), "tools that read a file; * matches any ending")
    aliases: str = aliases_option()

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        draft = Draft(self, messages, context)
        survey, known = context.survey(messages), _Known()
        reading = {at.tool for at in survey.results if self._reads(at.tool, context)}
        # Where nothing is read, nothing is known that a write could end.
        for at in survey.results if reading else ():
            if draft.is_met:
                break
            if at.call is None or at.result.is_error:
                continue
            known.forget(survey.call(at.call))
            if at.tool in reading:
                self._meet(at, draft, known)
        return draft.finish(
            trace=(f"compact.run stage=dedup deduplicated={draft.changed} strategy=read_dedup",),
            idle="no file was read twice with the same content",
        )

    def _reads(self, tool: str, context: Context) -> bool:
        return is_listed(tool, self.tools, self.aliases, context)

    def _meet(self, at: ResultAt, draft: Draft, known: _Known) -> None:
        path = draft.context.survey(draft.messages).clue(at.call)
        if not path or not at.result.parts or compacted_form(at.result):
            return
        content = _hash(text_of(at.result))
        original = known.original(path, content)
        if original is None:
            known.register(path, content, at.message, draft.context.cwd)
        else:
            reason = f"same content of the same file as read in message {original}"
            draft.set_text(at, stub(path, original), ChangeKind.STUB, reason)


class _Known(Struct):
    """The newest content of each path as it is spelled, and the message whose result holds it."""

    _reads: dict[str, tuple[str, int]] = field(default_factory=dict)
    _spellings: dict[str, set[str]] = field(default_factory=dict)
    """One spelling for a file -> all spellings that it was read by."""

    def original(self, path: str, content: str) -> int | None:
        newest, message = self._reads.get(path, (None, 0))
        return message if newest == content else None

    def register(self, path: str, content: str, message: int, cwd: str | None) -> None:
        self._reads[path] = (content, message)
        self._spellings.setdefault(file_path(path, cwd) or path, set()).add(path)

    def forget(self, call: Call) -> None:
        """A write or an edit ends the validity of what was read before."""
        for file in call.writes:
            for path in self._spellings.pop(file, ()):
                self._reads.pop(path, None)


def stub(path: str, message: int) -> str:
    """What stands for a read whose content an earlier one holds."""
    return (
        f"[Read deduplicated: {' '.join(path.splitlines())}]\n"
        "File unchanged since last read. The content from the earlier Read tool_result in this"
        " conversation is still current — refer to that instead.\n"
        f"(Original content at message index {message})"
    )


def _hash(text: str) -> str:
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
