"""Operations as a person types them: `drop KEY KEY`, `clear tool:Bash`, `fix old-images`, `run`.

    VERB [KEY ...] [FILTER:VALUE ...] [OPTION=VALUE ...]

A KEY is the key of a block or message as reports show it, or its number there (`12` or `12.0`). Rows chosen
by filters are skipped if they may not be changed; a row that was named is never skipped.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, TypeAlias

from msgspec import Struct, field

from app.edits import EDITS, Edit, edit_named
from app.edits.by_stage import ByStage
from app.edits.typed import typed
from app.errors import InputError, RefusedError
from app.stages import stage_named
from app.views.selection import Filter, select
from app.work.history import OpKind
from app.work.quick_fixes import fix_named, offer
from app.work.workspace import Workspace

OTHER_VERBS: Final = {
    "pin": "protect blocks from every stage and edit",
    "unpin": "unpin blocks",
    "fix": "apply a quick fix, by name",
    "run": "accept the next stage of the pipeline; `run all`: all remaining stages",
    "skip": "skip the next stage",
}
"""The verbs that are not kinds of edits."""

VERBS: Final = (*(edit.name for edit in EDITS), *OTHER_VERBS)

_FILTERS: Final = frozenset(f.name for f in fields(Filter))


class _Words(Struct):
    """The parsed words after the verb."""

    keys: list[str] = field(default_factory=list)
    filters: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)


Finish: TypeAlias = Callable[[Edit], Edit]
"""Completes an edit with what was not typed, such as a text from elsewhere."""


def do_typed(
    workspace: Workspace, text: str, *, allow_words: bool = False, finish: Finish = lambda edit: edit
) -> None:
    """Carry out a typed operation; `allow_words` permits changing the person's own words.

    If filters chose the rows, the operation keeps them as its rule. Raises InputError for text that
    cannot be parsed, and RefusedError, saying why, for an operation that cannot be done.
    """
    verb, *rest = _split(text)
    match verb.replace("-", "_"):
        case "pin" | "unpin":
            words = _sorted(rest, ())
            keys = _keys(workspace, words)
            _refuse(text, None if keys else "no rows are chosen")
            (workspace.pin if verb == "pin" else workspace.unpin)(keys, rule=_rule(words, verb))
        case "fix":
            _fix(workspace, text, rest)
        case "run" | "skip":
            _refuse(text, workspace.why_not(OpKind.RUN))
            if rest not in ([], ["all"]) or (rest and verb == "skip"):
                raise InputError(f"{text!r}: {verb} takes no arguments (except `run all`)")
            (workspace.run_all if rest else workspace.advance if verb == "run" else workspace.skip)()
        case name:
            edit, words = _edit(workspace, text, name, rest, allow_words=allow_words)
            edit = finish(edit)
            _refuse(text, workspace.why_not_edit(edit))
            workspace.edit(edit, rule=_rule(words, typed(edit.with_keys(()))))


def _split(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"{text!r} cannot be read ({error}): quote it as in a shell") from error
    if not words:
        raise InputError(f"an empty operation; available: {', '.join(VERBS)}")
    if words[0].replace("-", "_") not in VERBS:
        raise InputError(f"unknown operation {words[0]!r}; available: {', '.join(VERBS)}")
    return words


def _fix(workspace: Workspace, text: str, words: Sequence[str]) -> None:
    if len(words) != 1:
        raise InputError(f"{text!r}: expected the name of one quick fix")
    told = offer(workspace, fix_named(words[0]))
    _refuse(text, None if told.does_something else told.note)
    workspace.edit(told.edit, rule=told.fix.rule)


def _edit(
    workspace: Workspace, text: str, name: str, rest: Sequence[str], *, allow_words: bool
) -> tuple[Edit, _Words]:
    """The typed edit, and its parsed words."""
    kind = edit_named(name)
    if kind is ByStage:
        if not rest:
            raise InputError(f"{text!r}: expected the name of a stage")
        rest, given = _stage(rest)
    else:
        given = {}
    words = _sorted(rest, [option.name for option in kind.options()])
    options: dict[str, Any] = {**given, **{name: _value(value) for name, value in words.options.items()}}
    if allow_words and "allow_words" in {option.name for option in kind.options()}:
        options.setdefault("allow_words", True)
    edit = kind.build(options).with_keys(_keys(workspace, words))
    if words.filters:
        edit = _narrowed(workspace, edit, words)
        _refuse(text, None if edit.keys else "no row of that kind can be changed")
    return edit, words


def _stage(words: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """Split the words for a stage run by hand into the remaining words and the stage's options."""
    known = {option.name for option in stage_named(words[0]).options()}
    own = [word for word in words[1:] if word.partition("=")[0] in known and "=" in word]
    rest = [word for word in words[1:] if word not in own]
    return rest, {"stage": words[0], "settings": tuple(own)}


