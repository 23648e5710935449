"""The index of tool results removed from an exported session, and how to get each of them again.

A resumed agent that misses a result can read one file or run one command instead of searching. A summary
names the index in a line of its own (`index_line` in `app.stages.boundary_message`). It is built from the
tool calls and the changes, never from the results' texts, so it is deterministic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from app.compactability import Call, Cause, Form, Judgement, Kind, ResultFacts
from app.compactability.calls import argument_text, arguments_of
from app.compactability.placeholders import placeholder_form, saved_path
from app.display import counted, one_line
from app.model import Text, ToolUse, chars_of, text_of
from app.secrets import find_secrets
from app.settings import data_dir, in_agent_dir
from app.stages.base import ChangeKind, PlannedFile
from app.stages.saving import safe_name
from app.work.workspace import Workspace

FOLDER: Final = ".task_outputs"
"""Below the folder of saved results."""

_ABOUT_CELLS: Final = 160
_LINE_CELLS: Final = 8_000
_ARGUMENT_CHARS: Final = 20_000
"""How many code points of a call's arguments are examined."""
_BY_HAND: Final = frozenset({"drop", "replace_text"})
"""Edits by which a person takes single things out: what they did not want told is not listed."""

_DONE: Final[Mapping[ChangeKind, str]] = {
    ChangeKind.CUT: "cut",
    ChangeKind.CLEARED: "cleared",
    ChangeKind.SAVED: "saved",
    ChangeKind.STUB: "an earlier copy stays",
    ChangeKind.DROPPED: "dropped",
}
_BEFORE: Final[Mapping[Form, str]] = {
    Form.CLEARED: "cleared before",
    Form.SAVED: "saved before",
    Form.STUB: "a stub before",
}
_SEARCHES: Final = frozenset({Kind.GREP, Kind.GLOB, Kind.LIST, Kind.LOOKUP})
_ECHOES: Final = frozenset({Kind.WRITE, Kind.EDIT, Kind.TODO})
_COMMANDS: Final = ("command", "cmd", "CommandLine")


class Missing(Struct, frozen=True):
    """One result that is no longer there in full."""

    id: str
    """Of its call."""
    what: str
    """The tool and what its call was about, in one line."""
    chars: int
    done: str
    again: str
    """How to get it, in words."""
    is_new: bool
    """Whether it went by what was done now, not before the session was opened."""
    is_saved: bool
    """Whether it lies in a file."""

    @property
    def size(self) -> str:
        """How long it was; a picture alone has no characters."""
        return counted(self.chars, "character") if self.chars else "no text"

    @property
    def line(self) -> str:
        """The result as the list tells it."""
        return f"- {self.id} | {self.what} | {self.size} | {self.done} | {self.again}"


def index_place(root: str, target: Path, has_side_folder: bool) -> str:
    """Where the list of an export to `target` lies: below `root`, under a name that is still free.

    In an agent's folder only a session's own side folder may hold it; else it lies with our own data.
    """
    folder = Path(root) / FOLDER
    if not has_side_folder and in_agent_dir(target):
        folder = data_dir() / "results"
    return free_name(folder / f"results-{safe_name(target.stem)}.md")


def free_name(path: Path) -> str:
    """The path, or where a file has it the next one: `results-x.md`, `results-x-2.md` ..."""
    number, free = 1, path
    while free.exists() or free.is_symlink():
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return str(free)


def planned_index(workspace: Workspace, root: str, source: str) -> PlannedFile | None:
    """The list as a file to be written; None where nothing is missing, or where none is wanted.

    `root` is the folder of saved results, `source` says where the session lies as it was.
    """
    if not workspace.index:
        return None
    found = newest(list(missing(workspace, root)))
    if not any(entry.is_new for entry in found) and not (found and is_named(workspace)):
        return None
    path = Path(workspace.index)
    return PlannedFile(path.name, _text(found, source), str(path.parent))


def is_named(workspace: Workspace) -> bool:
    """Whether a summary names the list."""
    made = (change.after for change in workspace.changes.values() if change.before is None)
    return any(isinstance(block, Text) and workspace.index in block.content.read() for block in made)


