"""Each tool result with its call, and what that call did."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from app.compactability.paths import ODD, Span, base_name, file_path, span_of
from app.compactability.placeholders import Form, compacted_form
from app.compactability.shell import look_at, patched_files
from app.compactability.tools import Kind, is_editor, plain_name, tool_kind
from app.formats.lenient_json import DOUBTS, decode_fast
from app.lazy import found_when_asked
from app.model import (
    PREVIEW_CHARS,
    Message,
    SendStatus,
    Text,
    ToolResult,
    ToolUse,
    chars_of,
    preview_of,
    text_of,
)

_COMMANDS: Final = ("command", "cmd", "CommandLine")
_FOLDERS: Final = ("workdir", "cwd", "dir_path", "directory", "Cwd")
_PATHS: Final = ("file_path", "path", "filePath", "absolute_path", "notebook_path", "target_file", "filename")
_LISTS: Final = ("paths", "files", "include")

REFUSALS: Final = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "User rejected tool use",
    "The user rejected permission",
    "exec command rejected by user",
    "patch rejected by user",
    "[Operation Cancelled] Reason: User",
)
"""How results begin if the person refused the call (Claude Code, opencode, Codex, Gemini CLI)."""


_FAILED_TOOL: Final = re.compile(
    r"\s*(?:<tool_use_error>|error:|error (?:reading|writing|editing|opening|applying|executing)\b"
    r"|failed to\b|apply_patch verification failed)",
    re.IGNORECASE,
)
_FAILED_RUN: Final = re.compile(
    r"^(?:Exit code:? |Process exited with code |\{?\s*\"returncode\": )-?[1-9]", re.MULTILINE
)
FAILED_CLEARED: Final = "[Failed call cleared]"
"""How the placeholder of a failed call begins: the call still counts as failed."""

_NOTICES: Final = ("truncated", "omitted", "more lines", "showing lines", "read beyond")
"""Words by which tools say that their output is incomplete."""

_NOTICE_CHARS: Final = 400
"""Code points at each end of a read where a reading tool puts such a notice; a shell's may be anywhere."""

INSTRUCTION_FILES: Final = frozenset(
    {"claude.md", "agents.md", "gemini.md", "skill.md", "context.md", "plan.md"}
)
"""Base names, case-insensitive, of files that hold a person's rules (anomalyco/opencode#30807)."""

_INSTRUCTIONS: Final = re.compile("|".join(map(re.escape, sorted(INSTRUCTION_FILES))), re.IGNORECASE)
_PRINTING: Final = frozenset({Kind.READ, Kind.EDIT, Kind.WRITE, Kind.BASH})

_FAILURE_CHARS: Final = 2_000
"""Code points of the longest result that is taken for an error if the format has no flag for it."""


class Call(Struct, frozen=True):
    """What a tool call did."""

    kind: Kind | None
    path: str | None = None
    """The one file that was read; paths are normalised by `file_path`."""
    span: Span | None = None
    """The lines that were read; None is the whole file."""
    files: tuple[str, ...] = ()
    """Every file that was read."""
    writes: tuple[str, ...] = ()
    """Files whose text it changed."""
    edits: bool = False
    """Whether it changed files, whether or not their names are known."""
    runs: bool = False
    """Whether its output depends on a state of the files that a later edit changes."""
    shell: bool = False


UNKNOWN: Final = Call(None)


def call_of(use: ToolUse, cwd: str | None = None) -> Call:
    """What the call `use` did. Its arguments are read from the file if the preview is not enough."""
    kind = tool_kind(use.name)
    if kind is Kind.BASH:
        return _of_shell(use, cwd)
    if kind in (Kind.EDIT, Kind.WRITE) and not (is_editor(use.name) and _is_view(use)):
        writes = _files_changed(use, cwd)
        return Call(kind, writes=writes, edits=bool(writes) or not use.name.lower().startswith("mcp__"))
    if kind in (Kind.READ, Kind.EDIT, Kind.WRITE):
        return _of_read(use, cwd)
    return Call(kind)


def arguments_of(use: ToolUse) -> Mapping[str, Any]:
    """The call's arguments; empty if they are not an object or cannot be parsed.

    The preview holds short ones completely, so that the file need not be read for them.
    """
    if use.input.chars <= PREVIEW_CHARS and isinstance(held := _parsed(use.input.preview), dict):
        return held
    try:
        value = use.input.value()
    except (ValueError, RecursionError):
        return {}
    value = _parsed(value) if isinstance(value, str) else value
    return value if isinstance(value, dict) else {}