def _sorted(words: Iterable[str], options: Iterable[str]) -> _Words:
    """Sort words into keys, filters and options by their names."""
    found, known = _Words(), set(options)
    for word in words:
        name, sign, value = word.partition("=")
        label, colon, wanted = word.partition(":")
        if colon and label in _FILTERS:
            found.filters[label] = wanted
        elif sign and (name in known or name.isidentifier()):
            found.options[name] = value
        else:
            found.keys.append(word)
    return found


def _rule(words: _Words, rest: str) -> str:
    """The filters that chose the rows, for reuse on another session; empty if rows were named."""
    filters = shlex.join(f"{name}:{value}" for name, value in words.filters.items())
    return f"{rest} {filters}" if filters and not words.keys else ""


def check_rule(text: str) -> None:
    """Raise InputError unless a text is a rule that works on any session and opens no file.

    A rule can come from a stranger, so it may name neither rows (by key) nor files.
    """
    verb, *rest = _split(text)
    match verb.replace("-", "_"):
        case "pin" | "unpin":
            words = _sorted(rest, ())
        case "fix":
            if len(rest) != 1:
                raise InputError(f"{text!r}: expected the name of one quick fix")
            if not fix_named(rest[0]).rule:
                raise InputError(f"{text!r} reads files on disk: it is not allowed in a recipe")
            return
        case "run" | "skip":
            if rest not in ([], ["all"]) or (rest and verb == "skip"):
                raise InputError(f"{text!r}: {verb} takes no arguments (except `run all`)")
            return
        case name:
            kind = edit_named(name)
            if kind is ByStage:
                if not rest:
                    raise InputError(f"{text!r}: expected the name of a stage")
                rest, given = _stage(rest)
                kind.build(given)
            words = _sorted(rest, [option.name for option in kind.options()])
            if any(value.startswith("@") and not value.startswith("@@") for value in words.options.values()):
                raise InputError(
                    f"{text!r} names a file: a rule has to contain the text itself (write @@ for a leading @)"
                )
            kind.build({name: value.removeprefix("@") for name, value in words.options.items()})
    Filter.parse(words.filters)
    if words.keys:
        raise InputError(f"{text!r} names rows ({words.keys[0]}): name rows in keys = [...]")


def _value(value: str) -> str:
    """An option's value; `@NAME` is replaced by the contents of that file."""
    if value.startswith("@@") or not value.startswith("@"):
        return value.removeprefix("@")
    try:
        return Path(value[1:]).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InputError(f"{value[1:]} cannot be read ({error}): expected a text file") from error


def _keys(workspace: Workspace, words: _Words) -> list[str]:
    """The typed keys, with report numbers resolved to keys, and the keys that filters choose."""
    numbers = _numbers(workspace)
    keys = [numbers.get(key, key) for key in words.keys]
    return [*keys, *(select(workspace, Filter.parse(words.filters)) if words.filters else ())]


def _numbers(workspace: Workspace) -> Mapping[str, str]:
    """Report number -> key; a number that is itself a key is left out."""
    known = {row.key for row in workspace.rows} | {row.message.key for row in workspace.rows}
    numbers = {f"{row.number}.{row.place}": row.key for row in workspace.rows}
    numbers |= {str(row.number): row.message.key for row in workspace.rows}
    return {number: key for number, key in numbers.items() if number not in known}


def _narrowed(workspace: Workspace, edit: Edit, words: _Words) -> Edit:
    """The edit on the named rows, and on those filtered rows that it may change."""
    named = set(_keys(workspace, _Words(keys=words.keys)))
    others = edit.with_keys(key for key in edit.keys if key not in named)
    fitting = others.fitting(workspace.messages, workspace.context)
    return edit.with_keys([*(key for key in edit.keys if key in named), *fitting])


def _refuse(text: str, reason: str | None) -> None:
    if reason is not None:
        raise RefusedError(f"{text!r} cannot be done: {reason}")