def missing(workspace: Workspace, root: str) -> Iterator[Missing]:
    """Every result of the live segment that is not there in full any more, oldest first.

    What a write or a note gave back is not worth a line.
    """
    saved = _saved(workspace, root)
    last: dict[str, ChangeKind] = {}
    private: set[str] = set()
    for step in workspace.steps:
        last.update((change.key, change.kind) for change in step.changes)
        if step.edit is not None and step.edit.name in _BY_HAND:
            private.update(change.key for change in step.changes)
    for answer in workspace.answers:
        result = answer.result
        form = placeholder_form(result)
        done = _BEFORE.get(form) if form else _DONE.get(last.get(result.key, ChangeKind.EDITED))
        if done is None or result.key in private:
            continue
        path = saved.get(result.key) or (saved_path(text_of(result)) if form is Form.SAVED else None)
        if path is None and _kind(answer) in _ECHOES:
            continue
        way = f"read {path}" if path else _again(answer, workspace.judgements.get(result.key))
        what = _what(answer)
        is_new = result.key in last
        yield Missing(result.tool_use_id, what, chars_of(result), done, way, is_new, path is not None)


def newest(found: Sequence[Missing]) -> list[Missing]:
    """Without those that lie in no file and that a later one of the same call stands for."""
    last = {entry.what: entry for entry in found}
    return [entry for entry in found if entry.is_saved or last[entry.what] is entry]


def _saved(workspace: Workspace, root: str) -> dict[str, str]:
    """Where each saved result will lie, by its key; what a stage says of it is not always a whole path."""
    files = (file for step in workspace.steps for file in step.result.files if file.of)
    return {file.of: str(Path(file.root or root) / file.path) for file in files}


def _text(found: Iterable[Missing], source: str) -> str:
    head = (
        "# Results that are no longer in this session",
        "",
        "Oldest first: the id of the call, what it was, how long its result was, what became of that, and how"
        " to get it again.",
        f"All of them stand in {source}, each under its id.",
        "",
    )
    return "\n".join((*head, *(_plain(entry.line, _LINE_CELLS) for entry in found))) + "\n"


def _what(answer: ResultFacts) -> str:
    use = answer.use
    if use is None:
        return "result without a call"
    return _plain(f"{use.name} {_about(answer, use)}", _ABOUT_CELLS)


def _about(answer: ResultFacts, use: ToolUse) -> str:
    """What a call was about: its file with the lines, its command, else its arguments."""
    call = answer.call
    if not call.shell and (path := use.path or call.path):
        return f"{path}{_lines(call)}"
    arguments = arguments_of(use)
    command = next((arguments[name] for name in _COMMANDS if arguments.get(name)), None)
    if isinstance(command, list):
        command = " ".join(map(str, command))
    return command if isinstance(command, str) else argument_text(use)[:_ARGUMENT_CHARS]


def _lines(call: Call) -> str:
    if call.span is None:
        return ""
    first, last = call.span
    return f", lines {first}-{last}" if first <= last else ", a part of it"


def _again(answer: ResultFacts, judgement: Judgement | None) -> str:
    """How to have a result again that lies in no file."""
    call, cause = answer.call, judgement.cause if judgement else None
    kind = _kind(answer)
    if kind is Kind.READ and not call.shell:
        return "read it again" + ("; it was changed since" if cause is Cause.STALE_READ else "")
    if call.shell or kind is Kind.BASH:
        if call.edits:
            return "do not run it again: it changes files"
        return "run it again" if call.files else "run it again, if that changes nothing"
    if kind in _SEARCHES:
        return "search again"
    if kind in (Kind.WEB_FETCH, Kind.WEB_SEARCH):
        return "fetch it again; what it said then is only in the session as it was"
    return "only in the session as it was"


def _kind(answer: ResultFacts) -> Kind | None:
    return answer.call.kind or answer.named_kind


def _plain(text: str, width: int) -> str:
    """A text of the session in one line without what looks like a key, for a file that agents read."""
    for secret in reversed(list(find_secrets(text))):
        text = f"{text[: secret.start]}[{secret.kind}]{text[secret.end :]}"
    return one_line(text, width).rstrip()