def argument_text(use: ToolUse) -> str:
    """The call's arguments as text; the preview holds short ones completely."""
    return use.input.preview if use.input.chars <= PREVIEW_CHARS else use.input.read()


def _parsed(text: str) -> Any:
    # The standard library reads what the fast decoder refuses.
    for decode in (decode_fast, json.loads):
        try:
            return decode(text)
        except (*DOUBTS, ValueError):
            continue
    return None


def _of_shell(use: ToolUse, cwd: str | None) -> Call:
    arguments = arguments_of(use)
    command = command_of(arguments)
    if command is None:
        return Call(Kind.BASH, runs=True, shell=True)
    folder = next((arguments[name] for name in _FOLDERS if isinstance(arguments.get(name), str)), "")
    look = look_at(command, file_path(folder, cwd) or cwd)
    path = look.files[0] if look.kind is Kind.READ and len(look.files) == 1 else None
    return Call(look.kind, path, look.span, look.files, look.writes, bool(look.writes), look.runs, shell=True)


def command_of(arguments: Mapping[str, Any]) -> str | None:
    """The command line among a shell's arguments; of a list of words the last (`bash -lc COMMAND`)."""
    command = next((arguments[name] for name in _COMMANDS if name in arguments), None)
    if isinstance(command, list) and command:
        command = command[-1]
    return command if isinstance(command, str) else None


def _of_read(use: ToolUse, cwd: str | None) -> Call:
    arguments = arguments_of(use)
    path = file_path(_path_in(use, arguments) or "", cwd)
    if path:
        return Call(Kind.READ, path, span_of(arguments), (path,))
    several: list[Any] = next(
        (arguments[name] for name in _LISTS if isinstance(arguments.get(name), list)), []
    )
    files = [file_path(name, cwd) for name in several if isinstance(name, str)]
    return Call(Kind.READ, None, ODD, tuple(name for name in files if name))


def _files_changed(use: ToolUse, cwd: str | None) -> tuple[str, ...]:
    if plain_name(use.name).endswith("patch"):
        texts = [value for value in arguments_of(use).values() if isinstance(value, str)]
        for text in texts or [argument_text(use)]:
            if found := patched_files(text, cwd):
                return found
    path = use.path or _path_in(use, arguments_of(use))
    return (named,) if path and (named := file_path(path, cwd)) else ()


def _path_in(use: ToolUse, arguments: Mapping[str, Any]) -> str | None:
    if use.path:
        return use.path
    return next((arguments[name] for name in _PATHS if isinstance(arguments.get(name), str)), None)


def _is_view(use: ToolUse) -> bool:
    return arguments_of(use).get("command") == "view"


class CallFacts:
    """A call with lazily computed facts, cached as long as the call is unchanged."""

    __slots__ = ("call", "cwd", "is_about_instructions", "key", "named_kind", "use")

    named_kind: Kind | None
    """The kind by the tool's name; what the call did may differ (a shell that reads)."""
    call: Call
    """What the call was about."""
    key: bytes
    """A hash of the tool and its arguments (of a shell's, the command): equal for equal calls."""
    is_about_instructions: bool
    """Whether it may print an instruction or skill file: editors and shells read, too."""

    def __init__(self, use: ToolUse, cwd: str | None = None) -> None:
        self.use = use
        self.cwd = cwd

    if not TYPE_CHECKING:
        __getattr__ = found_when_asked

    def _find_named_kind(self) -> Kind | None:
        return tool_kind(self.use.name)

    def _find_call(self) -> Call:
        return call_of(self.use, self.cwd)

    def _find_key(self) -> bytes:
        command = command_of(arguments_of(self.use)) if self.named_kind is Kind.BASH else None
        return digest(f"{self.use.name}\n{command or argument_text(self.use)}")

    def _find_is_about_instructions(self) -> bool:
        if self.named_kind not in _PRINTING or not _INSTRUCTIONS.search(
            self.use.path or argument_text(self.use)
        ):
            return False
        return any(base_name(file).lower() in INSTRUCTION_FILES for file in self.call.files)


class ResultFacts:
    """A result with its call and lazily computed facts, cached as long as both are unchanged."""

    __slots__ = (
        "asked", "chars", "digest", "failed", "form", "refused", "result", "standing", "told",
    )  # fmt: skip

    form: Form | None
    """How it was already compacted; None if it was not."""
    refused: bool
    """Whether the person refused the call."""
    failed: bool
    """Whether the call failed: by the record's flag, or by the text if the format has no flag."""
    chars: int
    """Code points of its text."""
    told: tuple[bool, int]
    """Whether it has no notice of anything left out, and the number of line ends in its text."""
    digest: bytes
    """A hash of its text."""

    def __init__(self, standing: SendStatus, result: ToolResult, asked: CallFacts | None) -> None:
        """`standing` is the send status of the result's message."""
        self.standing = standing
        self.result = result
        self.asked = asked

    if not TYPE_CHECKING:
        __getattr__ = found_when_asked

    def holding(self, other: ToolResult | None) -> ResultFacts:
        """The same call with another result, if there is one."""
        return self if other is None else ResultFacts(self.standing, other, self.asked)

    @property
    def use(self) -> ToolUse | None:
        """The call that it answers; None if that is gone."""
        return self.asked.use if self.asked else None

    @property
    def named_kind(self) -> Kind | None:
        """The kind by the tool's name."""
        return self.asked.named_kind if self.asked else None

    @property
    def call(self) -> Call:
        """What the call was about."""
        return self.asked.call if self.asked else UNKNOWN

    @property
    def call_key(self) -> bytes:
        """A hash of the tool and its arguments: equal for equal calls."""
        return self.asked.key if self.asked else b""

    @property
    def holds_answer(self) -> bool:
        """Whether it holds the person's own words or choice."""
        return self.result.user_words or self.named_kind is Kind.QUESTION or self.refused

    @property
    def plain(self) -> bool:
        """Whether it holds text and nothing else."""
        return bool(self.result.parts) and all(isinstance(part, Text) for part in self.result.parts)

    @property
    def is_whole(self) -> bool:
        """Whether it has no notice of anything left out; reads its text."""
        return self.told[0]

    @property
    def line_ends(self) -> int:
        """The number of line ends in its text, which is read for it."""
        return self.told[1]

    def _find_form(self) -> Form | None:
        return compacted_form(self.result)

    def _find_refused(self) -> bool:
        return preview_of(self.result).startswith(REFUSALS)

    def _find_failed(self) -> bool:
        if self.result.is_error or self.refused or preview_of(self.result).startswith(FAILED_CLEARED):
            return True
        if self.named_kind is Kind.BASH:
            return _FAILED_RUN.search(preview_of(self.result)) is not None
        if self.named_kind not in (Kind.READ, Kind.EDIT, Kind.WRITE) or self.chars > _FAILURE_CHARS:
            return False
        return _FAILED_TOOL.match(preview_of(self.result)) is not None

    def _find_chars(self) -> int:
        return chars_of(self.result)

    def _find_told(self) -> tuple[bool, int]:
        text = text_of(self.result)
        ends = text if self.call.shell else f"{text[:_NOTICE_CHARS]}\n{text[-_NOTICE_CHARS:]}"
        ends = ends.lower()
        return not any(words in ends for words in _NOTICES), text.count("\n")

    def _find_digest(self) -> bytes:
        return digest(text_of(self.result))


def answered(
    messages: Sequence[Message], cwd: str | None = None, known: Iterable[ResultFacts] = ()
) -> Iterator[ResultFacts]:
    """Every tool result with the nearest call with its id before it, in order.

    A relative path is resolved against `cwd`, the folder the agent ran in, if that is known. Facts in
    `known`, from an earlier state of the conversation, are reused if result and call are unchanged.
    """
    before = {id(answer.result): answer for answer in known}
    asked = {id(answer.asked.use): answer.asked for answer in before.values() if answer.asked}
    uses: dict[str, CallFacts] = {}
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolUse):
                uses[block.id] = asked.get(id(block)) or CallFacts(block, cwd)
            elif isinstance(block, ToolResult):
                use, answer = uses.get(block.tool_use_id), before.get(id(block))
                if answer is None or answer.asked is not use or answer.standing is not message.standing:
                    answer = ResultFacts(message.standing, block, use)
                yield answer


def digest(text: str) -> bytes:
    """A short hash of a text, which may contain lone surrogates."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
